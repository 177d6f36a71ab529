import { expect, test } from '@jest/globals';
import { approveLoads, hauled, invoiceOf } from '../billing/books.ts';
import { makeStaffedTenant, plannedOrder, readyJob } from '../helpers/staffed-tenant.ts';
import { asOf, books, messagesOf, moment, ownOf } from './past.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
const RATES = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 2, driver_rate_type: 'RatePerTon' };

const ORDERED = `query ($companyId: ID, $orderId: ID, $filter: JobFilter, $first: Int, $after: String, $asOf: DateTime) {
  jobs(companyId: $companyId, orderId: $orderId, filter: $filter, first: $first, after: $after, asOf: $asOf) { nodes { id state createdAt } pageInfo { endCursor hasNextPage } } }`;

test('a list has the records that were there then, as they were', async () => {
  const at = await makeStaffedTenant(books.app, { timeZone: 'America/Chicago', currency: 'USD' });
  const { admin } = at;
  const job = await hauled(books, ['10', '12'], { at, order: { ...RATES, load_at: '2026-11-02T13:00:00Z', notes: 'First' } });
  const planned = await plannedOrder(at, { truck_count: 2, loads_per_truck: 2, load_at: '2026-11-03T13:00:00Z' });
  const loose = { order_id: job.order.id, ticket_number: 'L-1', quantity: '9', unit_of_measure: 'Ton' };
  const other = await at.must('POST', '/v1/tickets', loose);
  const receivable = await invoiceOf(books, job.id, 'receivable', admin as never);
  const lists = [
    ...['/orders', '/jobs', '/tickets', '/driver_days', '/settlements/receivables', '/invoices'],
    ...['/jobs', '/loads', '/tickets', '/invoices'].map((list) => `/orders/${job.order.id}${list}`),
    ...['/jobs', '/loads'].map((list) => `/orders/${planned.id}${list}`),
  ];
  const get = async (list: string, instant?: string) => {
    const { status, body } = await admin.http('GET', instant ? asOf(at.path(list), instant) : at.path(list));
    return status === 200 ? body.data.map(ownOf) : body;
  };
  const seen: { list: string; instant: string; found: Json[] }[] = [];
  const look = async () => {
    await books.app.settled();
    const then = await Promise.all(lists.map((list) => get(list)));
    const instant = await moment();
    for (const [i, list] of lists.entries()) seen.push({ list, instant, found: then[i] });
  };
  await look();
  // One truck less, and of the other one a load less: they are in no list any more.
  const [gone, left] = planned.jobs;
  const [load] = await at.must('GET', `/v1/jobs/${left.id}/loads`);
  await at.must('DELETE', `/v1/jobs/${gone.id}`);
  await at.must('DELETE', `/v1/loads/${load.id}`);
  await look();
  const [, ticket] = await at.must('GET', `/v1/orders/${job.order.id}/tickets`);
  await at.must('PATCH', `/v1/tickets/${ticket.id}`, { quantity: '11.5', notes: 'Weighed again' });
  await at.must('DELETE', `/v1/tickets/${other.id}`);
  await look();
  await at.must('PATCH', `/v1/orders/${job.order.id}`, { notes: 'Second', po_job_number: 'PO-7' });
  await at.dispatcher.must('PUT', `/v1/orders/${planned.id}/accept`, {});
  await plannedOrder(at);
  await look();
  await approveLoads({ ...admin, path: at.path } as never, job);
  await admin.must('PUT', at.path(`/invoices/${receivable.id}/approve`));
  const settlement = await admin.must('POST', at.path('/settlements'), { invoice_ids: [receivable.id] });
  await look();
  await admin.must('PUT', at.path(`/settlements/${settlement.id}/approve`));
  const was = await Promise.all(seen.map(({ list, instant }) => get(list, instant)));
  const differences = seen.flatMap(({ list, found: then }, i) => {
    if (!Array.isArray(was[i])) return [`${i} ${list} ${JSON.stringify(was[i])}`];
    return [...then.keys(), ...was[i].keys()].flatMap((n) =>
      Object.keys({ ...then[n], ...was[i][n] }).flatMap((name) =>
        JSON.stringify(then[n]?.[name]) === JSON.stringify(was[i][n]?.[name])
          ? []
          : [`${i} ${list} ${n} ${name}: ${then[n]?.[name]} -> ${was[i][n]?.[name]}`],
      ),
    );
  });
  expect([...new Set(differences)]).toEqual([]);
  // The lists were not the same all the time.
  expect(new Set(seen.map(({ list, found: then }) => `${list} ${JSON.stringify(then)}`)).size).toBeGreaterThan(lists.length + 12);
});

test('a list of the past is filtered by what was, paged, and exported', async () => {
  const at = await makeStaffedTenant(books.app);
  const { admin, company } = at;
  const order = await plannedOrder(at, { truck_count: 3, driver_id: at.driver.id });
  await at.dispatcher.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const ids = order.jobs.map(({ id }: Json) => id).sort();
  const [first, second, third] = order.jobs;
  const { state: begun } = await at.must('GET', `/v1/jobs/${first.id}`);
  const before = await moment();
  await at.dispatcher.must('PUT', `/v1/jobs/${first.id}/request`, {});
  await at.dispatcher.must('PUT', `/v1/jobs/${second.id}/request`, {});
  const requested = await moment();
  await at.must('DELETE', `/v1/jobs/${third.id}`);
  await plannedOrder(at);
  const states = async (instant: string | undefined, ...given: string[]): Promise<string[]> => {
    const path = at.path(`/jobs?${given.map((state) => `filter[states][]=${state}`).join('&')}`);
    const jobs = await admin.must('GET', instant ? `${path}&as_of=${encodeURIComponent(instant)}` : path);
    expect(jobs.every(({ state }: Json) => given.includes(state))).toBe(true);
    return jobs.map(({ id }: Json) => id).sort();
  };
  const { state } = await at.must('GET', `/v1/jobs/${first.id}`);
  expect([await states(undefined, state), await states(before, state)]).toEqual([[first.id, second.id].sort(), []]);
  expect(await states(before, begun)).toEqual(ids);
  expect(await states(requested, begun)).toEqual([third.id]);
  expect(await states(requested, state)).toEqual([first.id, second.id].sort());

  // Page by page, in both directions and interfaces, it is the same list.
  const whole: Json[] = await admin.must('GET', asOf(at.path('/jobs'), requested));
  expect(whole.map(({ id }) => id).sort()).toEqual(ids);
  const ask = async (variables: object): Promise<Json> => {
    const { body } = await books.app.graphql(ORDERED, { companyId: company.id, asOf: requested, ...variables }, admin);
    return body.data?.jobs ?? body;
  };
  const paged: string[] = [];
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Json = await ask({ first: 1, after });
    paged.push(...nodes.map(({ id }: Json) => id));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after);
  expect(paged).toEqual(whole.map(({ id }) => id));
  const { pageInfo } = await ask({ first: 1 });
  const elsewhere = await books.app.graphql(ORDERED, { companyId: company.id, first: 1, after: pageInfo.endCursor }, admin);
  expect(elsewhere.body.errors[0].extensions.code).toBe('bad_request');
  const csv = await books.app.http('GET', asOf(at.path('/jobs'), requested), { token: admin.token, headers: { accept: 'text/csv' } });
  expect(
    String(csv.body)
      .split('\r\n')
      .filter((line) => ids.some((id: string) => line.includes(id))).length,
  ).toBe(3);

  const refused = async (query: string, by = admin) => messagesOf(await by.http('GET', `${asOf(at.path('/jobs'), requested)}${query}`));
  expect(await refused('&sort[priority]=asc')).toEqual([
    422,
    'sort: is not possible with as_of: a list of the past is in the order in which its records were made',
  ]);
  expect(await refused('&search[datagrid]=x')).toEqual([422, 'search: is not possible with as_of: a list of the past is not searched']);
  expect(await refused(`&filter[vendor_account_ids][]=${at.account.id}`)).toEqual([
    422,
    "filter[vendor_account_ids]: asks other records, which have no past here: with as_of only the record's own fields are filtered",
  ]);
  expect(messagesOf(await admin.http('GET', asOf(at.path('/jobs'), '2099-01-01T00:00:00Z')))).toEqual([422, 'as_of: is not over yet']);
  expect(messagesOf(await admin.http('GET', `${asOf(at.path('/invoices'), before)}&filter[received]=true`))[0]).toBe(422);
  expect((await refused('', at.dispatcher as never))[0]).toBe(403);
  expect((await refused('', at.driver as never))[0]).toBe(403);
  const stranger = await makeStaffedTenant(books.app);
  expect((await stranger.admin.http('GET', asOf(`/v1/orders/${order.id}/jobs`, requested))).status).toBe(404);
  expect(await stranger.admin.must('GET', asOf(stranger.path('/jobs'), requested))).toEqual([]);
});

test('a list of the past is refused where the log does not know a record in it, or whether one is', async () => {
  const at = await makeStaffedTenant(books.app);
  const job = await readyJob(at, { notes: 'First' });
  const begun = await moment();
  await at.must('PATCH', `/v1/orders/${job.order.id}`, { job_notes: 'Mind the gate' });
  const list = (path: string) => at.admin.http('GET', asOf(at.path(path), begun));
  const unlogged = `as_of: cannot be answered: the audit log does not say what notes of ${job.id} was then`;
  expect(messagesOf(await list('/jobs'))).toEqual([422, unlogged]);
  expect((await list('/orders')).body.data[0].job_notes).toBeNull();
  // A value that is not known of a record that is not in the list does not matter.
  expect((await at.admin.http('GET', `${asOf(at.path('/jobs'), begun)}&filter[states][]=completed`)).body.data).toEqual([]);
  await books.app.orm.em.fork().execute("update orders set state = 'completed', updated_at = now() where id = ?", [job.order.id]);
  const whether = `as_of: cannot be answered: the audit log does not say what state of ${job.order.id} was then`;
  expect(messagesOf(await at.admin.http('GET', `${asOf(at.path('/orders'), begun)}&filter[states][]=completed`))).toEqual([422, whether]);
});
