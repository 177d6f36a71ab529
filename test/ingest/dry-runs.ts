import { expect } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import type { TestApp } from '../helpers/app.ts';
import type { Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Json = any;
export type Kind = 'orders' | 'projects' | 'tickets';

/** Returns the dry run's preview of elements. */
export async function preview(tenant: Tenant, kind: Kind, elements: unknown[]): Promise<Json[]> {
  const answer = await tenant.http('POST', `/ingest/${kind}?dry_run=true`, { [kind]: elements });
  expect([answer.status, Object.keys(answer.body.data)]).toEqual([200, ['records']]);
  return answer.body.data.records;
}

/** Sends elements for real and reads every record once it is settled. */
export async function send(app: TestApp, tenant: Tenant, kind: Kind, elements: unknown[], token?: string): Promise<Json[]> {
  const answer = await tenant.http('POST', `/ingest/${kind}`, { [kind]: elements }, token);
  expect(answer.status).toBe(202);
  await app.settled();
  return Promise.all(answer.body.data.records.map(({ id }: Json) => tenant.must('GET', `/v1/imported_records/${id}`)));
}

const TABLES = [
  ...['orders', 'job', 'load', 'waypoint', 'site', 'account', 'material', 'app_user', 'phase', 'contact', 'project', 'project_material'],
  ...['ticket', 'equipment', 'audit_entry', 'outbox_event', 'imported_record', 'import_task', 'import_batch', 'import_key'],
  ...['company_counter', 'transition'],
];

/** Returns the number and sums of rows of every table that an import may write, with the company's counters. */
export async function written(app: TestApp, tenant: Tenant): Promise<unknown> {
  const pool = await poolOf(app.orm.em.fork());
  const sums = TABLES.map(
    (table) => `(select count(*) || ':' || coalesce(sum(hashtext(t::text)::bigint), 0) from ${table} t where company_id = $1)`,
  );
  const { rows } = await pool.query({ text: `select array[${sums.join(', ')}] as sums`, values: [tenant.company.id] });
  return rows[0].sums;
}

/** Runs each batch dry before it is sent: the preview must be what happens, and must have written nothing. @returns the records */
export async function expectPreviewed(app: TestApp, tenant: Tenant, kind: Kind, batches: unknown[][]): Promise<Json[][]> {
  const settled: Json[][] = [];
  const outcome = (one: Json) => ({
    imported_for: one.imported_for,
    state: one.state,
    last_error: one.last_error,
    warnings: one.warnings,
  });
  for (const batch of batches) {
    const before = await written(app, tenant);
    const reported = await preview(tenant, kind, batch);
    expect(await written(app, tenant)).toEqual(before);
    const done = await send(app, tenant, kind, batch);
    expect(reported.map(outcome)).toEqual(done.map(outcome));
    for (const [i, { result_id, state, changes }] of reported.entries()) {
      if (result_id) expect(result_id).toBe(done[i].result_id);
      if (state === 'processed')
        for (const change of changes) if (change.event === 'create') await expectMade(app, tenant, change, done[i].result_id);
    }
    settled.push(done);
  }
  return settled;
}

/** Sends one element after a dry run that must agree. @returns its warnings */
export async function warningsOf(app: TestApp, tenant: Tenant, kind: Kind, element: object): Promise<Json[]> {
  const [[record]] = (await expectPreviewed(app, tenant, kind, [[element]])) as [[Json]];
  expect([record.state, record.last_error]).toEqual(['processed', null]);
  return record.warnings;
}

const TABLE_OF: Record<string, string> = {
  ...{ Order: 'orders', Project: 'project', Account: 'account', Material: 'material', Site: 'site', User: 'app_user' },
  EquipmentType: 'equipment_type',
};
const PARTS = `
  (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'site_id', site_id) order by ordinality), '[]') from waypoint where route_id = t.route_id)`;
const CONTACTS = ['sales', 'foreman', 'supervisor', 'collaborator'].map(
  (kind) =>
    `'${kind}_contact', (select jsonb_build_object('name', name, 'email', email, 'phone', phone) from contact where id = t.${kind}_contact_id)`,
);

/** Checks that every previewed field of a new record has its value in the real one. */
async function expectMade(app: TestApp, tenant: Tenant, { model, fields }: Json, resultId: string): Promise<void> {
  const pool = await poolOf(app.orm.em.fork());
  const reported = Object.fromEntries(fields.map(({ field, after }: Json) => [field, after]));
  const table = TABLE_OF[model];
  if (!table) return;
  if (model !== 'Order' && model !== 'Project') {
    const { lat, lon, ...rest } = reported;
    const held = { ...rest, ...(lat ? { lat: Number(lat), lon: Number(lon) } : {}) };
    expect(Object.keys(rest).length).toBeGreaterThan(3);
    const { rows } = await pool.query(`select id from ${table} t where company_id = $1 and to_jsonb(t) @> $2::jsonb`, [
      tenant.company.id,
      JSON.stringify(held),
    ]);
    expect([model, held, rows.length > 0]).toEqual([model, held, true]);
    return;
  }
  const owner = model === 'Order' ? 'order_id' : 'project_id';
  const { rows } = await pool.query(
    `select to_jsonb(t) || jsonb_build_object('waypoints', ${PARTS},
      ${CONTACTS},
      'dispatch_number', (select name from dispatch_number where id = t.dispatch_number_id),
      'phases', (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'code', code, 'primary', "primary") order by name), '[]') from phase where ${owner} = t.id),
      'materials', (select coalesce(jsonb_agg(jsonb_build_object('material_id', material_id, 'total_quantity', total_quantity,
        'unit_of_measure', unit_of_measure) order by id), '[]') from project_material where project_id = t.id)) as made
     from ${table} t where t.id = $1`,
    [resultId],
  );
  reported.phases.sort((a: Json, b: Json) => (a.name < b.name ? -1 : 1));
  for (const field of ['account_id', 'foreman_ids', 'waypoints']) expect(reported).toHaveProperty(field);
  for (const [field, value] of Object.entries(reported))
    expect([field, asMade(value, rows[0].made[field])]).toEqual([field, rows[0].made[field]]);
}

/** Returns a previewed value in the form of the stored one; the pointer of a new record is replaced by its id. */
function asMade(reported: Json, made: Json): Json {
  if (Array.isArray(reported) && Array.isArray(made)) return reported.map((item, i) => asMade(item, made[i]));
  if (reported && made && typeof reported === 'object')
    return Object.fromEntries(Object.entries(reported).map(([key, value]) => [key, asMade(value, made[key])]));
  if (typeof reported !== 'string' || typeof made === typeof reported) {
    if (typeof reported !== 'string') return reported;
    if (/^\/[a-z]+/.test(reported) && /^[0-9a-f-]{36}$/.test(made)) return made;
    return /^\d{4}-.*Z$/.test(reported) && Date.parse(reported) === Date.parse(made) ? made : reported;
  }
  return typeof made === 'number' ? Number(reported) : reported;
}
