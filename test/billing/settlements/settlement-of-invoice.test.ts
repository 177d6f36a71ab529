import { expect, test } from '@jest/globals';
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
