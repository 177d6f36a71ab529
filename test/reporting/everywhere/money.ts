import { expect } from '@jest/globals';
import type { Biller, Books } from '../../billing/books.ts';
import { rowsOf } from '../bi-logins.ts';
import { asTool, listOf, round, sumOf, sums } from './sums.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Compares what is owed in invoices, their lines, metrics, settlements, on paper and in SQL. */
export async function compareMoney(books: Books, admin: Biller): Promise<void> {
  const { tenant } = books;
  const views: Json = await asTool(books, async (db) => ({
    money: await rowsOf(
      db,
      `select sum(receivable) as receivable, sum(driver_payable) as driver_payable, sum(payable) as payable,
         coalesce(sum(receivable_without_tax), 0) - coalesce(sum(payable_without_tax), 0)
           - coalesce((select sum(material_cost_without_payable) from metric_material_costs), 0) as margin from metric_invoices`,
    ),
    invoices: await rowsOf(
      db,
      `select id, side, coalesce(rebill_total_amount, total_amount) as owed, total_amount, settlement_id from invoices where state <> 'voided'`,
    ),
    settlements: await rowsOf(
      db,
      `select id, coalesce(rebill_total_amount, total_amount) as total from settlements where state <> 'voided'`,
    ),
    lines: await rowsOf(db, 'select invoice_id as id, sum(total_amount) as total from invoice_lines group by 1'),
  }));
  // What is owed: invoices with their lines, metrics, and settlements.
  const invoices = (await listOf(admin, tenant.path('/invoices'))).filter(({ state }) => state !== 'voided');
  const totals = sums(
    invoices,
    ({ id }) => id,
    ({ total_amount }) => total_amount,
    2,
  );
  expect(
    sums(
      views.invoices,
      ({ id }) => id,
      ({ total_amount }) => total_amount,
      2,
    ),
  ).toEqual(totals);
  for (const invoice of invoices) {
    const lines: Json[] = await admin.must('GET', tenant.path(`/invoices/${invoice.id}/invoice_line_items`));
    const sum = lines.reduce((all, { total_amount }) => all + Number(total_amount), 0);
    expect([invoice.invoice_id, round(sum, 2)]).toEqual([invoice.invoice_id, Number(invoice.invoice_line_items_total_amount)]);
    const charges: Json[] = await admin.must('GET', tenant.path(`/invoices/${invoice.id}/add_on_charges`));
    const charged = charges.reduce((all, { total_amount }) => all + Number(total_amount), 0);
    expect([invoice.invoice_id, round(sum + charged + Number(invoice.tax_total_amount ?? 0), 2)]).toEqual([
      invoice.invoice_id,
      Number(invoice.total_amount),
    ]);
  }
  const owed = sums(
    views.invoices,
    ({ side }) => side,
    ({ owed: amount }) => amount,
    2,
  );
  const [{ values }] = await admin.must(
    'GET',
    `${tenant.path('/metrics')}?measures[]=receivable&measures[]=driver_payable&measures[]=payable&measures[]=margin`,
  );
  const measured = sums(
    values,
    ({ measure }) => measure,
    ({ value }) => value,
    2,
  );
  expect({ receivable: measured.receivable, payable: measured.payable, driver: measured.driver_payable }).toEqual({
    receivable: owed.receivable,
    payable: owed.payable,
    driver: owed.payable,
  });
  expect(
    sums(
      Object.entries(views.money[0]),
      ([name]) => name,
      ([, value]) => value ?? 0,
      2,
    ),
  ).toEqual(measured);

  const settlements = [
    ...(await listOf(admin, tenant.path('/settlements/receivables'))),
    ...(await listOf(admin, tenant.path('/settlements/payables'))),
  ].filter(({ state }) => state !== 'voided');
  const settledTotals = sums(
    settlements,
    ({ id }) => id,
    ({ total_amount, rebill_total_amount }) => rebill_total_amount ?? total_amount,
    2,
  );
  expect(
    sums(
      views.settlements,
      ({ id }) => id,
      ({ total }) => total,
      2,
    ),
  ).toEqual(settledTotals);
  for (const settlement of settlements) {
    const { id } = settlement;
    const of = (rest: string): Promise<Json> => admin.must('GET', tenant.path(`/settlements/${id}${rest}`));
    const rebilled = settlement.rebill_total_amount !== null && settlement.rebill_total_amount !== undefined;
    const [groupsOfLines, charges, own] = [await of('/settlement_line_items'), await of('/add_on_charges'), await of('/invoices')];
    const charged = charges.reduce(
      (all: number, one: Json) => all + Number((rebilled ? one.rebill_total_amount : null) ?? one.total_amount),
      0,
    );
    const invoicesTotal = Number((rebilled ? settlement.rebill_invoices_total_amount : null) ?? settlement.invoices_total_amount);
    expect([id, round(invoicesTotal + charged, 2)]).toEqual([id, settledTotals[id] ?? 0]);
    expect([id, round(sumOf(own, 'total_amount'), 2)]).toEqual([id, Number(settlement.invoices_total_amount)]);
    const lines: Json[] = groupsOfLines.flatMap(({ line_items }: Json) => line_items);
    expect([id, round(sumOf(lines, 'total_amount'), 2)]).toEqual([id, round(sumOf(own, 'invoice_line_items_total_amount'), 2)]);
    // It is not drawn up unless its parts add up to its total.
    expect((await admin.http('GET', tenant.path(`/settlements/${id}/pdf`))).status).toBe(200);
    const { explain } = await of('/explain');
    expect([id, Number(explain.amount)]).toEqual([id, Number(settlement.total_amount)]);
    expect([id, Number((explain.rebilled ?? explain).amount)]).toEqual([id, settledTotals[id] ?? 0]);
  }
}
