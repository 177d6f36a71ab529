import { expect, test } from '@jest/globals';
import type { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { FillWhoseBillHasLoads } from '../../../migrations/202611282354-fill-whose-bill-has-loads.ts';
import { event, hauled, invoiceOf, M10, makeBooks } from '../books.ts';

// A database of its own: it has no constraint by the end, and the files that follow would find none either.
const books = makeBooks({ newDatabase: true });
const ORDER = { customer_rate_value: 4.25, customer_rate_type: 'RatePerTon', driver_rate_value: 1, driver_rate_type: 'RatePerTon' };

test('lines of before note their books when the product is upgraded, and of two for one load the first one does', async () => {
  const { biller, app } = books;
  const job = await hauled(books, M10, { order: ORDER });
  const [first, pay] = [await invoiceOf(books, job.id), await invoiceOf(books, job.id, 'payable')];
  const part = await biller.must('POST', biller.path(`/invoices/${first.id}/split`), { load_ids: [job.loads[2].id] });
  const gone = await invoiceOf(books, (await hauled(books, ['10'], { order: ORDER })).id);
  expect((await event(biller, gone.id, 'void')).status).toBe(200);
  await app.settled();
  const db = new pg.Client({ connectionString: String(app.orm.config.get('clientUrl')) });
  await db.connect();
  try {
    await db.query('alter table invoice_line_item drop constraint invoice_line_item_billed_key');
    await db.query('update invoice_line_item set books = null');
    await db.query(
      `insert into invoice_line_item select (jsonb_populate_record(li, jsonb_build_object('id', '0fffffff-ffff-7fff-bfff-ffffffffffff', 'invoice_id', $1::uuid))).*
       from invoice_line_item li where li.invoice_id = $2 and li.load_id = $3`,
      [part.id, first.id, job.loads[0].id],
    );
    await db.query('update invoice_line_item set books = null');
    const migration = new FillWhoseBillHasLoads({} as never, {} as never) as Migration;
    migration.up();
    const run = async () => {
      for (const sql of migration.getQueries()) await db.query(String(sql));
    };
    const noted = async (): Promise<unknown[][]> =>
      (
        await db.query<{ invoice: string; load: string; books: string | null }>(
          'select invoice_id as invoice, load_id as load, books from invoice_line_item order by load_id, books nulls last, invoice_id',
        )
      ).rows
        .filter(({ invoice }) => [first.id, pay.id, part.id, gone.id].includes(invoice))
        .map(({ invoice, load, books: of }) => [invoice, job.loads.findIndex(({ id }: { id: string }) => id === load), of]);
    await run();
    const expected = [
      ...[0, 1, 2].map((at) => [pay.id, at, 'payable']),
      // The one that was written by hand has the higher id.
      ...[
        [first.id, 0, 'receivable'],
        [part.id, 0, null],
        [first.id, 1, 'receivable'],
        [part.id, 2, 'receivable'],
        [gone.id, -1, null],
      ],
    ];
    const byText = (a: unknown[], b: unknown[]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect((await noted()).toSorted(byText)).toEqual(expected.toSorted(byText));
    // Begun again, it changes nothing.
    await run();
    expect((await noted()).toSorted(byText)).toEqual(expected.toSorted(byText));
  } finally {
    await db.end();
  }
});
