import type { Request, Response } from 'express';

/** Bytes a second at which a client must take its answer: one of 5 MB has five minutes. */
const LEAST_RATE = 16_384;
/** Milliseconds between two looks at a request that is over its time. */
const LOOK = 1_000;

export interface RequestTime {
  /** Milliseconds until the answer has begun; SPEC Limits. */
  timeout: number;
  /** By default 16 KiB a second. */
  leastRate?: number;
  /** Ends the statements of the request. */
  abandon: () => void;
  /** Called when a request gets its 503. */
  late?: () => void;
}

/**
 * Ends a request when its time is over, however busy its connection looks: a timer of the socket begins anew with every byte, so that a
 * client could keep a request running by sending or taking a byte now and then. A request that has no answer by then is answered with 503.
 * One whose answer is under way goes on as long as the client takes what waits for it; a stream that has nothing to send waits for nobody.
 */
export function limitTime(req: Request, res: Response, { timeout, leastRate = LEAST_RATE, abandon, late }: RequestTime): void {
  const { socket } = req;
  const look = Math.min(timeout, LOOK);
  const sentBefore = socket.bytesWritten;
  let waited = 0;
  /** Returns whether the request may go on. */
  const goesOn = (): boolean => {
    // Node cuts off what arrives too slowly, with a 408 (listen.ts).
    if (!req.complete) return true;
    if (res.headersSent) {
      if (socket.writableLength > 0) waited += look;
      return waited <= timeout + ((socket.bytesWritten - sentBefore) * 1_000) / leastRate;
    }
    abandon();
    late?.();
    res
      .status(503)
      .set({ 'Retry-After': '1', Connection: 'close' })
      .json({ error: { code: 'service_unavailable' } });
    return true;
  };
  const over = (): void => {
    if (goesOn()) {
      timer = setTimeout(over, look);
    } else {
      abandon();
      socket.destroy();
    }
  };
  let timer = setTimeout(over, timeout);
  res.once('close', () => clearTimeout(timer));
}
