import type { Response } from 'express';

/**
 * Writes parts of a text or a file as fast as the client takes them, so that no more than one part waits in memory. A client that leaves ends the
 * parts' generator. The head of the answer is sent before; after an error only a broken connection shows that the text is not complete.
 * @returns whether the client has got all of it
 */
export async function streamText(res: Response, parts: AsyncIterable<string | Uint8Array>): Promise<boolean> {
  for await (const part of parts) {
    if (res.destroyed) return false;
    if (part.length > 0 && !res.write(part)) await drained(res);
  }
  if (res.destroyed) return false;
  res.end();
  return true;
}

/** Waits until the client takes more, or has left. */
export function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed) return resolve();
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}
