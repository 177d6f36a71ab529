import { expect, test } from '@jest/globals';
import { approveLoads, event, hauled, invoiceOf, makeBooks } from '../books.ts';
import { settle } from '../settled.ts';
import { fileOf } from './filed.ts';
import { csv } from './read-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a line for accounting is of the material of its loads, as a line on paper is', async () => {
  const { biller, tenant } = books;
  const admin = await tenant.administrator();
  const sand = await tenant.must('POST', '/v1/materials', { name: 'Washed sand' });
  const priced = { material_rate_sell_price: 10, material_rate_unit_of_measure: 'Ton', material_rate_itemized: true };
  const job = await hauled(books, ['10', '20'], { order: { customer_rate_value: 2, customer_rate_type: 'RatePerTon', ...priced } });
  const tickets: Json[] = await tenant.must('GET', `/v1/jobs/${job.id}/tickets`);
  const second = tickets.find(({ quantity }) => quantity === '20');
  await tenant.must('PATCH', `/v1/tickets/${second.id}`, { material_id: sand.id });
  await approveLoads(biller, job);
  const invoice = await invoiceOf(books, job.id);
  expect((await event(biller, invoice.id, 'approve')).body.data.total_amount).toBe('360');
  const settlement = await settle(books, [invoice], { settlement_line_item_type: 'load' });
  const [group] = await biller.must('GET', biller.path(`/settlements/${settlement.id}/settlement_line_items`));
  const onPaper = group.line_items.map(({ materials, total_amount }: Json) => [...materials, total_amount]);
  await biller.must('PUT', biller.path(`/settlements/${settlement.id}/approve`), {});
  const rows = csv((await fileOf({ books, admin }, 'xero', [settlement], { tracking_1: 'material' })).bytes);
  const inFile = rows.map((row) => [row.TrackingOption1!, String(Number(row['*Quantity']) * Number(row['*UnitAmount']))]);
  expect(inFile.toSorted()).toEqual(onPaper.toSorted());
  expect(inFile.toSorted()).toEqual([
    ['Gravel', '100'],
    ['Gravel', '20'],
    ['Washed sand', '200'],
    ['Washed sand', '40'],
  ]);
  // What is sold is the item of its line.
  expect(rows.filter((row) => row['*Description']!.startsWith('Washed sand: ')).map((row) => row['*Quantity'])).toEqual(['20']);
});
