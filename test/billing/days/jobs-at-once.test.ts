import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { booksOf } from '../../../src/billing/invoices/books-of-job.ts';
import { invoicesWithin } from '../../../src/billing/invoices/comparing/invoice-jobs.ts';
import type { JobFacts } from '../../../src/billing/invoices/facts/job-facts.ts';
import { factsOfJob, factsOfJobs } from '../../../src/billing/invoices/facts/read-job-facts.ts';
import { priceEntry } from '../../../src/billing/invoices/price-entry.ts';
import { figureJson } from '../../../src/billing/pricing/figure-json.ts';
import { systemContext } from '../../../src/platform/commands/system-context.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { poolOf, type Query, queryIn } from '../../../src/platform/database/sql.ts';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { runs } from '../../helpers/properties.ts';
import { acceptedOrder, drive, ONE_LOAD } from '../../helpers/staffed-tenant.ts';
import { chargesOfM20, makeBooks } from '../books.ts';
import { company, on, rateCardOf, touch, worked } from './worked-days.ts';
import { writtenFor } from './written-invoices.ts';

const books = makeBooks();

const daily = { type: 'RatePerDay', timeRate: '900', timeMinimumMinutes: 480 };

test('what was requested for a day is charged on one of its jobs alone, also while several are invoiced at once', async () => {
  const { own } = await company(books);
  const day = await pastShift(own, own.driver.user, [['on_duty', on('05:30'), on('16:30')]]);
  const meal = await own.must('POST', '/v1/add_ons', { name: 'Meal', add_on_types: ['driver_day'], revenue_rate_value: 12 });
  await own.must('POST', `/v1/driver_days/${day.id}/add_on_charges`, { add_on_id: meal.id, quantity: 1 });
  const pay = { driver_rate_value: 100, driver_rate_type: 'RateFlatRate' };
  const jobs = [await worked(own, day.id, pay, 200), await worked(own, day.id, pay, 100)];
  await books.app.settled();
  const company_id = own.company.id;
  const em = books.app.productOrm.em.fork();
  const charged = await asCompanies([company_id], () =>
    transact(systemContext(em, company_id), async (tx) => {
      // None of them has a payable yet.
      await queryIn(tx.em, `update invoice set state = 'voided' where job_id = any($1::uuid[]) and side = 'payable'`, [
        jobs.map(({ id }) => id),
      ]);
      await invoicesWithin(
        tx,
        jobs.map(({ id }) => id),
        [company_id],
      );
      await tx.em.flush();
      const sql = `select i.job_id, i.add_on_charges_total_amount::text as amount from invoice i where i.job_id = any($1::uuid[])
        and i.side = 'payable' and i.state <> 'voided' order by i.job_id`;
      return queryIn<{ job_id: string; amount: string }>(tx.em, sql, [jobs.map(({ id }) => id)]);
    }),
  );
  expect(charged.map(({ amount }) => Number(amount)).toSorted()).toEqual([0, 12]);
});

/** The jobs of all tests before, in whatever company. */
const LATEST = 'select id, company_id as "companyId" from job order by created_at desc limit 24';

test('B-I10: what is read, priced and written of many jobs at once is what is of each alone, to the cent and row by row', async () => {
  // Jobs whose price depends on others: by bands of an order, by a day, by fuel and an add-on that comes by itself.
  const { own } = await company(books);
  const { fuel } = await chargesOfM20({ ...books, tenant: own });
  await own.must('POST', `/v1/accounts/${own.account.id}/auto_add_on_assignments`, { account_type: 'customer', add_on_id: fuel.id });
  const byUnits = { timeMinimumMinutes: undefined, timeIncrementMinutes: undefined, unitMinimum: '0', unitIncrement: '0' };
  const bands = { ...byUnits, type: 'RatePerLoad', unitRate: '6', tiers: [{ from: '1', rate: '5' }] };
  const tiered = { truck_count: 2, loads_per_truck: 1, ...(await rateCardOf(own, { ...bands, tierMode: 'slab' })) };
  for (const { id } of (await acceptedOrder(own, tiered)).jobs) {
    await own.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: own.driver.id });
    await own.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
    await drive(own.driver, id, 'accept', ...ONE_LOAD, 'complete');
  }
  const day = await rateCardOf(own, daily);
  for (const minutes of [200, 300]) await touch(own, await worked(own, null, day, minutes));
  await books.app.settled();
  const pool = await poolOf(books.app.orm.em.fork());
  const query: Query = async <R extends object>(sql: string, values: unknown[]) => (await pool.query<R>(sql, values)).rows;
  const latest = await query<{ id: string; companyId: string }>(LATEST, []);
  const ids = latest.map(({ id }) => id);
  const pricesOf = (job: JobFacts) =>
    booksOf(job).map((entry) => {
      const priced = priceEntry(job, entry, {});
      return priced && figureJson(priced.total);
    });
  const alone = new Map<string, JobFacts>();
  for (const id of ids) alone.set(id, (await factsOfJob(query, id))!);
  const all = [...alone.values()];
  expect([all.some(({ sameDay }) => sameDay.length > 0), all.some(({ sameOrder }) => sameOrder.length > 0)]).toEqual([true, true]);
  expect(all.some(({ charges }) => charges.some(({ auto, billSurcharge }) => auto && billSurcharge === '4'))).toBe(true);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(ids, { minLength: 1 }), async (some) => {
      const found = await factsOfJobs(query, some);
      expect([...found.keys()].toSorted()).toEqual(some.toSorted());
      for (const [id, job] of found) {
        expect(job).toEqual(alone.get(id));
        expect(pricesOf(job)).toEqual(pricesOf(alone.get(id)!));
      }
    }),
    { numRuns: runs(8) },
  );

  // Invoices, lines, charges and matches are the same, too.
  const ofCompanies = [...Map.groupBy(latest, ({ companyId }) => companyId).values()];
  expect(ofCompanies[0]).toHaveLength(4);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ofCompanies).chain((of) => fc.shuffledSubarray(of, { minLength: Math.min(2, of.length) })),
      async (some) => {
        const companies = [some[0]!.companyId];
        const together = await writtenFor(books.app, some, (tx, ids) => invoicesWithin(tx, ids, companies));
        const oneByOne = await writtenFor(books.app, some, async (tx, ids) => {
          for (const id of ids) await invoicesWithin(tx, [id], companies);
        });
        expect(together.length).toBeGreaterThan(some.length);
        expect(together).toEqual(oneByOne);
      },
    ),
    { numRuns: runs(8) },
  );
});
