import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { archiveOld } from '../../src/archives/archive-old.ts';
import { KEPT_FOR_EVER } from '../../src/platform/storage/archive-settings.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export let app: TestApp;
export let tenant: Tenant;
export let admin: string;

/** Starts what each file about archives asks: a database of its own, and a company for each test. */
export function openArchives(): void {
  beforeAll(async () => {
    app = await startTestApp({
      worker: true,
      webhooks: true,
      newDatabase: true,
      archives: { on: true, auditYears: 0, importYears: 0, eventDays: 90, deleteAfter: KEPT_FOR_EVER },
    });
    // A company that keeps everything: where all let a partition go within the year, rows wait for that, and leave with it.
    await makeTenant(app);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    tenant = await makeTenant(app);
    admin = (await tenant.person({ roles: ['company_admin'] })).token;
  });
}

export const sql = <R extends object = Json>(text: string, values: unknown[] = []) =>
  app.orm.em.fork().getConnection().execute<R[]>(text, values);
export const settings = async (of: Tenant, input: object) => {
  const { errors } = await of.gql('mutation($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { id } }', {
    input,
  });
  expect(errors).toBeUndefined();
};
/** Runs a round of the worker; errors are those that it reports. */
export async function archive(): Promise<Json[]> {
  const errors: Json[] = [];
  await archiveOld(app.productOrm.em.fork(), { info: () => {} }, (error) => errors.push(error));
  return errors;
}
/** The files of a company's table in the storage, with their lines. */
export function filesOf(table: string, companyId = tenant.company.id): { name: string; lines: Json[]; manifest: Json }[] {
  const folder = join(app.folder, 'files', 'archives', companyId, table);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .sort()
    .map((name) => ({
      name,
      lines: gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trimEnd()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
      manifest: JSON.parse(readFileSync(join(folder, name.replace('.ndjson.gz', '.manifest.json')), 'utf8')),
    }));
}
/** Makes everything that a company's audit log has as old as that. */
export async function age(of: Tenant, to: string) {
  await sql(`select keep_part('audit_entry', ?::timestamptz)`, [to]);
  await sql(`update audit_entry set created_at = ?::timestamptz where company_id = ? and created_at > now() - interval '1 day'`, [
    to,
    of.company.id,
  ]);
}
export const entries = async (of: Tenant, as: string): Promise<Json> =>
  (await of.http('GET', '/v1/audit_entries?page[limit]=100', undefined, as)).body;
export const order = (more: object = {}) => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00Z',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});
export async function send(element: object): Promise<Json> {
  const answer = await tenant.http('POST', '/ingest/orders', { orders: [element] });
  expect(answer.status).toBe(202);
  await app.settled();
  return { ...(await tenant.must('GET', `/v1/imported_records/${answer.body.data.records[0].id}`)), batch: answer.body.data.batch_id };
}
