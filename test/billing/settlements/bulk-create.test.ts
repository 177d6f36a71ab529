import { beforeAll, expect, test } from '@jest/globals';
import { approveLoads, event, hauled, invoiceOf, makeBooks, messages } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });
/** An instant of the day of the work, and of the day before it and after it, at the company. */
let days: { before: string; day: string; after: string };
const jobs: Json[] = [];

/** Approves what a finished job comes to on each of its sides. @returns the invoices */
async function approveAll(job: Json, sides: string[]): Promise<Json[]> {
  await approveLoads(books.biller, job);
  await books.tenant.must('PUT', books.tenant.path(`/jobs/${job.id}/approve`), {});
  const made = [];
  for (const side of sides) {
    const { id } = await invoiceOf(books, job.id, side);
    const answer = await event(books.biller, id, 'approve');
    expect([side, answer.status, answer.body.error]).toEqual([side, 200, undefined]);
    made.push(answer.body.data);
  }
  return made;
}

beforeAll(async () => {
  const rates = { customer_rate_value: 10, customer_rate_type: 'RatePerLoad', driver_rate_value: 4, driver_rate_type: 'RatePerLoad' };
  for (let i = 0; i < 3; i++) jobs.push(await hauled(books, ['10'], { order: rates }));
  const made = await approveAll(jobs[0], ['receivable', 'payable']);
  // The second is approved on one side, the third on none.
  await approveAll(jobs[1], ['receivable']);
  const [{ day }]: Json[] = await books.app.orm.em.execute('select service_date::text as day from invoice where id = ?', [made[0].id]);
  // Noon at the company.
  const noon = Date.parse(`${day}T18:00:00Z`);
  const at = (days: number) => new Date(noon + days * 86_400_000).toISOString();
  days = { before: at(-1), day: at(0), after: at(1) };
});

const bulk = (body: object, by: Json = books.biller) => by.http('POST', books.tenant.path('/settlements/bulk_create'), body);

/** Creates settlements, waits for them, and returns the outcomes. */
async function done(body: object): Promise<{ action: Json; items: Json[] }> {
  const answer = await bulk(body);
  expect([answer.status, answer.body]).toEqual([202, {}]);
  const location = answer.headers.get('location')!;
  await books.app.settled();
  return { action: await books.biller.must('GET', location), items: await books.biller.must('GET', `${location}/items`) };
}
const settlements = async (side: string): Promise<Json[]> => books.biller.must('GET', books.tenant.path(`/settlements/${side}`));

test('a period is settled at once, with one settlement for each customer and driver; again, nothing is new', async () => {
  const { tenant } = books;
  const period = { start_date: days.day, end_date: days.day };
  expect(await done({ start_date: days.after, end_date: days.after })).toMatchObject({
    action: { kind: 'create_settlements', state: 'finished', total_count: 0 },
    items: [],
  });
  const config = { settlement_line_item_type: 'load', settlement_line_item_groupings: ['material'] };
  const { action, items } = await done({ ...period, settlement_config: config });
  expect(action).toMatchObject({ state: 'finished', total_count: 2, done_count: 2, failed_count: 0 });
  expect(items.map(({ job_id, state }) => [job_id, state])).toEqual([
    [null, 'done'],
    [null, 'done'],
  ]);
  const parties = items.flatMap(({ customer_account, vendor_account, driver }) => [customer_account, vendor_account, driver]);
  expect(parties.flatMap((party) => (party ? [party.id] : [])).sort()).toEqual([tenant.account.id, tenant.driver.id].sort());
  const [receivable, ...others] = await settlements('receivables');
  expect(others).toEqual([]);
  expect(receivable).toMatchObject({ total_amount: '20', state: 'pending', jobs_count: 2, ...config });
  expect((await settlements('payables')).map(({ total_amount, driver }) => [total_amount, driver.id])).toEqual([['4', tenant.driver.id]]);

  expect((await done(period)).action).toMatchObject({ state: 'finished', total_count: 0 });
  // A later approval is settled by the next one, and two at once settle it once.
  await approveAll(jobs[2], ['receivable', 'payable']);
  const of = { ...period, bulk_create_for: ['customers'], customer_account_ids: [tenant.account.id] };
  const both = await Promise.all([bulk(of), bulk(of)]);
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  await books.app.settled();
  for (const { headers } of both) expect((await books.biller.must('GET', headers.get('location')!)).failed_count).toBe(0);
  expect((await settlements('receivables')).map(({ total_amount }) => total_amount)).toEqual(['10', '20']);
  expect(await settlements('payables')).toHaveLength(1);
  // Dates are of the company's days.
  const wide = await done({ start_date: days.before, end_date: days.after, bulk_create_for: ['drivers'] });
  expect(wide.items.map(({ driver }) => driver?.id)).toEqual([tenant.driver.id]);
  expect((await settlements('payables')).map(({ total_amount }) => total_amount)).toEqual(['4', '4']);
});

test('what is wrong with a period is named, and nothing is settled', async () => {
  const { tenant, biller } = books;
  const period = { start_date: '2026-01-01T12:00:00Z', end_date: '2026-01-31T12:00:00Z' };
  const refused = async (body: object) => {
    const answer = await bulk(body);
    return [answer.status, answer.body.error?.errors.map(({ field }: Json) => field)];
  };
  expect(await refused({ ...period, start_date: '2026-02-01T12:00:00Z' })).toEqual([422, ['start_date']]);
  expect(await refused({ ...period, end_date: '2027-01-02T12:00:00Z' })).toEqual([422, ['end_date']]);
  expect((await bulk({ ...period, end_date: '2027-01-01T12:00:00Z' })).status).toBe(202);
  expect(await refused({ ...period, bulk_create_for: ['customers'], driver_ids: [tenant.driver.id] })).toEqual([422, ['driver_ids']]);
  expect(await refused({ ...period, bulk_create_for: [] })).toEqual([422, ['bulk_create_for']]);
  expect(await refused({ ...period, bulk_create_for: ['everybody'] })).toEqual([422, ['bulk_create_for.0']]);
  expect(await refused({ ...period, driver_ids: [tenant.account.id], customer_account_ids: [tenant.driver.id] })).toEqual([
    422,
    ['customer_account_ids.0', 'driver_ids.0'],
  ]);
  expect(await refused({ end_date: period.end_date })).toEqual([422, ['start_date']]);
  const answer = await bulk({ ...period, bulk_create_for: ['vendors'], driver_ids: [tenant.driver.id] });
  expect(messages(answer)).toEqual(['cannot be sent without drivers in bulk_create_for']);
  const dispatcher = await tenant.person({ roles: ['dispatcher'] });
  expect((await bulk(period, dispatcher)).status).toBe(403);
  const twin = await books.app.graphql(
    'mutation($input: BulkSettlementInput!) { bulkCreateSettlements(input: $input) { kind totalCount } }',
    { input: { startDate: period.start_date, endDate: period.end_date } },
    { token: biller.token },
  );
  expect(twin.body.data).toEqual({ bulkCreateSettlements: { kind: 'create_settlements', totalCount: 0 } });
});
