import { afterAll, beforeAll } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { type Credentials, exchange as exchangeAt, tokenFor } from '../tokens/client-tokens.ts';

export let app: TestApp;
export let tenant: Tenant;
/** The token of an administrator, who may manage clients. */
export let admin: string;

/** Registers what each file about machine clients requires. */
export function openScene(): void {
  beforeAll(async () => {
    app = await startTestApp();
    tenant = await makeTenant(app);
    admin = (await tenant.person({ roles: ['company_admin'] })).token;
  });
  afterAll(() => app.close());
}

export const PATH = '/v1/m2m_clients';
export const make = (body: object = {}, token = admin) =>
  tenant.must('POST', PATH, { name: 'Batch sender', scopes: ['create_order', 'edit_order'], ...body }, token);

export const exchange = (client: Credentials, more = {}) => exchangeAt(app, client, more);
export const tokenOf = (client: Credentials, more = {}) => tokenFor(app, client, more);
export const worksWith = async (token: string) => (await tenant.http('GET', '/v1/orders', undefined, token)).status;
// biome-ignore lint/suspicious/noExplicitAny: rows are asserted, not typed
export const rows = (sql: string, ...values: unknown[]) => app.orm.em.fork().getConnection().execute<any[]>(sql, values);
export const audits = (id: string) =>
  rows('select event, created_by_type, object_changes from audit_entry where subject_id = ? order by created_at, id', id);
