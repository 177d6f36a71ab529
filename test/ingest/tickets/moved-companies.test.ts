import { expect, test } from '@jest/globals';
import { codes, hauling, payload } from './haul.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const { at, send } = hauling();

test.each([
  ['America/Chicago', '2026-11-24T06:00', true],
  ['America/Denver', '2026-11-23T22:00', true],
  ['America/Denver', '2026-11-24T06:00', false],
])(
  'a ticket of half past midnight in Chicago, whose company is in %s now, waits for the work of %s: %s',
  async (zone, load_at, isFound) => {
    const record = await send(payload({ dispatch_number: 'D-1', service_date: '2026-11-24T00:30:00' }));
    await at.tenant.must('PATCH', at.tenant.path(''), { time_zone: zone }, await at.tenant.administrator());
    const order = { external_id: 'O-1', load_at, customer: { external_id: 'C-1', name: 'Hill Country Paving' }, dispatch_number: 'D-1' };
    const answer = await at.tenant.http('POST', '/ingest/orders', { orders: [order] });
    await at.app.settled();
    const { result_id }: Json = await at.tenant.must('GET', `/v1/imported_records/${answer.body.data.records[0].id}`);
    expect((await at.tenant.must('GET', `/v1/tickets/${record.result_id}`)).order_id).toBe(isFound ? result_id : null);
    const { warnings } = await at.tenant.must('GET', `/v1/imported_records/${record.id}`);
    expect(codes({ warnings })).toEqual([isFound ? 'truck_not_on_order' : 'unknown_dispatch_number']);
  },
);
