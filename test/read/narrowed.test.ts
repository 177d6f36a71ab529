import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Contact } from '../../src/directory/contacts/contact.entity.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { act, jobOf, makeChain } from '../helpers/staffed-tenant.ts';
import { makeOrder, makeTenant, type Tenant } from '../helpers/tenant.ts';
import { untilWaiting } from '../helpers/until.ts';

/** More reads than it takes to learn what a company's records leave empty. */
const ENOUGH = 12;
const ENTIRE = 'id requester { id lastName } foremen { id lastName } equipment { id name } project { id name } department { id name }';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({});
});
afterAll(() => app.close());

/** A company whose orders were read until their empty relations are left out. */
async function learned(): Promise<{ tenant: Tenant; id: string }> {
  const tenant = await makeTenant(app);
  const { id } = await makeOrder(tenant);
  for (let i = 0; i < ENOUGH; i++) await tenant.must('GET', `/v1/orders/${id}`);
  return { tenant, id };
}

/** The statements of an order, or of another record, that a request sends. */
async function readsOf<T>(ask: () => Promise<T>, table = 'orders'): Promise<{ value: T; reads: string[] }> {
  const { value, statements } = await app.countStatements(ask);
  return { value, reads: statements.filter((text) => new RegExp(`from "${table}" t0 .*t0\\.id = \\$`, 's').test(text)) };
}

/** How many tables the first of some statements names. */
const tables = ([text]: string[]) => text!.match(/ from /g)!.length;

test('relations by which the orders of a company name nothing are left out of the statement, and the answer is the same', async () => {
  const tenant = await makeTenant(app);
  const { id } = await makeOrder(tenant);
  const first = await readsOf(() => tenant.must('GET', `/v1/orders/${id}`));
  for (let i = 0; i < ENOUGH; i++) await tenant.must('GET', `/v1/orders/${id}`);
  const later = await readsOf(() => tenant.must('GET', `/v1/orders/${id}`));
  expect([first.reads.length, later.reads.length]).toEqual([1, 1]);
  expect(later.value).toEqual(first.value);
  expect(tables(later.reads)).toBeLessThan(tables(first.reads) / 2);
  // What is used stays.
  expect(later.value.account.id).toBe(tenant.account.id);
});

test('an order that names what no other does is answered whole, at once and from then on', async () => {
  const { tenant, id } = await learned();
  const foreman = await tenant.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  const made = await readsOf(() =>
    makeOrder(tenant, { foreman_ids: [foreman.id], sales_contact: { name: 'Sal', email: 'sal@example.com' } }),
  );
  const read = () => readsOf(() => tenant.must('GET', `/v1/orders/${made.value.id}`));
  const answers = [made, await read(), await read(), await read()];
  for (const { value } of answers) {
    expect(value.foremen.map((one: { id: string }) => one.id)).toEqual([foreman.id]);
    expect(value.sales_contact.name).toBe('Sal');
  }
  // Read again with everything once; the company is known better after that.
  expect(answers.map(({ reads }) => reads.length)).toEqual([2, 1, 1, 1]);
  expect((await tenant.must('GET', `/v1/orders/${id}`)).foremen).toEqual([]);
});

test('what is named below a record that an order names is found as well', async () => {
  const { tenant, id } = await learned();
  const before = await tenant.must('GET', `/v1/orders/${id}`);
  expect(before.account.billing_contact).toBeNull();
  const contact = await tenant.save(Contact, { companyId: tenant.company.id, name: 'Bill', email: 'bill@example.com' });
  await app.orm.em.fork().execute('update account set billing_contact_id = ? where id = ?', [contact.id, tenant.account.id]);
  expect((await tenant.must('GET', `/v1/orders/${id}`)).account.billing_contact.name).toBe('Bill');
});

test('what a command has just set is in its answer', async () => {
  const { tenant, id } = await learned();
  for (let i = 0; i < ENOUGH; i++) await tenant.must('PATCH', `/v1/orders/${id}`, { notes: `Gate ${i}` });
  const foreman = await tenant.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  const answer = await tenant.must('PATCH', `/v1/orders/${id}`, { foreman_ids: [foreman.id] });
  expect(answer.foremen.map((one: { id: string }) => one.id)).toEqual([foreman.id]);
  const cleared = await tenant.must('PATCH', `/v1/orders/${id}`, { foreman_ids: [] });
  expect(cleared.foremen).toEqual([]);
});

test('companies do not share what they leave empty', async () => {
  const { tenant } = await learned();
  const other = await makeTenant(app);
  const foreman = await other.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  const order = await makeOrder(other, { foreman_ids: [foreman.id] });
  for (let i = 0; i < ENOUGH; i++) {
    const { value, reads } = await readsOf(() => other.must('GET', `/v1/orders/${order.id}`));
    expect(value.foremen).toHaveLength(1);
    expect(reads).toHaveLength(1);
  }
  expect((await tenant.http('GET', `/v1/orders/${order.id}`)).status).toBe(404);
});

test('a GraphQL document of a single record is narrowed as well', async () => {
  const { tenant, id } = await learned();
  const ask = async (of: string) => (await tenant.gql(`query($id: ID!) { order(id: $id) { ${ENTIRE} } }`, { id: of })).data.order;
  for (let i = 0; i < ENOUGH; i++) expect(await ask(id)).toMatchObject({ id, foremen: [], equipment: null, project: null });
  const foreman = await tenant.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  const other = await makeOrder(tenant, { foreman_ids: [foreman.id] });
  expect((await ask(other.id)).foremen).toEqual([{ id: foreman.id, lastName: 'Lead' }]);
});

test('a mistake that many requests make at once counts once', async () => {
  const { tenant } = await learned();
  const foreman = await tenant.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  const other = await makeOrder(tenant, { foreman_ids: [foreman.id] });
  const get = () => tenant.must('GET', `/v1/orders/${other.id}`);
  const holder = await (await poolOf(app.orm.em.fork())).connect();
  await holder.query('begin');
  await holder.query('lock table orders in access exclusive mode');
  const asking = readsOf(() => Promise.all(Array.from({ length: 10 }, get)));
  try {
    // All of these were sent before any is known to be a mistake.
    await untilWaiting(app, 3);
  } finally {
    await holder.query('commit');
    holder.release();
  }
  const { value, reads: first } = await asking;
  for (const { foremen } of value) expect(foremen).toMatchObject([{ id: foreman.id }]);
  for (let i = 0; i < 2 * ENOUGH; i++) await get();
  const { value: last, reads } = await readsOf(get);
  expect(last).toEqual(value[0]);
  expect(tables(reads)).toBeLessThan(Math.max(...first.map((text) => tables([text]))) / 2);
});

test('a company to which work was passed on reads the same of it, whatever is left out', async () => {
  const { owner, middle, hired } = await makeChain(app);
  const job = await jobOf(owner);
  await act(owner, job.id, 'assign_vendor', { vendor_id: hired.id });
  const get = () => readsOf(() => middle.dispatcher.must('GET', `/v1/jobs/${job.id}`), 'job');
  const foreman = await owner.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  for (const foreman_ids of [[], [foreman.id]]) {
    await owner.dispatcher.must('PATCH', `/v1/jobs/${job.id}`, { foreman_ids });
    const first = await get();
    for (let i = 0; i < 3 * ENOUGH; i++) expect((await get()).value).toEqual(first.value);
    const later = await get();
    expect(later.value).toEqual(first.value);
    expect(tables(later.reads)).toBeLessThan(tables(first.reads.toReversed()));
  }
});

/** Relations of orders and jobs by which records of a company name something; each company has habits of its own. */
const HABITS = [
  [],
  ['foreman_ids', 'salesperson_ids', 'sales_contact', 'foreman_contact'],
  ['supervisor_contact', 'collaborator_contact', 'collaborator_ids', 'sales_contact'],
  ['foreman_contact', 'supervisor_contact', 'foreman_ids', 'collaborator_ids'],
  ['salesperson_ids', 'collaborator_contact', 'foreman_contact', 'collaborator_ids'],
  ['sales_contact', 'foreman_ids', 'supervisor_contact', 'salesperson_ids'],
  ['collaborator_ids', 'salesperson_ids', 'foreman_ids', 'supervisor_contact'],
  ['sales_contact', 'foreman_contact', 'supervisor_contact', 'collaborator_contact'],
] as const;

/** A company whose orders and jobs name something by some relations, with the paths of an order and of a job. */
async function withHabits(habits: readonly string[]): Promise<{ tenant: Tenant; paths: string[] }> {
  const tenant = await makeTenant(app);
  const person = await tenant.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman', 'salesperson'] });
  const body = Object.fromEntries(
    habits.map((name) => [name, name.endsWith('_ids') ? [person.id] : { name: 'Sal', email: 'sal@example.com' }]),
  );
  const { id } = await makeOrder(tenant, { truck_count: 1, ...body });
  const [job] = await tenant.must('GET', `/v1/orders/${id}/jobs`);
  return { tenant, paths: [`/v1/orders/${id}`, `/v1/jobs/${job.id}`] };
}

test('a connection keeps the statements of companies with different habits, and has room for others', async () => {
  const companies = await Promise.all(HABITS.map(withHabits));
  const read = async () => {
    const reads: string[] = [];
    const answers: unknown[] = [];
    for (const { tenant, paths } of companies) {
      for (const [at, path] of paths.entries()) {
        const found = await readsOf(() => tenant.must('GET', path), ['orders', 'job'][at]);
        answers.push(found.value);
        reads.push(...found.reads);
      }
    }
    return { answers, reads };
  };
  const first = await read();
  for (let i = 0; i < 9; i++) await Promise.all(companies.flatMap(({ tenant, paths }) => paths.map((path) => tenant.must('GET', path))));
  const later = await read();
  expect(later.answers).toEqual(first.answers);
  // One statement for each read: nothing was left out that was there.
  expect(later.reads).toHaveLength(2 * companies.length);
  // All companies profit, also those that came when there was no room for another statement.
  const shorter = later.reads.filter((text, at) => tables([text]) < (2 * tables([first.reads[at]!])) / 3);
  expect(shorter.length).toBeGreaterThan(companies.length);
  const kept = [...new Set([...first.reads, ...later.reads])].reduce((sum, text) => sum + text.length, 0);
  expect(kept).toBeLessThan(100_000);
});
