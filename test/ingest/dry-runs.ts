import { expect } from '@jest/globals';
import { poolOf } from '../../src/platform/database/sql.ts';
import type { TestApp } from '../helpers/app.ts';
import type { Yard } from '../helpers/yard.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Json = any;
export type Kind = 'orders' | 'projects' | 'tickets';

/** What the dry run tells of elements. */
export async function preview(yard: Yard, kind: Kind, elements: unknown[]): Promise<Json[]> {
  const answer = await yard.http('POST', `/ingest/${kind}?dry_run=true`, { [kind]: elements });
  expect([answer.status, Object.keys(answer.body.data)]).toEqual([200, ['records']]);
  return answer.body.data.records;
}

/** Sends for real and reads every record once it is settled. */
export async function send(app: TestApp, yard: Yard, kind: Kind, elements: unknown[], token?: string): Promise<Json[]> {
  const answer = await yard.http('POST', `/ingest/${kind}`, { [kind]: elements }, token);
  expect(answer.status).toBe(202);
  await app.settled();
  return Promise.all(answer.body.data.records.map(({ id }: Json) => yard.must('GET', `/v1/imported_records/${id}`)));
}

const TABLES = [
  ...['orders', 'job', 'load', 'waypoint', 'site', 'account', 'material', 'app_user', 'phase', 'contact', 'project', 'project_material'],
  ...['ticket', 'equipment', 'audit_entry', 'outbox_event', 'imported_record', 'import_task', 'import_batch', 'import_key'],
  ...['company_counter', 'transition'],
];

/** Rows of every table that an import may write, counted and summed, with the company's counters. */
export async function written(app: TestApp, yard: Yard): Promise<unknown> {
  const pool = await poolOf(app.orm.em.fork());
  const sums = TABLES.map(
    (table) => `(select count(*) || ':' || coalesce(sum(hashtext(t::text)::bigint), 0) from ${table} t where company_id = $1)`,
  );
  const { rows } = await pool.query({ text: `select array[${sums.join(', ')}] as sums`, values: [yard.company.id] });
  return rows[0].sums;
}

/** Sends each batch after asking what would become of it: what was told must be what happens, and asking must have written nothing. @returns the records */
export async function expectTold(app: TestApp, yard: Yard, kind: Kind, batches: unknown[][]): Promise<Json[][]> {
  const settled: Json[][] = [];
  const outcome = (one: Json) => ({
    imported_for: one.imported_for,
    state: one.state,
    last_error: one.last_error,
    warnings: one.warnings,
  });
  for (const batch of batches) {
    const before = await written(app, yard);
    const told = await preview(yard, kind, batch);
    expect(await written(app, yard)).toEqual(before);
    const done = await send(app, yard, kind, batch);
    expect(told.map(outcome)).toEqual(done.map(outcome));
    for (const [i, { result_id }] of told.entries()) if (result_id) expect(result_id).toBe(done[i].result_id);
    settled.push(done);
  }
  return settled;
}
