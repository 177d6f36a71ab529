import type { Socket } from 'node:net';
import type { Client, PoolClient } from 'pg';

/** Ends a connection. One that is gone, or was never open, refuses that, and has ended all the same. */
export async function endQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}

/** Cuts a connection off without asking its server, which may hang: what runs there fails at once. node-postgres has no word for it. */
export const cutOff = (client: Client | PoolClient): void =>
  void (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
