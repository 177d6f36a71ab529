import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ownOf } from '../../audit/own-fields.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeStaffedTenant, type StaffedTenant } from '../../helpers/staffed-tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

let app: TestApp;
let at: StaffedTenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true, worker: true });
  at = await makeStaffedTenant(app);
});
afterAll(() => app.close());

async function send(kind: 'orders' | 'projects', element: object): Promise<string> {
  const { status, body } = await at.http('POST', `/ingest/${kind}`, { [kind]: [element] });
  expect(status).toBe(202);
  await app.settled();
  const record: Json = await at.must('GET', `/v1/imported_records/${body.data.records[0].id}`);
  expect([record.state, record.last_error]).toEqual(['processed', null]);
  return record.result_id;
}

/** The instant between what was done and what comes next, by the clock of the database. */
async function moment(): Promise<string> {
  await sleep(5);
  const [row] = await app.orm.em.fork().getConnection().execute<{ now: string }[]>('select clock_timestamp() as now');
  await sleep(5);
  return new Date(row!.now).toISOString();
}
const then = (path: string, instant: string) => at.admin.http('GET', `${path}?as_of=${encodeURIComponent(instant)}`);

/** The own fields of a record, and the ids of records that it names. */
const shown = (body: Json): Json => ({
  ...ownOf(body),
  named: ['account', 'service', 'material', 'equipment_type', 'dispatch_number', 'sales_contact'].map(
    (name) => body[name]?.id ?? body[name],
  ),
});

/** Does steps one after the other, and compares a record that is read as of each moment between them with what it was. */
async function replayed(path: string, ...steps: (() => Promise<unknown>)[]): Promise<void> {
  const seen: { instant: string; body: Json }[] = [];
  for (const step of [() => Promise.resolve(), ...steps]) {
    await step();
    const body = shown(await at.admin.must('GET', path));
    seen.push({ body, instant: await moment() });
  }
  for (const { instant, body } of seen) {
    const { status, body: was } = await then(path, instant);
    expect([instant, status, was.error]).toEqual([instant, 200, undefined]);
    expect(shown(was.data)).toEqual(body);
  }
}

const sites = [
  { waypoint: 'pickup', external_id: 'S-1', name: 'Pit', lat: 30, lon: -97 },
  { waypoint: 'drop_off', external_id: 'S-2', name: 'Road', lat: 30.1, lon: -97 },
];
const order = (external_id: string, more: object = {}) => ({
  external_id,
  load_at: '2026-12-01T07:00:00Z',
  customer: { external_id: 'C-1', name: 'Acme' },
  service: 'Hauling',
  material: { external_id: 'M-1', name: 'Clay' },
  equipment_type: { name: 'Tandem' },
  vendors: [{ external_id: 'V-1', name: 'Hauler' }],
  foremen: [{ email: 'ana@example.com', first_name: 'Ana', last_name: 'Lead' }],
  sales_contact: { name: 'Sal' },
  dispatch_number: 'D-7',
  phases: [{ name: 'Base', code: '1', primary: true }],
  quantity: 120.5,
  truck_count: 2,
  sites,
  ...more,
});
const project = (external_id: string, more: object = {}) => ({
  external_id,
  name: `Project ${external_id}`,
  customer: { external_id: 'C-1', name: 'Acme' },
  dispatch_number: 'D-7',
  foremen: [{ email: 'ana@example.com' }],
  sales_contact: { name: 'Sal' },
  phases: [{ name: 'Base' }],
  materials: [{ name: 'Clay', total_quantity: 5, unit_of_measure: 'Ton' }],
  sites,
  ...more,
});

test('an imported order is read as it was, whatever later payloads and people made of it', async () => {
  for (const element of [order('A-1'), { external_id: 'A-2', load_at: '2026-12-01T07:00:00Z', customer: { external_id: 'C-1' } }]) {
    const id = await send('orders', element);
    const path = `/v1/orders/${id}`;
    await replayed(
      path,
      () =>
        send('orders', {
          ...element,
          customer: { external_id: 'C-2', name: 'Other' },
          notes: 'Second',
          quantity: 130,
          unit_of_measure: 'Load',
        }),
      () => at.dispatcher.must('PATCH', path, { notes: 'By hand', po_job_number: 'PO-7', truck_delay: 5 }),
      () => at.dispatcher.must('PUT', at.path(`/orders/${id}/accept`), {}),
    );
    const [first] = (await then(at.path('/orders'), await moment())).body.data;
    expect(first.id).toBe(id);
  }
});

test('an imported project is read as it was, and so is the list of projects', async () => {
  const id = await send('projects', project('P-1'));
  const path = `/v1/projects/${id}`;
  const made = await moment();
  await replayed(
    path,
    () => send('projects', project('P-1', { notes: 'Second', order_quantity: 40, tax_freight: true })),
    () => at.dispatcher.must('PATCH', path, { notes: 'By hand' }),
    () => at.dispatcher.must('PUT', `${path}/deactivate`, {}),
  );
  const listed = await then(at.path('/projects'), made);
  expect(listed.body.data.map((one: Json) => [one.id, one.state, one.notes])).toEqual([[id, 'active', null]]);
});

test('where the log of an import does not say what a field was, the answer names it', async () => {
  const id = await send('orders', order('B-1', { sales_contact: undefined }));
  const before = await moment();
  await send('orders', order('B-1'));
  const after = await moment();
  const path = `/v1/orders/${id}`;
  const untold = 'as_of: cannot be answered: the audit log does not say what sales_contact_id was then';
  const errorsOf = async (instant: string): Promise<Json[]> => {
    const { status, body } = await then(path, instant);
    return [status, ...(body.error?.errors ?? []).map((one: Json) => `${one.field}: ${one.message}`)];
  };
  expect(await errorsOf(before)).toEqual([422, untold]);
  expect(await errorsOf(after)).toEqual([200]);
  // A value that imports never leave to a default was written past the log, and so was another default.
  const sql = (text: string) => app.orm.em.fork().getConnection().execute(text, [id]);
  await sql(`update orders set zone = 'Written by nobody' where id = ?`);
  expect(await errorsOf(after)).toEqual([422, untold.replace('sales_contact_id', 'zone')]);
  await sql('update orders set zone = null, trucks_per_delay = 3 where id = ?');
  expect(await errorsOf(after)).toEqual([422, untold.replace('sales_contact_id', 'trucks_per_delay')]);
});
