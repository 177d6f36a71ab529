import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { makeTenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { AccountingScene } from './accounting-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const at = new AccountingScene();
beforeAll(() => at.start());
afterAll(() => at.stop());

const PATH = '/v1/integrations/linked_accounts';
const fieldsOf = (answer: { status: number; body: Json }) => [
  answer.status,
  answer.body.error?.errors?.map(({ field }: { field: string }) => field),
];
const secrets = () => at.sql('select sealed from accounting_secret');

test('a system is set up on a page of ours, linked, read and unlinked; its credentials are in no answer, log or row', async () => {
  const held: (() => void)[] = [];
  let holds = true;
  const customers = { data: [{ id: 'C-1', name: 'Bridge Builders', addresses: [{ city: 'Austin', postal_code: 78701 }] }] };
  const system = await at.system({
    customers: () => (res) => {
      const answer = () => res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(customers));
      if (holds) held.push(answer);
      else answer();
    },
  });
  const made = await at.tenant.http('POST', '/v1/integrations/link_tokens', {});
  const { link_token: token, setup_url } = made.body.data;
  expect([made.status, setup_url.endsWith(`/accounting/setup/${token}`)]).toEqual([201, true]);
  const page = await at.app.http('GET', `/accounting/setup/${token}`, { headers: { accept: 'text/html', 'accept-language': 'es-us' } });
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const body = { system: 'http', name: ' Books ', server: `${system.url}/`, token: 'secret-of-books' };
  const set = await at.app.http('POST', `/accounting/setup/${token}`, { body, headers: { accept: 'application/json' } });
  expect(set.status).toBe(200);
  // The link is used up; nothing was called yet.
  expect((await at.app.http('GET', `/accounting/setup/${token}`)).status).toBe(404);
  expect(system.asked).toEqual([]);
  const linked = await at.tenant.http('POST', PATH, set.body);
  expect(linked.status).toBe(201);
  expect(linked.body.data).toEqual({
    ...{ id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String), status: 'pending' },
    ...{ synchronized_at: null, last_error: null },
    integration_source_system: {
      slug: 'http',
      name: 'Books',
      theme: { square_image: expect.stringMatching(/\/accounting\/systems\/http\.svg$/) },
    },
  });
  const { id, integration_source_system: shown } = linked.body.data;
  expect((await fetch(at.app.url + new URL(shown.theme.square_image).pathname)).headers.get('content-type')).toContain('image/svg+xml');
  await until(async () => held.length > 0);
  holds = false;
  for (const answer of held) answer();
  await at.app.settled();
  expect(await at.account(id)).toMatchObject({ status: 'linked', synchronized_at: expect.any(String), last_error: null });
  expect(system.asked.map(({ path }) => path)).toEqual(['/customers', '/vendors', '/items', '/ledger_accounts']);
  expect(new Set(system.asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret-of-books']));
  const [customer] = await at.list(id, 'customers');
  expect(customer).toEqual({
    ...{ id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String), external_key: 'C-1' },
    data: {
      ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Bridge Builders', status: 'Active' },
      addresses: [{ street_1: null, street_2: null, city: 'Austin', state: null, country: null, postal_code: '78701' }],
    },
  });
  // A public token is good once.
  expect(fieldsOf(await at.tenant.http('POST', PATH, set.body))).toEqual([422, ['public_token']]);
  expect((await secrets()).length).toBeGreaterThan(0);
  expect((await at.tenant.http('DELETE', `${PATH}/${id}`)).status).toBe(204);
  expect(await at.sql('select sealed from accounting_secret where linked_account_id = ?', [id])).toEqual([]);
  expect(await at.account(id)).toMatchObject({ status: 'unlinked' });
  expect((await at.tenant.http('PUT', `${PATH}/${id}/import`, {})).status).toBe(404);
  const rows = await at.sql(
    'select object_changes::text as row from audit_entry where company_id = ? union all select row_to_json(l)::text from linked_account l',
    [at.tenant.company.id],
  );
  expect(JSON.stringify(rows)).not.toContain('secret-of-books');
});

test('a system that is linked again is the same record, with its mappings and with what was set up last', async () => {
  const system = await at.system({ customers: [{ id: 'R-1', name: 'Again and Again' }] });
  const { id } = await at.linked(system);
  const account = await at.tenant.save(Account, { company: ref(at.tenant.company), name: 'Somebody else' });
  const [customer] = await at.list(id, 'customers');
  await at.tenant.must('PATCH', `/v1/integrations/customers/${customer!.id}`, { customer_account_id: account.id });
  await at.tenant.must('DELETE', `${PATH}/${id}`);
  expect((await at.list(id, 'customers'))[0]).toMatchObject({ customer_account: { id: account.id } });
  const again = await at.linked(system, { token: 'another-secret' });
  expect(again).toMatchObject({ id, status: 'linked' });
  expect(system.asked.at(-1)!.authorization).toBe('Bearer another-secret');
  expect(await at.list(id, 'customers')).toMatchObject([{ id: customer!.id, customer_account: { id: account.id } }]);
});

test('two links of one system at once are one record', async () => {
  const system = await at.system({});
  const body = { system: 'http', name: 'Twice', server: system.url };
  const tokens = [(await at.setUp(body)).body, (await at.setUp(body)).body];
  const answers = await Promise.all(tokens.map((token) => at.tenant.http('POST', PATH, token)));
  const made = answers.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThan(0);
  for (const { status, body: problem } of answers)
    if (status !== 201) expect(fieldsOf({ status, body: problem })).toEqual([422, ['public_token']]);
  expect(new Set(made.map(({ body: { data } }) => data.id)).size).toBe(1);
  await at.app.settled();
});

test('systems of files have the lists that were given with them, and nothing is called', async () => {
  const lists = {
    vendors: [{ id: 7, name: 'Gravel & Sons', status: 'odd', address: { street_1: 'Main 1' } }, { id: 8 }, 'no record'],
    items: [{ id: 'I', name: 'Wash', unit_price: 25.5, unit_cost: '1e99', status: 'archived' }],
    ledger_accounts: [
      { id: 'L1', name: 'Receivables', type: 'AccountsReceivable' },
      { id: 'L2', name: 'Fuel', type: 'Expense' },
    ],
  };
  const { id } = await at.link({ system: 'file', name: 'Papers', lists });
  await at.app.settled();
  expect(await at.account(id)).toMatchObject({ status: 'linked' });
  expect((await at.list(id, 'vendors')).map(({ data }) => data)).toEqual([
    {
      ...{ id: '7', name: 'Gravel & Sons', alternate_name: null, status: 'Inactive' },
      address: { street_1: 'Main 1', street_2: null, city: null, state: null, country: null, postal_code: null },
    },
  ]);
  expect((await at.list(id, 'items'))[0].data).toMatchObject({ unit_price: '25.5', unit_cost: null, status: 'Archived' });
  // The one who links systems need not see prices.
  const { token: admin } = await at.tenant.person({ roles: ['it_admin'] });
  const [shown] = await at.tenant.must('GET', `${PATH}/${id}/items`, undefined, admin);
  expect(shown.data).toMatchObject({ name: 'Wash', unit_price: null, unit_cost: null });
  const ledger = await at.list(id, 'ledger_accounts');
  expect(ledger).toMatchObject([{ data: { id: 'L1', type: 'AccountsReceivable' }, type: null }]);
  const used = await at.tenant.must('PATCH', `/v1/integrations/ledger_accounts/${ledger[0].id}`, { type: 'AccountsReceivable' });
  expect(used.type).toBe('AccountsReceivable');
  // Typed into the form by a person.
  const { link_token } = await at.tenant.must('POST', '/v1/integrations/link_tokens', {});
  const form = (fields: Record<string, string>) =>
    fetch(`${at.app.url}/accounting/setup/${link_token}`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams(fields),
    });
  const wrong = await form({ system: 'file', name: '', lists: '[1' });
  expect([wrong.status, (await wrong.text()).match(/role="alert"/g)?.length]).toEqual([422, 2]);
  const right = await form({ system: 'file', name: 'papers', lists: JSON.stringify({ vendors: [] }) });
  const publicToken = /<code>([\w-]{43})</.exec(await right.text())![1];
  expect((await at.tenant.must('POST', PATH, { public_token: publicToken })).id).toBe(id);
  await at.app.settled();
  expect((await at.list(id, 'vendors'))[0].data.status).toBe('Archived');
});

test('only with the permission and in the own company; addresses of private networks are not taken', async () => {
  const dispatcher = await at.tenant.person({ roles: ['dispatcher'] });
  const other = await makeTenant(at.app);
  const { id } = await at.link({ system: 'file', name: 'Walled' });
  for (const [method, path] of [
    ['POST', '/v1/integrations/link_tokens'],
    ['GET', PATH],
    ['GET', `${PATH}/${id}/customers`],
    ['PUT', `${PATH}/${id}/import`],
  ] as const) {
    const body = method === 'GET' ? undefined : {};
    expect((await at.tenant.http(method, path, body, dispatcher.token)).status).toBe(403);
    if (path.includes(id)) expect((await other.http(method, path, body)).status).toBe(404);
  }
  const { public_token } = (await at.setUp({ system: 'file', name: 'Mine' })).body;
  expect(fieldsOf(await other.http('POST', PATH, { public_token }))).toEqual([422, ['public_token']]);
  expect(await other.must('GET', PATH)).toEqual([]);
  const problems = async (body: object) => (await at.setUp(body)).body.problems;
  const http = { system: 'http', name: 'Books' };
  expect(await problems({ ...http, server: 'https://user:word@books.example' })).toEqual(['accounting_page_no_address']);
  expect(await problems({ system: 'abacus' })).toEqual(['accounting_page_no_system', 'accounting_page_no_name']);
  at.patience(10_000, false);
  expect(await problems({ ...http, server: 'http://books.example' })).toEqual(['accounting_page_no_address']);
  const { id: inside } = await at.link({ ...http, server: 'https://127.0.0.1:9' });
  await at.app.settled();
  expect(await at.account(inside)).toMatchObject({ status: 'pending', last_error: expect.stringMatching(/private|cannot be reached/) });
  await at.tenant.must('DELETE', `${PATH}/${inside}`);
  at.patience(10_000);
});
