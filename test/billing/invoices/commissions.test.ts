import { expect, test } from '@jest/globals';
import { machineToken } from '../../helpers/staffed-tenant.ts';
import { approveLoads, event, hauled, invoiceOf, linesOf, M10, makeBooks, rateCard, withMinimum } from '../books.ts';
import { settle } from '../settled.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('M12: hours are paid by what was approved, and drivers see what they are paid and nothing of the customer', async () => {
  const hourly = { type: 'RatePerHour', time_rate: 110, time_minimum_minutes: 240, time_increment_minutes: 15 };
  const rates = {
    customer_rate_id: (await rateCard(books.tenant, 'customer', hourly)).id,
    driver_rate_id: (await rateCard(books.tenant, 'driver', { type: 'RateCommission', commission_percentage: 30 })).id,
  };
  const job = await hauled(books, ['1'], { order: rates });
  await books.tenant.must(
    'PUT',
    books.tenant.path(`/jobs/${job.id}/approve`),
    { approved_work_time_minutes: 253 },
    await books.tenant.administrator(),
  );
  const billed = await invoiceOf(books, job.id);
  expect(await linesOf(books.biller, billed.id)).toEqual([['4.25', '110', '467.5']]);
  const pay = await invoiceOf(books, job.id, 'payable');
  expect(pay).toMatchObject({ total_amount: '140.25', commission_rate_value: '33', commission_rate_type: 'RatePerHour' });
  const own = await books.tenant.driver.must('GET', `/v1/jobs/${job.id}/payable`);
  expect([own.id, own.total_amount]).toEqual([pay.id, '140.25']);
  expect((await books.tenant.driver.http('GET', `/v1/jobs/${job.id}/receivable`)).status).toBe(404);
  expect((await books.tenant.driver.must('GET', books.tenant.path('/invoices'))).map(({ id }: Json) => id)).toContain(pay.id);
  const { data } = await books.tenant.driver.gql('{ invoices { nodes { side } } }');
  expect(new Set(data.invoices.nodes.map(({ side }: Json) => side))).toEqual(new Set(['payable']));
  expect((await books.tenant.dispatcher.http('GET', `/v1/jobs/${job.id}/payable`)).status).toBe(404);
});

test('M15: whoever is paid by commission reads what it comes to for a ton, and nothing that reveals what the customer pays', async () => {
  const { tenant, biller } = books;
  const { customer_rate_id } = await withMinimum(tenant);
  const share = await rateCard(tenant, 'driver', { type: 'RateCommission', commission_percentage: 33 });
  const job = await hauled(books, M10, { order: { customer_rate_id, driver_rate_id: share.id } });
  await approveLoads(biller, job);
  const { id, ...pay } = await invoiceOf(books, job.id, 'payable');
  expect(pay).toMatchObject({ total_amount: '97.16', rate_value: '33', rate: { id: share.id }, commission_rate_value: '1.4025' });
  // The job says what it comes to for one, to those who see what drivers are paid and to the driver.
  const ofJob = async (token?: string) => {
    const seen = await tenant.must('GET', `/v1/jobs/${job.id}`, undefined, token);
    return [seen.driver_commission_rate_value ?? null, seen.driver_commission_rate_type ?? null];
  };
  expect([await ofJob(await tenant.administrator()), await ofJob(tenant.driver.token)]).toEqual(Array(2).fill(['1.4025', 'RatePerTon']));
  expect(await ofJob(await machineToken(tenant, ['edit_job', 'view_vendor_rates']))).toEqual([null, null]);
  // The log has no entry of it, and the past of the job, before it was hauled, is answered all the same.
  const past = await tenant.http('GET', `/v1/jobs/${job.id}?as_of=${job.created_at}`, undefined, await tenant.administrator());
  expect([past.status, past.body.data?.driver_commission_rate_value ?? null]).toEqual([200, null]);
  const path = biller.path(`/invoices/${id}`);
  await biller.must('PATCH', path, { rate_value: 3, rate_type: 'RatePerTon' });
  expect(await ofJob(tenant.driver.token)).toEqual([null, null]);
  await biller.must('PATCH', path, { rate_value: null });
  expect(await ofJob(tenant.driver.token)).toEqual(['1.4025', 'RatePerTon']);
  await event(biller, id, 'approve');
  const settlement = await settle(books, [{ id }]);
  const clerk = await machineToken(tenant, ['view_settlements', 'view_driver_rates']);
  for (const token of [tenant.driver.token, clerk]) {
    const read = (path: string) => tenant.must('GET', path, undefined, token);
    const seen = await read(`/v1/jobs/${job.id}/payable`);
    const unit = { commission_rate_value: '1.4025', commission_rate_type: 'RatePerTon' };
    expect(seen).toMatchObject({ ...{ total_amount: '97.16', rate_value: null }, ...unit });
    expect(seen.rate ?? null).toBeNull();
    const lines = await read(tenant.path(`/invoices/${id}/invoice_line_items`));
    // The last is a cent more than its tons at this rate: 33 % of an amount that was rounded.
    expect(lines.map(({ quantity, rate, total_amount, revenue_cost_rate_type: as }: Json) => [quantity, rate, total_amount, as])).toEqual([
      ['23.21', '1.4025', '32.55', 'RateForEach'],
      ['22', '1.4025', '30.86', 'RateForEach'],
      ['24.06', '1.4025', '33.75', 'RateForEach'],
    ]);
    const { explain } = await read(tenant.path(`/invoices/${id}/explain`));
    expect([explain.amount, JSON.stringify(explain).includes('"Ticket"')]).toEqual(['97.16', true]);
    const { data } = await tenant.gql('query($id: ID!) { invoice(id: $id) { explain rateValue rate { id } } }', { id }, token);
    expect(data.invoice).toEqual({ explain, rateValue: null, rate: null });
    const settled = await read(tenant.path(`/settlements/${settlement.id}/settlement_line_items?settlement_line_item_type=load`));
    const all = JSON.stringify([seen, lines, explain, settled]);
    expect(['98.64', '102.26', '4.25', '"33"', customer_rate_id, '294.4'].filter((hidden) => all.includes(hidden))).toEqual([]);
  }
});
