import { expect, test } from '@jest/globals';
import { approveLoads, type Biller, billerOf, hauled, invoiceOf, makeBooks } from '../billing/books.ts';
import { makeStaffedTenant } from '../helpers/staffed-tenant.ts';
import { CHICAGO, loginOf, rowsOf, signerIn } from './bi-logins.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const signedIn = signerIn(books);

test('what is billed anew at another rate is owed in metrics, in SQL and on the settlement, and a supplement adds to that', async () => {
  const at = await makeStaffedTenant(books.app, CHICAGO);
  const own: { app: typeof books.app; tenant: typeof at; biller: Biller } = { app: books.app, tenant: at, biller: await billerOf(at) };
  const { biller } = own;
  const order = {
    ...{ customer_rate_value: 4, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' },
    ...{ tax_rate: 10, tax_freight: true },
  };
  const approved = async (side: string, job: Json): Promise<Json> => {
    const invoice = await invoiceOf(own, job.id, side);
    return biller.must('PUT', at.path(`/invoices/${invoice.id}/approve`), {});
  };
  const settled = (invoice: Json): Promise<Json> => biller.must('POST', at.path('/settlements'), { invoice_ids: [invoice.id] });
  const [job, other] = [await hauled(own, ['10', '20'], { at, order }), await hauled(own, ['5'], { at, order })];
  for (const one of [job, other]) await approveLoads(biller, one);
  const [receivable, payable] = [await approved('receivable', job), await approved('payable', job)];
  /** The metrics of one question, and the same sums of the views. */
  const owed = async (): Promise<Json> => {
    await books.app.settled();
    const [{ values }] = await at.admin.must(
      'GET',
      at.path('/metrics?measures[]=receivable&measures[]=driver_payable&measures[]=payable&measures[]=margin'),
    );
    const [sums] = await signedIn(await loginOf(at), (db) =>
      rowsOf(
        db,
        `select sum(receivable)::float8 as receivable, sum(driver_payable)::float8 as driver_payable, sum(payable)::float8 as payable,
          (sum(receivable_without_tax) - sum(payable_without_tax))::float8 as margin from metric_invoices`,
      ),
    );
    const ofMetrics = Object.fromEntries(values.map(({ measure, value }: Json) => [measure, Number(value)]));
    expect(sums).toEqual(ofMetrics);
    return Object.values(ofMetrics);
  };
  // 30 tons and 5 tons at 4 with 10 % tax, of which the driver gets 1 a ton.
  expect(await owed()).toEqual([154, 35, 35, 105]);

  const anew: Json[] = [];
  for (const [invoice, rate] of [
    [receivable, 5],
    [payable, 2],
  ]) {
    const settlement = await settled(invoice);
    await biller.must('PUT', at.path(`/settlements/${settlement.id}/void`), {});
    const { id } = await biller.must('POST', at.path(`/settlements/${settlement.id}/rebill`), {});
    anew.push(
      await biller.must('PATCH', `/v1/settlements/${id}/invoices/rebill_rates`, {
        data: [{ invoice_id: invoice.id, rebill_rate_value: rate }],
      }),
    );
  }
  expect(anew.map(({ rebill_total_amount }) => rebill_total_amount)).toEqual(['165', '60']);
  // The other job is still 22 with tax, and 5 to the driver.
  expect(await owed()).toEqual([187, 65, 65, 105]);
  const inViews = await signedIn(await loginOf(at), (db) =>
    rowsOf(
      db,
      `select i.side, i.total_amount::float8 as invoiced, i.rebill_total_amount::float8 as anew, i.rebill_tax_amount::float8 as tax,
        s.total_amount::float8 as settled, s.rebill_total_amount::float8 as billed from invoices i join settlements s on s.id = i.settlement_id order by 1`,
    ),
  );
  expect(inViews).toEqual([
    { side: 'payable', invoiced: 30, anew: 60, tax: null, settled: 30, billed: 60 },
    { side: 'receivable', invoiced: 132, anew: 165, tax: 15, settled: 132, billed: 165 },
  ]);
  // Who sees no rates of customers reads nothing of it.
  const masked = await signedIn(await loginOf(at, ['view_settlements', 'view_driver_rates']), (db) =>
    rowsOf(db, 'select side, rebill_total_amount::float8 as anew from settlements where rebill_total_amount is not null'),
  );
  expect(masked).toEqual([{ side: 'payable', anew: 60 }]);

  // A supplement is the difference to what is billed anew: 30 tons at 6 instead of 5.
  await biller.must('POST', at.path(`/invoices/${receivable.id}/supplements`), { rate_value: 6, rate_type: 'RatePerTon' });
  expect(await owed()).toEqual([220, 65, 65, 135]);
  // A settlement that is voided bills nothing anew.
  await biller.must('PUT', at.path(`/settlements/${anew[1].id}/void`), {});
  expect(await owed()).toEqual([220, 35, 35, 165]);
});
