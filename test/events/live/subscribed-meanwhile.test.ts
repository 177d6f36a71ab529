import { expect, test } from '@jest/globals';
import { poolOf } from '../../../src/platform/database/sql.ts';
import { makeOrder } from '../../helpers/tenant.ts';
import { until, untilWaiting } from '../../helpers/until.ts';
import { makeReceiving } from '../receiving.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const on = makeReceiving({ worker: true });

/** Has a command ask who subscribed and wait before it commits, and somebody subscribe meanwhile. @returns the answer, and the order */
async function during(subscribe: () => Promise<Json>): Promise<{ subscription: Json; order: Json }> {
  const { app, tenant } = on;
  const order = await makeOrder(tenant);
  const foreman = await tenant.person({ firstName: 'Fay', lastName: 'Lead', roles: ['foreman'] });
  const holder = await (await poolOf(app.orm.em.fork())).connect();
  let looks = 0;
  let answered = false;
  try {
    let subscription: Json;
    await app.overhear(
      async () => {
        await holder.query('begin');
        // The command holds the people that it names.
        await holder.query('select from app_user where id = $1 for update', [foreman.id]);
        const changing = tenant.must('PATCH', `/v1/orders/${order.id}`, { foreman_ids: [foreman.id] });
        await untilWaiting(app);
        const subscribing = subscribe().finally(() => {
          answered = true;
        });
        await until(() => answered || looks >= 2);
        expect(answered).toBe(false);
        await holder.query('rollback');
        subscription = await subscribing;
        // Whoever reads everything after that has it.
        expect((await tenant.must('GET', `/v1/orders/${order.id}`)).foremen).toMatchObject([{ id: foreman.id }]);
        await changing;
      },
      ({ sql }) => {
        if (sql.includes('pg_locks')) looks++;
        return false;
      },
    );
    return { subscription, order };
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

const eventsAt = (path: string) => on.receiver.at(path).map(({ body }) => [body.event, body.payload.notes]);

test('changes that are committed after the answer of a new subscription are sent, whenever they began', async () => {
  const { tenant } = on;
  const { subscription, order } = await during(() =>
    tenant.must('POST', '/v1/webhook_subscriptions', { url: on.receiver.url('/new'), triggers: ['Order::update'] }),
  );
  expect(subscription.secret).toMatch(/^whsec_/);
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { notes: 'Gate 5' });
  await until(() => on.receiver.at('/new').length > 0);
  expect(eventsAt('/new')).toEqual([['Order::update', 'Gate 5']]);
});

test('so are those that are committed after the answer of a subscription that gets another trigger', async () => {
  const { tenant } = on;
  const { id } = await tenant.must('POST', '/v1/webhook_subscriptions', { url: on.receiver.url('/more'), triggers: ['Order::create'] });
  const { order } = await during(() => tenant.must('PATCH', `/v1/webhook_subscriptions/${id}`, { triggers: ['Order::update'] }));
  await tenant.must('PATCH', `/v1/orders/${order.id}`, { notes: 'Gate 6' });
  await until(() => on.receiver.at('/more').some(({ body }) => body.payload.notes === 'Gate 6'));
});
