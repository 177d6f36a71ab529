import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { AddOn } from '../../../src/billing/add-ons/add-on.entity.ts';
import { LINE_ITEM_TYPES } from '../../../src/billing/line-items/line-item-type.entity.ts';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Service } from '../../../src/directory/master-data/named.entities.ts';
import { AccountingScene, type Lists } from './accounting-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const at = new AccountingScene();
beforeAll(() => at.start());
afterAll(() => at.stop());

const PATH = '/v1/integrations/linked_accounts';
const saved = async (fields: object) => (await at.tenant.save(Account, { company: ref(at.tenant.company), ...fields } as never)).id;
const byKey = (list: Json[], field: string) => Object.fromEntries(list.map((one) => [one.external_key, one[field]?.id ?? null]));
const problems = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.errors.map(({ model, field, message }: Json) => [model, field, message]),
];

test('customers and vendors are found by accounting id, external id and folded name, and never two by one', async () => {
  const byId = await saved({ name: 'Anything', accountingId: 'A-1' });
  const byExternal = await saved({ name: 'Whatever', externalId: 'E-1' });
  const byName = await saved({ name: 'ÉCLAIR Paving ' });
  const vendor = await saved({ name: 'Eclair Trucking', accountTypes: ['vendor'] });
  await saved({ name: 'Twice there' });
  await saved({ name: 'Twice here' });
  await saved({ name: 'Twice here' });
  await saved({ name: 'Gone', discardedAt: new Date() });
  await saved({ name: 'Old' });
  const customers = [
    { id: 'A-1', name: 'Éclair paving' },
    { id: 'B', external_id: 'E-1', name: 'Unlike' },
    { id: 'C', name: ' éclair PAVING' },
    { id: 'D', name: 'Twice there' },
    { id: 'E', name: 'twice THERE' },
    { id: 'F', name: 'Twice here' },
    { id: 'G', name: 'Gone' },
    // A vendor is no customer, and what is archived is nobody.
    { id: 'H', name: 'Eclair Trucking' },
    { id: 'I', name: 'Old', status: 'Archived' },
  ];
  const system = await at.system({ customers, vendors: [{ id: 'H', name: 'eclair trucking' }] });
  const { id } = await at.linked(system);
  expect(byKey(await at.list(id, 'customers'), 'customer_account')).toEqual({
    ...{ 'A-1': byId, B: byExternal, C: byName },
    ...{ D: null, E: null, F: null, G: null, H: null, I: null },
  });
  expect(byKey(await at.list(id, 'vendors'), 'vendor_account')).toEqual({ H: vendor });
});

test('a person decides what a record is; imports leave that, and two records are never one of ours', async () => {
  const lists: Lists = {
    customers: [
      { id: '1', name: 'By hand' },
      { id: '2', name: 'Rival' },
    ],
    vendors: [{ id: '1', name: 'By hand' }],
  };
  const ours = await saved({ name: 'By hand' });
  const other = await saved({ name: 'Other ours' });
  const vendor = await saved({ name: 'Only a vendor', accountTypes: ['vendor'] });
  const { id } = await at.linked(await at.system(lists));
  const [one, two] = await at.list(id, 'customers');
  const patch = (record: Json, customer_account_id: unknown) =>
    at.tenant.http('PATCH', `/v1/integrations/customers/${record.id}`, { customer_account_id });
  expect(one.customer_account.id).toBe(ours);
  expect(problems(await patch(two, ours))).toEqual([
    422,
    [['LinkedCustomer', 'customer_account_id', 'is already another record of this accounting system']],
  ]);
  expect(problems(await patch(two, vendor))[0]).toBe(422);
  expect(problems(await patch(two, at.tenant.company.id))[0]).toBe(422);
  const offered = async (search = 'ours') =>
    (await at.tenant.must('GET', `${PATH}/${id}/customers/accounts/typeahead?search[query]=${search}`)).map((found: Json) => found.id);
  expect([await offered(), await offered('hand')]).toEqual([[other], []]);
  expect((await patch(two, other)).body.data.customer_account.id).toBe(other);
  expect(await offered()).toEqual([]);
  // A link that a person took back is not found by its name again.
  const cleared = await patch(one, null);
  expect([cleared.status, 'customer_account' in cleared.body.data]).toEqual([200, false]);
  lists.customers = [
    { id: '1', name: 'By hand' },
    { id: '2', name: 'Renamed' },
  ];
  await at.imported(id);
  const after = await at.list(id, 'customers');
  expect(byKey(after, 'customer_account')).toEqual({ 1: null, 2: other });
  expect(after.map(({ data }) => data.name)).toEqual(['By hand', 'Renamed']);
  // Two at once for the same account: one of them.
  const free = await saved({ name: 'Free' });
  const answers = await Promise.all([patch(one, free), patch(two, free)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  // A vendor account is offered to vendors.
  const [found] = await at.tenant.must('GET', `${PATH}/${id}/vendors/accounts/typeahead?search[query]=only a vendor`);
  expect(found).toMatchObject({ id: vendor, name: 'Only a vendor' });
});

test('an item is an add-on, a service or a type of line item', async () => {
  const company = ref(at.tenant.company);
  const wash = await at.tenant.save(AddOn, { company, name: 'Wash out', addOnTypes: ['job'], quantity: '1', accountingId: 'W' } as never);
  const demurrage = await at.tenant.save(AddOn, { company, name: 'Demurrage', addOnTypes: ['job'], quantity: '1' } as never);
  const service = await at.tenant.save(Service, { company, name: 'Night haul' });
  const items = [
    { id: 'W', name: 'Truck wash' },
    { id: 'N', name: 'night HAUL' },
    { id: 'F', name: 'Freight' },
  ];
  const { id } = await at.linked(await at.system({ items }));
  const list = await at.list(id, 'items');
  expect(Object.fromEntries(list.map((one) => [one.external_key, one.integration_itemizable]))).toEqual({
    W: { type: 'AddOn', id: wash.id, name: 'Wash out' },
    N: { type: 'Service', id: service.id, name: 'Night haul' },
    F: undefined,
  });
  const freight = list.find((one) => one.external_key === 'F');
  const patch = (body: object) => at.tenant.http('PATCH', `/v1/integrations/items/${freight.id}`, body);
  const is = (type: string | null, of: string | null) => ({ integration_itemizable_type: type, integration_itemizable_id: of });
  for (const wrong of [is('AddOn', service.id), is('LineItemType', wash.id), is('AddOn', null), is('AddOn', wash.id)])
    expect(problems(await patch(wrong))[0]).toBe(422);
  const type = LINE_ITEM_TYPES.FreightRateLineItem;
  expect((await patch(is('LineItemType', type))).body.data.integration_itemizable).toEqual({
    ...{ type: 'LineItemType', id: type, name: 'FreightRateLineItem' },
  });
  expect('integration_itemizable' in (await patch(is(null, null))).body.data).toBe(false);
  const names = async (kind: string) =>
    (await at.tenant.must('GET', `${PATH}/${id}/items/${kind}/typeahead?page[limit]=100`)).map(({ name }: Json) => name);
  const [addOns, services] = [await names('add_ons'), await names('services')];
  expect([addOns.includes('Wash out'), addOns.includes(demurrage.name), services.includes('Night haul')]).toEqual([false, true, false]);
});

test('whatever a system does, its account says so; what was stored stays, and the next import is whole', async () => {
  const page = (id: string, next?: string) => ({ data: [{ id, name: `Customer ${id}` }], next });
  let second: Json = { status: 503 };
  const lists: Lists = { customers: ({ query }) => (query.get('cursor') ? second : page('1', 'p2')) };
  const system = await at.system(lists);
  const account = await at.linked(system);
  const { id } = account;
  expect(account).toMatchObject({ status: 'pending', last_error: 'the provider answers 503', synchronized_at: null });
  expect(await at.list(id, 'customers')).toHaveLength(1);
  for (const [answer, reason] of [
    ['<html>', /no JSON/],
    [{ data: 'none' }, /no list of customers/],
    // It repeats itself for ever.
    [page('2', 'p2'), /does not come to an end/],
    ['x'.repeat((4 << 20) + 1), /cannot be reached/],
    // Wherever else it leads, nobody follows with the token.
    [(res: Json) => res.writeHead(302, { Location: 'http://127.0.0.1:9/' }).end(), /answers 302/],
  ] as const) {
    second = answer;
    await at.imported(id);
    expect(await at.account(id)).toMatchObject({ status: 'pending', last_error: expect.stringMatching(reason) });
  }
  second = () => {};
  at.patience(200);
  expect(await at.imported(id)).toMatchObject({ status: 'pending', last_error: 'the provider does not answer in time' });
  at.patience(10_000);
  // The same record on two pages, and twice on one.
  second = { data: [...page('1').data, ...page('2').data, { id: '2', name: 'The later one' }] };
  const [first] = await at.list(id, 'customers');
  expect(await at.tryAgain(id)).toMatchObject({ status: 'linked', last_error: null });
  expect((await at.list(id, 'customers')).map(({ data }) => data.name)).toEqual(['Customer 1', 'The later one']);
  expect((await at.list(id, 'customers'))[0].id).toBe(first.id);
  // A record that is no longer there is archived.
  second = { data: [] };
  await at.imported(id);
  expect((await at.list(id, 'customers')).map(({ data }) => data.status)).toEqual(['Active', 'Archived']);
  // A linked account that cannot be read stays linked; one that is refused does not.
  second = { status: 500 };
  expect(await at.imported(id)).toMatchObject({ status: 'linked', last_error: 'the provider answers 500' });
  await at.sql('update linked_account set attempts = 5 where id = ?', [id]);
  expect(await at.tryAgain(id)).toMatchObject({ status: 'linked' });
  expect(await at.sql('select next_import_at from linked_account where id = ?', [id])).toEqual([{ next_import_at: null }]);
  second = { status: 401 };
  expect(await at.imported(id)).toMatchObject({ status: 'invalid', last_error: expect.stringContaining('refuses the credentials') });
  expect(JSON.stringify(await at.account(id))).not.toContain('secret-of-books');
  second = { data: [] };
  expect(await at.imported(id)).toMatchObject({ status: 'linked', last_error: null });
});

test('the import of a process that died is done by another, and changes nothing that is known', async () => {
  const system = await at.system({ customers: [{ id: '1', name: 'Kept' }] });
  const { id } = await at.linked(system);
  const before = await at.list(id, 'customers');
  // Its lease has ended; an import of an older state may not store anything.
  await at.sql("update linked_account set next_import_at = now() - interval '1 second', attempts = 1 where id = ?", [id]);
  await at.app.settled();
  expect(system.asked.filter(({ path }) => path === '/customers')).toHaveLength(2);
  expect(await at.list(id, 'customers')).toEqual(before);
  expect(await at.account(id)).toMatchObject({ status: 'linked' });
});
