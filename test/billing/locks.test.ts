import { expect, test } from '@jest/globals';
import { untilWaiting } from '../helpers/until.ts';
import { hauled, invoiceOf, makeBooks } from './books.ts';

const books = makeBooks();

test('whoever has an order gets its jobs, too, while their invoices are to be compared', async () => {
  const job = await hauled(books, ['10']);
  const draft = await invoiceOf(books, job.id);
  let compared: Promise<void> | undefined;
  await books.app.orm.em.fork().transactional(async (em) => {
    await em.execute('select 1 from orders where id = ? for update', [job.order.id]);
    const due = 'insert into invoice_task (id, company_id, due_at) select id, company_id, now() from job where id = ?';
    await books.app.orm.em.fork().execute(due, [job.id]);
    compared = books.app.settled();
    await untilWaiting(books.app);
    // As a command does that approves the day of a driver.
    expect(await em.execute('select id from job where id = ? for update nowait', [job.id])).toEqual([{ id: job.id }]);
  });
  await compared;
  expect((await invoiceOf(books, job.id)).id).toBe(draft.id);
});
