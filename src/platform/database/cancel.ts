import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/** The code of a request to cancel, where a connection's first message has the version of the protocol. */
const CANCEL_REQUEST = 80_877_102;
/** Milliseconds until a statement that goes on is asked to end once more: the first time it may not have begun. */
const AGAIN = 250;
/** Milliseconds that the server may take to accept. */
const PATIENCE = 2_000;

/** The part of pg's client that is used here; its types omit it. */
interface Connected {
  host: string;
  port: number;
  processID: number;
  secretKey: number;
}

/**
 * Cancels what a connection runs, over another connection, as PostgreSQL requires it.
 * @returns ends the cancelling: resolves when no cancel request can still reach the connection's next statement
 */
export function cancelRunning(client: PoolClient): () => Promise<void> {
  let ended = false;
  let wake: (() => void) | undefined;
  const asking = (async () => {
    while (!ended) {
      await askOnce(client as unknown as Connected);
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, AGAIN).unref();
      });
    }
  })();
  return () => {
    ended = true;
    wake?.();
    return asking;
  };
}

/** Resolves when the server has closed the connection, which it does after it has passed the request on; also when it cannot be reached. */
function askOnce({ host, port, processID, secretKey }: Connected): Promise<void> {
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const message = Buffer.alloc(16);
    for (const [at, value] of [16, CANCEL_REQUEST, processID, secretKey].entries()) message.writeInt32BE(value, at * 4);
    socket.setTimeout(PATIENCE, () => socket.destroy());
    socket.once('connect', () => socket.end(message));
    // The statement's own time limit ends what cannot be canceled.
    socket.once('error', () => {});
    socket.once('close', () => resolve());
    socket.resume();
  });
}
