import { expect } from '@jest/globals';
import type { TestApp } from '../../helpers/app.ts';
import type { Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** The order A-1 of the customer C-1. */
export const payload = (more: object = {}) => ({
  external_id: 'A-1',
  load_at: '2026-12-01T07:00:00Z',
  customer: { external_id: 'C-1', name: 'Acme' },
  ...more,
});

/** Orders that are sent in and looked at, by `tenant`, of the running test. */
export function ordering(at: () => { app: TestApp; tenant: Tenant }) {
  /** Sends one payload and returns what became of it. */
  async function send(...orders: object[]): Promise<Json> {
    const answer = await at().tenant.http('POST', '/ingest/orders', { orders });
    expect(answer.status).toBe(202);
    await at().app.settled();
    const records = await Promise.all(
      answer.body.data.records.map(({ id }: Json) => at().tenant.must('GET', `/v1/imported_records/${id}`)),
    );
    return records.at(-1);
  }

  const orderOf = async (externalId: string): Promise<Json> => {
    const { data } =
      await at().tenant.gql(`{ orders(first: 10) { nodes { id orderId externalId state name loadAt quantity unitOfMeasure notes account { name externalId } material { name } equipmentType { name } foremen { email phone } salespeople { email }
      waypoints { id type ordinality site { id name routable } } jobs { nodes { jobId state jobStartAt jobAssignments { vendorAccount { name } } loads { nodes { loadId state unitOfMeasure } } } } } } }`);
    return data.orders.nodes.find((order: Json) => order.externalId === externalId);
  };

  return { send, orderOf };
}
