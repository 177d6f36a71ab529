import { AsyncLocalStorage } from 'node:async_hooks';
import { type Logger, pino, stdSerializers } from 'pino';

/** The names of a request in the log. */
export interface RequestNames {
  requestId: string;
  /** The client's name for the request. A sender may repeat one, or send somebody else's, so nothing is found by it alone. */
  clientRequestId?: string;
}

export type { Logger } from 'pino';

/** The names of the request for which the running code works. Every line that it logs carries them. */
export const requestScope = new AsyncLocalStorage<RequestNames>();

/** Field names whose values open doors. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'client_secret',
  'clientSecret',
  'access_token',
  'sessionJwt',
  'token',
  'secret',
  'refreshToken',
  'refresh_token',
  'magicLinksToken',
  'passwordResetToken',
];
/** Members that drivers add to their errors: statements with values in them, parameters, rows. */
const DRIVER_FIELDS = new Set(['query', 'sql', 'parameters', 'detail', 'where', 'internalQuery']);

/** Structured logs, one JSON line each. Secrets are never written. */
export function createLog(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => ({ ...requestScope.getStore() }),
    serializers: { err: describeError },
    redact: {
      paths: [...SECRETS, ...SECRETS.map((name) => `*.${name}`), 'req.headers.authorization', 'req.headers.cookie'],
      censor: '[secret]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** An error as it is logged: class, message, stack and code; a statement's values, which MikroORM writes into messages, are left out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const said = Object.entries(stdSerializers.err(error)).filter(([name]) => !DRIVER_FIELDS.has(name));
  return Object.fromEntries(said.map(([name, value]) => [name, typeof value === 'string' ? withoutValues(value) : value]));
}

function withoutValues(text: string): string {
  return /\b(insert into|update|select|delete from)\b/i.test(text) ? withoutLiterals(text) : text;
}

/** The statement without the texts in it: MikroORM writes parameters of hand-written SQL into the text, and some are secrets. */
export const withoutLiterals = (sql: string): string => sql.replace(/'(?:[^']|'')*'/g, "'?'");
