import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { INVARIANTS } from '../../../src/reporting/invariants/invariants.ts';
import { INVARIANTS_OF_EVENTS } from '../../../src/reporting/invariants/invariants-of-events.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

/** Orders that were made, accepted and changed, of all of which the only subscription was informed. */
const MANY = 3_000;

interface Node {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

/** Counts rows that a plan made, or looked at and left. */
const work = (node: Node): number =>
  node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) +
  (node.Plans ?? []).reduce((sum, plan) => sum + work(plan), 0);

let app: TestApp;
let tenant: Tenant;
const sql = <R = object>(text: string, values: unknown[] = []): Promise<R[]> => app.orm.em.getConnection().execute<R[]>(text, values);
const NOTED_BY = `'User', 'Dispatcher', 'r'`;

beforeAll(async () => {
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
  const { id: companyId } = tenant.company;
  const { id } = await tenant.must('POST', '/v1/webhook_subscriptions', {
    url: 'https://93.184.216.34/all',
    triggers: ['Order::create', 'Order::update', 'Order::state_change'],
  });
  // Its feed begins with its first reader.
  await tenant.must('GET', tenant.path('/changes?after=0'));
  await sql(`update webhook_subscription set created_at = now() - interval '2 hours'`);
  await sql(`create table happened as select gen_random_uuid() as id, date_trunc('milliseconds', now() - n * interval '1 second') as at
    from generate_series(1, ${MANY}) n`);
  for (const [kind, later, place] of [
    ['create', 0, 1_000_000],
    ['state_change', 1, 2_000_000],
    ['update', 2, 3_000_000],
  ] as const)
    await sql(
      `insert into change_entry (company_id, position, owner_company_id, subject_type, subject_id, kind, changed_at)
      select ?, ? + row_number() over (), ?, 'Order', id, ?, at + ? * interval '1 millisecond' from happened`,
      [companyId, place, companyId, kind, later],
    );
  await sql(
    `insert into transition (id, company_id, created_at, subject_type, subject_id, event, from_state, to_state, created_by_type, created_by_name, request_id)
    select uuidv7(), ?, at + interval '1 millisecond', 'Order', id, 'accept', 'created', 'accepted', ${NOTED_BY} from happened`,
    [companyId],
  );
  await sql(
    `insert into audit_entry (id, company_id, created_at, subject_type, subject_id, event, object_changes, created_by_type, created_by_name, request_id)
    select uuidv7(), ?, at + interval '2 milliseconds', 'Order', id, 'update', '{"notes": [null, "a"]}', ${NOTED_BY} from happened`,
    [companyId],
  );
  for (const [name, payload, later] of [
    ['order.created', '{}', 0],
    ['order.accepted', '{"state_event": "accept"}', 1],
  ])
    await sql(
      `insert into outbox_event (id, company_id, created_at, name, subject_type, subject_id, payload, created_by_type, created_by_name, request_id)
      select uuidv7(), ?, at + ? * interval '1 millisecond', ?, 'Order', id, ?, ${NOTED_BY} from happened`,
      [companyId, later, name, payload],
    );
  for (const [trigger, change, later] of [
    ['Order::create', null, 0],
    ['Order::state_change', '{"state": "accepted"}', 1],
    ['Order::update', null, 2],
  ])
    await sql(
      `insert into webhook_delivery (id, company_id, subscription_id, event_id, event_time, trigger, source_company_id, subject_id, sequence, change, state, due_at, delivered_at)
      select uuidv7(), ?, ?, gen_random_uuid(), at + ? * interval '1 millisecond', ?, ?, id, ? + 1, ?::json, 'delivered', null, now() from happened`,
      [companyId, id, later, trigger, companyId, later, change],
    );
});
afterAll(() => app.close());

test.each(INVARIANTS_OF_EVENTS.map(({ name }) => name))('%s: what is compared is not compared with each', async (name) => {
  const { sql: text, reads } = INVARIANTS.find((one) => one.name === name)!;
  expect(reads).toBeUndefined();
  const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Node }] }>(`explain (analyze, format json) ${text}`);
  expect(work(row!['QUERY PLAN'][0].Plan)).toBeLessThan(MANY * 300);
});

test.each([
  ['changes_of_state_are_sent', 'Order::state_change'],
  ['changes_are_sent', 'Order::create'],
  ['changes_are_sent', 'Order::update'],
])('%s: among thousands the one %s is found that was not sent', async (name, trigger) => {
  const { sql: text } = INVARIANTS.find((one) => one.name === name)!;
  expect(await sql(text)).toEqual([]);
  const [lost] = await sql<{ subject_id: string }>(
    `update webhook_delivery set trigger = 'Order::delete' where id = (select id from webhook_delivery where trigger = ? limit 1) returning subject_id`,
    [trigger],
  );
  const found = await sql(text);
  await sql(`update webhook_delivery set trigger = ? where trigger = 'Order::delete'`, [trigger]);
  expect(found).toEqual([expect.objectContaining({ company_id: tenant.company.id })]);
  expect(JSON.stringify(found)).toContain(lost!.subject_id);
});
