import { afterAll, beforeAll } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Tenant } from '../helpers/tenant.ts';
import { partsOf, type Received } from './scheduled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, deliveries: true, webhooks: true });
});
afterAll(() => app.close());

export const create = (at: Tenant, body: object, token?: string): Promise<Json> =>
  at.must('POST', at.path('/export_schedules'), body, token);
export const sql = (text: string, values: unknown[] = []) => app.orm.em.fork().execute<Json[]>(text, values);

/** Has a schedule be due since a minute ago, and runs it. */
export async function run(id: string): Promise<Json[]> {
  await sql(`update export_schedule set due_at = now() - interval '1 minute' where id = ?`, [id]);
  await app.settled();
  return sql('select * from export_run where export_schedule_id = ? order by due_at', [id]);
}
export const mailsTo = async (to: string): Promise<Received[]> => (await app.emails()).mails.filter((mail) => mail.to === to).map(partsOf);
