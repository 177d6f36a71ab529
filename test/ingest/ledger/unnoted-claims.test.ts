import { expect, test } from '@jest/globals';
import { makeReceiving } from '../../events/receiving.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { order } from '../payloads.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const on = makeReceiving({ worker: true });
const sql = (text: string, values: unknown[] = []) => on.app.orm.em.fork().getConnection().execute<Json[]>(text, values);
const take = async (tenant: Tenant, one: object): Promise<string> =>
  (await tenant.must('POST', '/ingest/orders', { orders: [one] })).records[0].id;
const stateOf = async (tenant: Tenant, id: string): Promise<string> => (await tenant.must('GET', `/v1/imported_records/${id}`)).state;

test('what cannot be noted for the subscribers of one company keeps the imports of no other one waiting, and is done later', async () => {
  const { tenant, receiver } = on;
  const other = await makeTenant(on.app);
  await tenant.must('POST', tenant.path('/webhook_subscriptions'), { url: receiver.url('/skipped'), triggers: ['ImportedOrder::skip'] });
  const wrong = await take(tenant, order('A', { load_at: 'soon' }));
  await until(async () => (await stateOf(tenant, wrong)) === 'failed');
  await sql(
    `create function refuse_delivery() returns trigger language plpgsql as $$ begin raise exception 'no delivery is noted'; end $$`,
  );
  try {
    await sql(`create trigger refuse before insert on webhook_delivery for each row when (new.company_id = '${tenant.company.id}')
      execute function refuse_delivery()`);
    // Its claim supersedes the wrong one, of which a subscriber waits to learn.
    const right = await take(tenant, order('A'));
    for (const id of ['B', 'C']) {
      const theirs = await take(other, order(id));
      await until(async () => (await stateOf(other, theirs)) === 'processed');
    }
    expect([await stateOf(tenant, wrong), await stateOf(tenant, right), receiver.at('/skipped')]).toEqual(['failed', 'created', []]);
    await sql('drop trigger refuse on webhook_delivery');
    await until(async () => (await stateOf(tenant, right)) === 'processed');
    expect(await stateOf(tenant, wrong)).toBe('skipped');
    await until(() => receiver.at('/skipped').length === 1);
    expect(receiver.at('/skipped')[0]!.body.payload).toMatchObject({ id: wrong, last_error: 'superseded' });
  } finally {
    await sql('drop function refuse_delivery() cascade');
  }
}, 60_000);
