import { expect, test } from '@jest/globals';
import { endOf, feedOf } from '../../events/follower.ts';
import { makeBooks } from '../books.ts';
import { approvedInvoice, settle } from '../settled.ts';

const books = makeBooks();

test('an invoice names the settlement that has it, and none before and after', async () => {
  const { biller, tenant } = books;
  const { id, job } = await approvedInvoice(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  const { path, must } = biller;
  const named = async () => {
    const { order, ...rest } = await must('GET', `/v1/jobs/${job.id}/receivable`);
    const lists = [`/invoices?filter[customer_account_ids][]=${tenant.account.id}`, `/orders/${order.id}/invoices`];
    for (const list of lists)
      expect((await must('GET', path(list))).find((one: { id: string }) => one.id === id).settlement).toEqual(rest.settlement);
    const { data } = await biller.gql('query($id: ID!) { invoice(id: $id) { settlement { id state } unsettledReason } }', { id });
    expect(data.invoice).toMatchObject({ settlement: rest.settlement ? { id: rest.settlement.id } : null });
    return 'settlement' in rest ? rest.settlement : 'absent';
  };
  expect(await named()).toBe('absent');
  for (const _ of ['first', 'second']) {
    const settlement = await settle(books, [{ id }]);
    const { settlement_id, ar_settlement_id, ap_settlement_id } = settlement;
    expect(await named()).toEqual({ id: settlement.id, settlement_id, ar_settlement_id, ap_settlement_id });
    await must('PUT', path(`/settlements/${settlement.id}/void`), {});
    expect(await named()).toBe('absent');
  }
});

test('an invoice changes in the feed when a settlement takes it and when that is voided, and shows it', async () => {
  const { app, biller, tenant } = books;
  const { id } = await approvedInvoice(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  await app.settled();
  let position = await endOf(tenant, biller.token);
  /** The settlement that the invoice names by the last change of it since the last look, as its own path shows it. */
  const named = async () => {
    await app.settled();
    const { body } = await feedOf(tenant, `?after=${position}&types=Invoice&limit=100`, biller.token);
    position = body.meta.position;
    const last = body.data.findLast((one: { id: string }) => one.id === id);
    expect(last).toMatchObject({ event: 'update', record: await biller.must('GET', biller.path(`/invoices/${id}`)) });
    return last.record.settlement?.id ?? 'none';
  };
  const settlement = await settle(books, [{ id }]);
  expect(await named()).toBe(settlement.id);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/void`), {});
  expect(await named()).toBe('none');
});
