import { expect, test } from '@jest/globals';
import { machineToken, makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { approveLoads, billerOf, event, hauled, invoiceOf, makeBooks } from './books.ts';
import { approvedInvoice, settle } from './settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const BY_TON = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' };
const namesOf = (list: Json): string[] => list.nodes.map(({ invoiceId }: Json) => invoiceId);

test('every open invoice of finished work is either blocked or can be approved, and what is approved is neither', async () => {
  const own = await makeStaffedTenant(books.app);
  const scene = { ...books, tenant: own, biller: await billerOf(own) };
  const lists = async (by: { token: string } = scene.biller): Promise<Json> => {
    await books.app.settled();
    const asked = `{ approvableInvoices(first: 50) { count { value } nodes { invoiceId approvable serviceDate totalAmount } }
      blockedInvoices(first: 50, filter: { states: [pending] }) { nodes { invoiceId } }
      of: approvableInvoices(filter: { invoiceCategory: payables }) { nodes { invoiceId } } }`;
    const { data, errors } = await own.gql(asked, {}, by.token);
    expect(errors).toBeUndefined();
    return data;
  };
  const [ready, waiting] = [await hauled(scene, ['10'], { order: BY_TON }), await hauled(scene, ['10'], { order: BY_TON })];
  await approveLoads(scene.biller, ready);
  const [one, other] = [await invoiceOf(scene, ready.id), await invoiceOf(scene, waiting.id)];
  const first = await lists();
  expect(first.approvableInvoices).toEqual({
    count: { value: 1 },
    nodes: [{ invoiceId: one.invoice_id, approvable: true, serviceDate: '2026-11-23', totalAmount: '42.5' }],
  });
  expect(namesOf(first.blockedInvoices)).toContain(other.invoice_id);
  expect(namesOf(first.of)).toEqual([]);
  // The rest is approved, and is in the other list by then.
  await approveLoads(scene.biller, waiting);
  expect(namesOf((await lists()).approvableInvoices).sort()).toEqual([one.invoice_id, other.invoice_id].sort());
  expect((await event(scene.biller, one.id, 'approve')).status).toBe(200);
  const last = await lists();
  expect([namesOf(last.approvableInvoices), namesOf(last.blockedInvoices)]).toEqual([
    [other.invoice_id],
    expect.not.arrayContaining([one.invoice_id, other.invoice_id]),
  ]);
  // A client that sees no rates of customers sees which invoices there are, and no amount.
  const plain = { token: await machineToken(own, ['view_settlements']) };
  expect((await lists(plain)).approvableInvoices.nodes).toMatchObject([{ invoiceId: other.invoice_id, totalAmount: null }]);
  const elsewhere = await makeStaffedTenant(books.app);
  const { data } = await elsewhere.gql('{ approvableInvoices { nodes { id } } }', {}, await elsewhere.administrator());
  expect(data.approvableInvoices.nodes).toEqual([]);
});

test('a settlement names what supplements it, also when that is settled by itself, and not what was voided', async () => {
  const { biller, tenant } = books;
  const invoice = await approvedInvoice(books, ['10'], { order: BY_TON });
  const settled = await settle(books, [invoice]);
  const supplementsOf = async (id: string, token = biller.token): Promise<Json> => {
    const asked = `query($id: ID!) { settlementSupplements(settlementId: $id) { nodes { id reason state totalAmount parentInvoice { id } } } }`;
    const { data, errors } = await tenant.gql(asked, { id }, token);
    return errors ? errors[0].extensions.code : data.settlementSupplements.nodes;
  };
  expect(await supplementsOf(settled.id)).toEqual([]);
  const correct = (rate_value: number): Promise<Json> =>
    biller.must('POST', biller.path(`/invoices/${invoice.id}/supplements`), { rate_value, rate_type: 'RatePerTon' });
  const made = await correct(4.4);
  const shown = { id: made.id, reason: 'correction', state: 'pending', totalAmount: '1.5', parentInvoice: { id: invoice.id } };
  expect(await supplementsOf(settled.id)).toEqual([shown]);
  expect((await event(biller, made.id, 'void')).status).toBe(200);
  expect(await supplementsOf(settled.id)).toEqual([]);
  const again = await correct(4.4);
  expect((await event(biller, again.id, 'approve')).status).toBe(200);
  const second = await settle(books, [again]);
  expect(await supplementsOf(settled.id)).toEqual([{ ...shown, id: again.id, state: 'approved' }]);
  // A supplement of the work is listed where the work is.
  expect(await supplementsOf(second.id)).toEqual([]);
  const elsewhere = await makeStaffedTenant(books.app);
  expect(await supplementsOf(settled.id, await elsewhere.administrator())).toBe('object_not_found');
});

test('over REST: what can be approved, one invoice, and what supplements a settlement, without money for those who see none', async () => {
  const own = await makeStaffedTenant(books.app);
  const scene = { ...books, tenant: own, biller: await billerOf(own) };
  const { biller } = scene;
  const plain = await machineToken(own, ['view_settlements']);
  const get = async (path: string, token = biller.token): Promise<Json> =>
    (await books.app.http('GET', biller.path(path), { token })).body.data;
  const job = await hauled(scene, ['10'], { order: BY_TON });
  await approveLoads(biller, job);
  const ready = await invoiceOf(scene, job.id);
  const approvable = '/billing/approvable_invoices';
  const shown = { invoice_id: ready.invoice_id, part: 1, reason: 'regular', service_date: '2026-11-23', approvable: true };
  expect(await get(approvable)).toMatchObject([{ ...shown, total_amount: '42.5' }]);
  expect(await get(approvable, plain)).toMatchObject([{ ...shown, total_amount: null, rate_value: null }]);
  expect(await get(`${approvable}?filter[invoice_category]=payables`)).toEqual([]);
  expect((await event(biller, ready.id, 'approve')).status).toBe(200);
  expect(await get(approvable)).toEqual([]);
  const settled = await settle(scene, [ready]);
  const supplements = `/settlements/${settled.id}/supplements`;
  expect(await get(supplements)).toEqual([]);
  const made = await biller.must('POST', biller.path(`/invoices/${ready.id}/supplements`), { rate_value: 4.4, rate_type: 'RatePerTon' });
  const difference = { id: made.id, part: 2, reason: 'correction', state: 'pending', parent_invoice: { id: ready.id } };
  expect(await get(supplements)).toMatchObject([{ ...difference, total_amount: '1.5' }]);
  expect(await get(supplements, plain)).toMatchObject([{ ...difference, total_amount: null }]);
  const one = { ...difference, unsettled_reason: 'not_approved', posting_date: null, blockers: [] };
  expect(await get(`/invoices/${made.id}`)).toMatchObject({ ...one, total_amount: '1.5' });
  expect(await get(`/invoices/${made.id}`, plain)).toMatchObject({ ...one, total_amount: null });
  expect(await get(`/invoices/${ready.id}`)).toMatchObject({ posting_date: '2026-11-23', unsettled_reason: null, exported_at: null });
  // Drivers and strangers find none of it; a driver reads what they are paid.
  const elsewhere = await makeStaffedTenant(books.app);
  const stranger = await elsewhere.administrator();
  const paths = [approvable, supplements, `/invoices/${made.id}`];
  for (const path of paths) expect((await books.app.http('GET', biller.path(path), { token: stranger })).status).toBe(404);
  expect(await get(approvable, own.driver.token)).toEqual([]);
  for (const path of paths.slice(1)) expect((await books.app.http('GET', biller.path(path), { token: own.driver.token })).status).toBe(404);
  expect((await books.app.http('GET', biller.path('/invoices/x'), { token: biller.token })).status).toBe(404);
});
