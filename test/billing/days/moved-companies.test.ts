import { expect, test } from '@jest/globals';
import { makeStaffedTenant } from '../../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, hauled, invoiceOf, makeBooks } from '../books.ts';

const books = makeBooks({ worker: true });

test('what is not approved is of the day in the zone to which its company moves, and what is approved stays', async () => {
  const tenant = await makeStaffedTenant(books.app);
  const at = { app: books.app, tenant, biller: await billerOf(tenant) };
  // Half past eleven in Chicago is half past midnight in New York.
  const order = { load_at: '2026-11-24T05:30:00.000Z', customer_rate_value: 5, customer_rate_type: 'RatePerTon' };
  const [open, approved] = [await hauled(at, ['10'], { order }), await hauled(at, ['10'], { order })];
  await approveLoads(at.biller, approved);
  const { id } = await invoiceOf(at, approved.id);
  await at.biller.must('PUT', at.biller.path(`/invoices/${id}/approve`), undefined);
  const dayOf = async (invoiceId: string): Promise<string> => {
    await books.app.settled();
    const { data } = await at.biller.gql('query ($id: ID!) { invoice(id: $id) { serviceDate } }', { id: invoiceId });
    return data.invoice.serviceDate;
  };
  const draft = await invoiceOf(at, open.id);
  expect([await dayOf(draft.id), await dayOf(id)]).toEqual(['2026-11-23', '2026-11-23']);
  await tenant.admin.must('PATCH', tenant.path(''), { time_zone: 'America/New_York' });
  expect([await dayOf(draft.id), await dayOf(id)]).toEqual(['2026-11-24', '2026-11-23']);
});
