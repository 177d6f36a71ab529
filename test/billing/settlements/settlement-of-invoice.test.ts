import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { IamRole } from '../../../src/directory/people/iam-role.entity.ts';
import { endOf, feedOf } from '../../events/follower.ts';
import { event, invoiceOf, makeBooks } from '../books.ts';
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

test('what is done to an invoice only with its settlement is offered by the settlement, and not by the invoice', async () => {
  const { biller } = books;
  const { path, must } = biller;
  const { id, job } = await approvedInvoice(books, ['10'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon' } });
  /** What the invoice offers, by itself and in lists, over both interfaces. */
  const offered = async () => {
    const { order, state_events, unapprovable } = await must('GET', `/v1/jobs/${job.id}/receivable`);
    const listed = (await must('GET', path(`/orders/${order.id}/invoices`))).find((one: { id: string }) => one.id === id);
    expect(listed).toMatchObject({ state_events, unapprovable });
    const { data } = await biller.gql('query($id: ID!) { invoice(id: $id) { stateEvents unapprovable } }', { id });
    expect(data.invoice).toEqual({ stateEvents: state_events, unapprovable });
    return { state_events, unapprovable };
  };
  const alone = { state_events: ['export', 'pay', 'send_invoice', 'unapprove', 'void'], unapprovable: true };
  expect(await offered()).toEqual(alone);
  const settlement = await settle(books, [{ id }]);
  expect(await offered()).toEqual({ state_events: [], unapprovable: false });
  for (const name of alone.state_events.filter((one) => one !== 'send_invoice'))
    expect([name, (await event(biller, id, name)).status]).toEqual([name, 409]);
  await must('PUT', path(`/settlements/${settlement.id}/void`), {});
  expect(await offered()).toEqual(alone);
});

const AMOUNTS =
  'totalAmount invoicesTotalAmount invoicesTaxTotalAmount adjustmentsTotalAmount addOnChargesTotalAmount rebillTotalAmount differenceTotalAmount';
const OF_INVOICE = `{ id totalAmount settlement { settlementId ${AMOUNTS} explain } }`;

test('the settlement of an invoice has amounts for those who see the rates of its side, and for the driver who is paid by it', async () => {
  const { tenant, biller } = books;
  const order = { customer_rate_value: 97, customer_rate_type: 'RatePerTon', driver_rate_value: 53, driver_rate_type: 'RatePerLoad' };
  const bill = await approvedInvoice(books, ['10'], { order });
  const pay = await invoiceOf(books, bill.job.id, 'payable');
  expect((await event(biller, pay.id, 'approve')).status).toBe(200);
  const [owed, paid] = [await settle(books, [bill]), await settle(books, [pay])];
  expect([owed.total_amount, paid.total_amount]).toEqual(['970', '53']);
  const ofRole = async (...grants: string[]) => {
    const { id } = await tenant.save(IamRole, { company: ref(tenant.company), name: grants.join(), grants });
    return tenant.person({ roles: [], customRoleIds: [id] });
  };
  /** What somebody reads of the settlements of both invoices, by id and in the list. */
  const seenBy = async ({ token }: { token: string }) => {
    const { data } = await tenant.gql(
      `query($bill: ID!, $pay: ID!) { bill: invoice(id: $bill) ${OF_INVOICE} pay: invoice(id: $pay) ${OF_INVOICE} }`,
      { bill: bill.id, pay: pay.id },
      token,
    );
    const { data: listed } = await tenant.gql(`{ invoices(first: 100) { nodes ${OF_INVOICE} } }`, {}, token);
    const of = (name: 'bill' | 'pay', id: string) => {
      const one = listed.invoices.nodes.find((node: { id: string }) => node.id === id);
      if (data?.[name]) expect(one).toEqual(data[name]);
      if (!one) return undefined;
      const { settlementId, ...money } = one.settlement;
      return [settlementId, money.totalAmount, Object.values(money).every((amount) => amount === null)];
    };
    return [of('bill', bill.id), of('pay', pay.id)];
  };
  const names = [owed.settlement_id, paid.settlement_id];
  const SEES = 'view_settlements';
  expect(await seenBy(biller)).toEqual([
    [names[0], '970', false],
    [names[1], '53', false],
  ]);
  expect(await seenBy(await ofRole(SEES, 'view_customer_rates'))).toEqual([
    [names[0], '970', false],
    [names[1], null, true],
  ]);
  expect(await seenBy(await ofRole(SEES, 'view_driver_rates'))).toEqual([
    [names[0], null, true],
    [names[1], '53', false],
  ]);
  expect(await seenBy(await ofRole(SEES, 'view_vendor_rates'))).toEqual([
    [names[0], null, true],
    [names[1], null, true],
  ]);
  const [none, own] = await seenBy(tenant.driver);
  expect([none, own?.slice(0, 2)]).toEqual([undefined, [names[1], '53']]);
  expect(await seenBy(await tenant.person({ roles: ['driver'] }))).toEqual([undefined, undefined]);
});
