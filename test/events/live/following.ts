import { afterAll, beforeAll } from '@jest/globals';
import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { until } from '../../helpers/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export let app: TestApp;
export let tenant: StaffedTenant;
const clients: Client[] = [];
beforeAll(async () => {
  app = await startTestApp({ shared: true, worker: true });
  tenant = await makeStaffedTenant(app);
});
afterAll(async () => {
  for (const client of clients) await client.dispose();
  await app.close();
});

export const sql = (text: string, values: unknown[]) => app.orm.em.fork().getConnection().execute(text, values);

export interface Following {
  got: Json[];
  ended: Promise<void>;
  stop(): void;
}

/** Follows a subscription over WebSocket, from the moment on in which it is followed. @param name of the parameter that has the token */
export async function follow(query: string, variables: object = {}, token = tenant.token, name = 'authorization'): Promise<Following> {
  const url = `${app.url.replace('http', 'ws')}/graphql`;
  const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: { [name]: `Bearer ${token}` }, retryAttempts: 0 });
  clients.push(client);
  const got: Json[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sink = {
    next: (value: Json) => void got.push(value),
    error: (error: unknown) => {
      got.push({ error });
      resolve();
    },
    complete: resolve,
  };
  const stop = client.subscribe({ query, variables: variables as Json }, sink);
  return { got, ended, stop };
}

/** Changes something again and again until the subscription has said so: nobody knows when it began to follow. */
export async function untilSaid({ got }: Following, change: (time: number) => Promise<unknown>, count = 1): Promise<void> {
  let time = 0;
  await until(async () => {
    if (got.length >= count) return true;
    await change(time++);
    return got.length >= count;
  });
}
