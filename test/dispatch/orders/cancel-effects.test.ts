import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ worker: true, shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

const sql = (text: string, params: unknown[] = []) => app.orm.em.getConnection().execute<Json[]>(text, params);

/** Everything the last act wrote about an order, its jobs and loads, by friendly number: what subscribers, timelines and auditors see. */
async function traceOf(order: Json): Promise<Record<string, string[]>> {
  const subjects = `(select id, order_id || '' as name, 'Order' as type from orders where id = :order
    union all select id, job_id, 'Job' from job where order_id = :order union all select id, load_id, 'Load' from load where order_id = :order)`;
  const masked = (line: string) =>
    line.replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, 'a time').replaceAll(new RegExp(`(^| )${order.order_id}(?=[ -])`, 'g'), '$1#');
  const of = async (select: string, table: string) =>
    (
      await sql(
        `select s.name || ' ' || ${select} as line from ${table} t join ${subjects} s on s.id = t.subject_id and s.type = t.subject_type
         where t.created_at = (select max(created_at) from transition where subject_id = :order) order by t.id`.replaceAll(
          ':order',
          `'${order.id}'`,
        ),
      )
    ).map(({ line }) => masked(line));
  const authors = await sql(
    `select distinct created_by_type, created_by_name, request_id is not null as traced from audit_entry where subject_id in (select id from load where order_id = ?)`,
    [order.id],
  );
  const events = await sql(
    `select j.job_id || ' ' || coalesce(l.load_id, '-') || ' ' || e.event_name || ' ' || e.state || ' ' || e.event_source || ' ' || e.created_by_type || ' ' || e.created_by_name
       || ' ' || coalesce(e.payload::text, '-') || ' ' || (e.occurred_at = e.created_at) as line
     from job_event e join job j on j.id = e.job_id left join load l on l.id = e.load_id
     where j.order_id = ? and e.created_at = (select max(created_at) from transition where subject_id = ?) order by e.id`,
    [order.id, order.id],
  );
  const rows = await sql(
    `select load_id || ' ' || l.state || ' v' || l.version || ' ' || coalesce(paused_from, '-') || ' ' || (l.updated_at > l.created_at) as line
       from load l where order_id = :order
     union all select job_id || ' ' || state || ' v' || version || ' ' || (paused_at is null) from job where order_id = :order
     order by 1`.replaceAll(':order', `'${order.id}'`),
  );
  const lines = (all: Json[]) => all.map(({ line }) => masked(line));
  return {
    transitions: await of(`t.event || ' ' || t.from_state || '>' || t.to_state`, 'transition'),
    outbox: await of(`t.name || ' ' || t.payload::text`, 'outbox_event'),
    audits: (await of(`t.event || ' ' || t.object_changes::text`, 'audit_entry')).sort(),
    events: lines(events),
    rows: lines(rows),
    authors: authors.map((author) => JSON.stringify(author)),
  };
}

/** Three trucks of three loads: one drove a load, is driving the next and paused; one is on its way; one never left. */
async function busyOrder(more: object = {}): Promise<{ order: Json; jobs: Json[] }> {
  const order = await makeOrder(tenant, { truck_count: 3, loads_per_truck: 3, driver_id: tenant.driver.id, ...more });
  await tenant.must('PUT', `/v1/orders/${order.id}/accept`, {});
  const jobs: Json[] = (await tenant.must('GET', `/v1/orders/${order.id}/jobs`)).sort((a: Json, b: Json) =>
    a.job_id.localeCompare(b.job_id),
  );
  const drive = (job: Json, ...events: string[]) =>
    events.reduce<Promise<unknown>>(
      (before, event) => before.then(() => tenant.must('PUT', `/v1/jobs/${job.id}/${event}`, {})),
      Promise.resolve(),
    );
  await drive(jobs[0], 'enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load', 'enroute', 'pause');
  await drive(jobs[1], 'enroute', 'arrive');
  return { order, jobs };
}

test('canceling an order leaves the same trace for every job and load', async () => {
  const { order } = await busyOrder();
  await tenant.must('PUT', `/v1/orders/${order.id}/cancel`, {});
  expect(await traceOf(order)).toMatchSnapshot();
});

test('completing an order leaves the same trace for jobs that never left', async () => {
  const { order, jobs } = await busyOrder();
  await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/resume`, {});
  await tenant.must('PUT', `/v1/jobs/${jobs[0].id}/complete`, {});
  await tenant.must('PUT', `/v1/jobs/${jobs[1].id}/complete`, {});
  await tenant.must('PUT', `/v1/orders/${order.id}/complete`, {});
  expect(await traceOf(order)).toMatchSnapshot();
});

test.each([
  ['S-1', 'on the road'],
  ['S-2', 'on hold'],
])('an order %s, %s, canceled by its sender leaves the trace of one canceled by a person', async (external_id, place) => {
  const [person, sender] = [await busyOrder(), await busyOrder({ external_id })];
  if (place === 'on hold') for (const { order } of [person, sender]) await tenant.must('PUT', `/v1/orders/${order.id}/hold`, {});
  await tenant.must('PUT', `/v1/orders/${person.order.id}/cancel`, {});
  const payload = {
    external_id,
    load_at: '2026-11-23T06:00:00',
    customer: { external_id: 'C-1', name: 'Customer' },
    state: 'canceled',
  };
  await tenant.must('POST', '/ingest/orders', { orders: [payload] });
  await app.settled();
  const [byPerson, bySender] = [await traceOf(person.order), await traceOf(sender.order)];
  // Only the event of the importer is nobody's click.
  expect(bySender.events).toEqual(byPerson.events!.map((line) => line.replace(' web ', ' automation ')));
  for (const part of ['transitions', 'outbox', 'audits', 'rows']) expect([part, bySender[part]]).toEqual([part, byPerson[part]]);
});
