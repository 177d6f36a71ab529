import { afterAll, beforeAll, expect } from '@jest/globals';
import { accountingSettings } from '../../../src/billing/accounting/settings.ts';
import { until } from '../../helpers/until.ts';
import { type Asked, FakeProvider, type Reply } from '../../telematics/fake-provider.ts';
import { makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';
import { nextTry } from './next-try.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export const books = makeBooks({ worker: true });
export let system: FakeProvider;
let linked: string;
export let admin: string;
/** The documents that the system got, by key: a system with the same key answers as before. */
export const got = new Map<string, { id: string; document: Json }>();
/** Does something else with what is asked than taking it. */
export const disturbance: { of: (asked: Asked) => Reply | undefined } = { of: () => undefined };

beforeAll(async () => {
  const { app, tenant } = books;
  app.application.provide(accountingSettings, { privateHosts: true, timeout: 2_000 });
  system = await new FakeProvider().start();
  system.answer = (asked) => {
    if (asked.method === 'GET')
      return { data: asked.path.endsWith('/items') ? [{ id: 'I-1', name: 'Freight' }] : LISTS[asked.path.replace('/other', '')] };
    const disturbed = disturbance.of(asked);
    if (disturbed) return disturbed;
    return { id: taken(asked) };
  };
  admin = await tenant.administrator();
  linked = await link(system.url);
});

afterAll(() => system.stop());

/** Links the system that is at an address. */
export async function link(server: string): Promise<string> {
  const { link_token } = await books.tenant.must('POST', '/v1/integrations/link_tokens', {}, admin);
  const { body } = await books.app.http('POST', `/accounting/setup/${link_token}`, {
    body: { system: 'http', name: 'Books', server, token: 'secret-of-books' },
    headers: { accept: 'application/json' },
  });
  const made = await books.tenant.must('POST', '/v1/integrations/linked_accounts', { public_token: body.public_token }, admin);
  await books.app.settled();
  return made.id;
}

const LISTS: Record<string, object[]> = {
  '/customers': [{ id: 'C-1', name: 'Somebody else' }],
  '/vendors': [],
  '/ledger_accounts': [{ id: 'L-1', name: 'Receivables', type: 'AccountsReceivable' }],
};

export function taken({ body }: Asked): string {
  const document = JSON.parse(body);
  const key = `${document.id}:${document.revision}`;
  const known = got.get(key) ?? { id: `DOC-${got.size + 1}`, document };
  got.set(key, known);
  return known.id;
}
export const sentOf = (settlement: Json): Json[] =>
  [...got.values()].filter(({ document }) => document.id === settlement.id).map(({ document }) => document);

export const send = (settlement: Json, by: { token: string } = { token: admin }) =>
  books.app.http('POST', books.tenant.path(`/settlements/${settlement.id}/export`), { token: by.token });
export const read = ({ id }: Json): Promise<Json> => books.biller.must('GET', books.tenant.path(`/settlements/${id}`));
export const act = ({ id }: Json, event: string) => books.biller.http('PUT', books.tenant.path(`/settlements/${id}/${event}`), {});
export async function approvedSettlement(invoices?: Json[]): Promise<Json> {
  const order = { customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  const settlement = await settle(books, invoices ?? [await approvedInvoice(books, ['10'], { order })]);
  expect((await act(settlement, 'approve')).status).toBe(200);
  return settlement;
}
export const exportOf = async (settlement: Json, state: string): Promise<Json> => {
  let found: Json;
  await until(async () => {
    found = (await read(settlement)).integration_settlement_export;
    return found?.state === state;
  });
  return found;
};
/** Has what waits for its next try be tried now (`nextTry`). */
export const tryNow = () => nextTry(books.app);
export async function mapped<T>(work: () => Promise<T>): Promise<T> {
  const [customer] = await books.tenant.must('GET', `/v1/integrations/linked_accounts/${linked}/customers`, undefined, admin);
  const set = (id: string | null) =>
    books.tenant.must('PATCH', `/v1/integrations/customers/${customer.id}`, { customer_account_id: id }, admin);
  await set(books.tenant.account.id);
  try {
    return await work();
  } finally {
    await set(null);
  }
}
