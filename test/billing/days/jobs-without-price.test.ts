import { expect, test } from '@jest/globals';
import { invoiceJobs } from '../../../src/billing/invoices/comparing/invoice-jobs.ts';
import { makeBooks } from '../books.ts';
import { company, linesOfJobs, rateCardOf, touch, worked } from './worked-days.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

test('a job that has no price fails alone, with its reason kept in the log, and is tried again', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '60' });
  const jobs: Json[] = [];
  for (const minutes of [60, 120, 180]) jobs.push(await worked(own, null, rates, minutes));
  await books.app.settled();
  const [, wrong] = jobs;
  const sql = <R extends object>(text: string, id: string) => books.app.orm.em.getConnection().execute<R[]>(text, [id]);
  const noted = `update job set rate_source = jsonb_set(rate_source, '{customer,value}', '"VALUE"') where id = ?`;
  await sql(noted.replace('VALUE', 'much'), wrong.id);
  const ask = 'insert into invoice_task (id, company_id, due_at) select id, company_id, now() from job where company_id = ?';
  await sql(ask, own.company.id);
  const failed = await invoiceJobs(
    books.app.productOrm.em.fork(),
    jobs.map(({ id }) => ({ id, companyId: own.company.id })),
  );
  expect([...failed].map(([{ id }, error]) => [id, (error as Error).message])).toEqual([[wrong.id, expect.stringContaining('much')]]);
  expect(await linesOfJobs(books, by, [jobs[0], jobs[2]])).toEqual([['60'], ['180']]);
  const open = () => sql<{ id: string; attempts: number }>('select id, attempts from invoice_task where company_id = ?', own.company.id);
  expect(await open()).toEqual([{ id: wrong.id, attempts: 1 }]);
  await sql(noted.replace('VALUE', '60'), wrong.id);
  await touch(own, wrong);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['60'], ['120'], ['180']]);
  expect(await open()).toEqual([]);
});
