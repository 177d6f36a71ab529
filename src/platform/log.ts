import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Structured logs, one JSON line each. What could open a door is never written. */
export function createLog(level: string): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'authorization',
        'password',
        'client_secret',
        'token',
        '*.authorization',
        '*.password',
        '*.client_secret',
        '*.token',
        'headers.authorization',
        'req.headers.authorization',
        'headers.cookie',
        'err.parameters',
        'err.query',
      ],
      censor: '[secret]',
    },
  });
}
