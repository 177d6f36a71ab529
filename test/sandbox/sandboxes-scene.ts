import { beforeAll } from '@jest/globals';
import { makeReceiving } from '../events/receiving.ts';
import type { Answer } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** A sandbox, and the calls of its machine client. */
export interface Made {
  sandbox: Json;
  token: string;
  send: Send;
  must(method: string, path: string, body?: unknown): Promise<Json>;
  gql(query: string, variables?: Record<string, unknown>): Promise<Json>;
}

async function enter(made: Json): Promise<Made> {
  const { app } = receiving;
  const { body } = await app.http('POST', '/v1/auth/token', {
    headers: {
      Authorization: `Basic ${Buffer.from(`${made.client_id}:${made.client_secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const token = body.access_token as string;
  const send: Send = (method, path, sent, headers) => app.http(method, path, { body: sent, token, headers });
  return {
    sandbox: made,
    token,
    send,
    async must(method, path, sent) {
      const answer = await send(method, path, sent);
      if (answer.status >= 300) throw new Error(`${method} ${path} -> ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body?.data;
    },
    gql: async (query, variables) => (await app.graphql(query, variables, { token })).body,
  };
}

export const makeSandbox = async (tenant: Tenant, name = 'Trial'): Promise<Made> =>
  enter(await tenant.must('POST', '/v1/sandboxes', { name }));

/** Seeded once: the tests of a file leave to each other what they need. */
export let made: Made;
export let other: Tenant;
export let receiving: ReturnType<typeof makeReceiving>;
/** The lines of the log. */
export const logged: string[] = [];

/** Starts what each file about sandboxes asks: a company that has one, and another company. */
export function openSandboxes(): void {
  receiving = makeReceiving({ worker: true, deliveries: true, logTo: { write: (line) => void logged.push(line) } });
  beforeAll(async () => {
    made = await makeSandbox(receiving.tenant);
    other = await makeTenant(receiving.app);
  });
}
