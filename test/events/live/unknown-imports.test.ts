import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { app, follow, tenant } from './following.ts';

const SETTLED = 'subscription ($id: ID) { importSettled(batchId: $id) { id } }';

test('who follows an import that is not there, or is of another company, is answered at once, and does not wait for it', async () => {
  const { batch_id: id } = await tenant.must('POST', '/ingest/orders', { orders: [{ external_id: 'followed by strangers' }] });
  await app.settled();
  const stranger = await makeStaffedTenant(app);
  const asked: [id: string, token?: string][] = [['abc'], [tenant.company.id], [id, stranger.token]];
  for (const [of, token] of asked) {
    const unknown = await follow(SETTLED, { id: of }, token);
    await unknown.ended;
    expect(unknown.got).toHaveLength(1);
    expect(unknown.got[0].errors).toMatchObject([{ extensions: { code: 'object_not_found' } }]);
  }
  const own = await follow(SETTLED, { id });
  await own.ended;
  expect(own.got).toEqual([{ data: { importSettled: { id } } }]);
});
