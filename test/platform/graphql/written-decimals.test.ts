import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { makeStaffedTenant, readyJob } from '../../helpers/staffed-tenant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true, invoices: true });
});
afterAll(() => app.close());

test('a decimal that is written in the document is the same as one of a variable, in tickets, lines, rates and charges', async () => {
  const own = await makeStaffedTenant(app);
  const order = { customer_rate_value: 4, customer_rate_type: 'RatePerTon' };
  const { id: jobId } = await readyJob(own, { loads_per_truck: 1, ...order });
  for (const event of ['enroute', 'arrive', 'load_material', 'enroute', 'arrive', 'unload_material', 'complete_load', 'complete'])
    await own.driver.must('PUT', `/v1/jobs/${jobId}/${event}`, {});
  const [load] = await own.must('GET', `/v1/jobs/${jobId}/loads`);
  const ticket = await own.must('POST', '/v1/tickets', { load_id: load.id, ticket_number: 'W-1', quantity: '20', unit_of_measure: 'Ton' });
  await app.settled();
  const { id: invoiceId } = await own.must('GET', `/v1/jobs/${jobId}/receivable`, undefined, own.admin.token);
  const send = async (field: string) => {
    const { data, errors } = await own.gql(`mutation { it: ${field} }`, {}, own.admin.token);
    return errors ? errors[0].extensions.code : data.it;
  };
  const weigh = (written: string) => send(`updateTicket(id: "${ticket.id}", input: { quantity: ${written} }) { quantity }`);
  for (const [written, quantity] of [
    ['"21.5"', '21.5'],
    ['21.25', '21.25'],
    ['22', '22'],
  ] as const)
    expect([written, await weigh(written)]).toEqual([written, { quantity }]);
  expect(await weigh('-1')).toBe('unprocessable_content');
  await app.settled();
  const rated = (rate: string) => send(`updateInvoice(id: "${invoiceId}", input: { ${rate} }) { totalAmount }`);
  expect(await rated('rateValue: 101, rateType: RateCommission')).toBe('unprocessable_content');
  expect(await rated('rateValue: "4.5", rateType: RatePerTon')).toEqual({ totalAmount: '99' });
  const [line] = await own.must('GET', own.path(`/invoices/${invoiceId}/invoice_line_items`), undefined, own.admin.token);
  const edited = (change: string) =>
    send(
      `changeInvoiceLineItems(invoiceId: "${invoiceId}", invoiceLineItems: [{ id: "${line.id}", ${change} }]) { quantity rate totalAmount }`,
    );
  expect(await edited('quantity: 10.5, rate: -2')).toEqual([{ quantity: '10.5', rate: '-2', totalAmount: '-21' }]);
  const charge = 'input: { name: "Fee", quantity: 2, revenueRateValue: "3.5" }';
  expect(await send(`createJobAddOnCharge(jobId: "${jobId}", ${charge}) { totalAmount }`)).toEqual({ totalAmount: '7' });
});
