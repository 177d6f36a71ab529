import { expect, test } from '@jest/globals';
import { event, hauled, invoiceOf, M10, makeBooks } from '../books.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
const ORDER = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon' };
const KEY = 'invoice_line_item_billed_key';
const execute = (sql: string, values: readonly unknown[]): Promise<Json> => books.app.orm.em.fork().execute(sql, values as Json[]);

/** Writes a copy of the lines of an invoice to another one, as no command would. */
const copy = (from: string, to: string, more: object = {}): Promise<Json> =>
  execute(
    `insert into invoice_line_item select (jsonb_populate_record(li, jsonb_build_object('id', gen_random_uuid(), 'invoice_id', ?::uuid) || ?::jsonb)).*
     from invoice_line_item li where li.invoice_id = ?`,
    [to, JSON.stringify(more), from],
  );

test('B-I2: the database lets no load be billed twice on a side, whatever writes the second line', async () => {
  const job = await hauled(books, M10, { order: ORDER });
  const first = await invoiceOf(books, job.id);
  const path = books.biller.path(`/invoices/${first.id}/split`);
  const part = await books.biller.must('POST', path, { load_ids: [job.loads[2].id] });
  await expect(copy(part.id, first.id)).rejects.toThrow(KEY);
  await expect(copy(first.id, part.id)).rejects.toThrow(KEY);
  // Moved to a load that is billed already, too.
  await expect(
    execute('update invoice_line_item set load_id = ?, part = 0 where invoice_id = ?', [job.loads[0].id, part.id]),
  ).rejects.toThrow(KEY);
  // A line that corrects another one, and one of another side, is no second line.
  const [line] = await execute('select id from invoice_line_item where invoice_id = ?', [part.id]);
  await copy(part.id, first.id, { corrects_id: line.id });
  await execute('delete from invoice_line_item where corrects_id = ?', [line.id]);
  await books.app.settled();
});

test('B-I2: what was voided frees its loads for the part that takes its place, and does not come back next to it', async () => {
  const job = await hauled(books, M10, { order: ORDER });
  const first = await invoiceOf(books, job.id);
  const part = await books.biller.must('POST', books.biller.path(`/invoices/${first.id}/split`), { load_ids: [job.loads[2].id] });
  expect((await event(books.biller, part.id, 'void')).status).toBe(200);
  expect(await invoiceOf(books, job.id)).toMatchObject({ id: first.id, total_loads_count: 3, total_amount: '291.85' });
  await expect(execute("update invoice set state = 'pending' where id = ?", [part.id])).rejects.toThrow(KEY);
  // One that is voided may say whatever it says.
  await copy(first.id, part.id, { part: 7 });
});
