import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import fc from 'fast-check';
import { booksOf } from '../../../src/billing/invoices/books-of-job.ts';
import { invoicesWithin } from '../../../src/billing/invoices/comparing/invoice-jobs.ts';
import type { JobFacts } from '../../../src/billing/invoices/facts/job-facts.ts';
import { factsOfJob, factsOfJobs } from '../../../src/billing/invoices/facts/read-job-facts.ts';
import { priceEntry } from '../../../src/billing/invoices/price-entry.ts';
import { figureJson } from '../../../src/billing/pricing/figure-json.ts';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { systemContext } from '../../../src/platform/commands/system-context.ts';
import { transact } from '../../../src/platform/commands/transact.ts';
import { asCompanies } from '../../../src/platform/database/scope.ts';
import { poolOf, type Query, queryIn } from '../../../src/platform/database/sql.ts';
import { pastShift } from '../../dispatch/drivers/shifts.ts';
import { runs } from '../../helpers/properties.ts';
import { acceptedOrder, act, drive, makeChain, readyJob, type StaffedTenant, shortHaul } from '../../helpers/staffed-tenant.ts';
import { type Biller, billerOf, chargesOfM20, event, invoiceOf, makeBooks, messages } from '../books.ts';
import { billedAsChosen, choose, company, linesOfJobs, on, rateCardOf, touch, worked, ZONE } from './worked-days.ts';
import { writtenFor } from './written-invoices.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();
/** When the file began: other files have jobs in the same database. */
const began = new Date();

const daily = { type: 'RatePerDay', timeRate: '900', timeMinimumMinutes: 480 };

test.each([
  [[505], [['900']]],
  [[300], [['562.5']]],
  [
    [310, 190],
    [['558'], ['342']],
  ],
])('M14: the jobs of a driver and date share one day of 900: %j minutes', async (minutes, amounts) => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, daily);
  const jobs: Json[] = [];
  for (const one of minutes) jobs.push(await worked(own, null, rates, one));
  // The minutes were written behind the product's back: whether anybody has read them by now is a matter of how busy the machine is.
  for (const job of jobs) await touch(own, job);
  await own.must('PUT', own.path(`/jobs/${jobs[0].id}/approve`), {}, await own.administrator());
  expect(await linesOfJobs(books, by, jobs)).toEqual(amounts);
});

test('B-I8: nothing is lost of hours that are no whole minutes, where jobs share those of a day', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { type: 'RatePerHour', timeRate: '100', minimumPer: 'day' });
  const jobs = [await worked(own, null, rates, 310), await worked(own, null, rates, 125)];
  await own.must('PATCH', `/v1/jobs/${jobs[0].id}`, { billable_hours: 7.3333 });
  for (const job of jobs) await touch(own, job);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['733.33'], ['208.33']]);
});

test('M14: the last of three equal jobs takes the rest, and each follows what the others do', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, { ...daily, timeRate: '1000', timeMinimumMinutes: 0 });
  const jobs = [await worked(own, null, rates, 100), await worked(own, null, rates, 100)];
  // Another customer pays for a day of their own.
  const other = await own.save(Account, { company: ref(own.company), name: 'Another', accountTypes: ['customer'] });
  const theirs = await worked(own, null, { ...rates, account_id: other.id }, 100);
  for (const job of [...jobs, theirs]) await touch(own, job);
  expect(await linesOfJobs(books, by, [...jobs, theirs])).toEqual([['500'], ['500'], ['1000']]);
  const open = await readyJob(own, rates);
  const [first] = jobs;
  const waiting = await invoiceOf(books, first.id, 'receivable', by);
  await own.must('PUT', own.path(`/jobs/${first.id}/approve`), {}, await own.administrator());
  expect(messages(await event(by, waiting.id, 'approve'))).toEqual([
    'cannot be approved: another job of the driver that is paid with it on that day is not finished',
  ]);
  await own.dispatcher.must('PUT', own.path(`/jobs/${open.id}/cancel`), {});
  jobs.push(await worked(own, null, rates, 100));
  await touch(own, jobs[2]);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['333.33'], ['333.33'], ['333.34']]);
  // A rate by hand is for one job alone.
  await by.must('PATCH', by.path(`/invoices/${waiting.id}`), { rate_value: 700, rate_type: 'RatePerDay' });
  expect(await linesOfJobs(books, by, jobs)).toEqual([['700'], ['500'], ['500']]);
});

test('M14: what a job gets of a day follows the minutes of another one, and stays when both are approved', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, daily);
  const jobs = [await worked(own, null, rates, 310), await worked(own, null, rates, 190)];
  for (const job of jobs) await touch(own, job);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['558'], ['342']]);
  const until = (minutes: number) => ({ adjustedLoggingEndedAt: new Date(on('06:00').getTime() + minutes * 60_000) });
  const change = async (minutes: number): Promise<void> => {
    await books.app.orm.em.fork().nativeUpdate(Job, { id: jobs[0].id }, until(minutes) as never, { filters: { tenant: false } });
    await own.must('PATCH', `/v1/orders/${jobs[0].order.id}`, { tax_rate: minutes / 100, tax_freight: true });
  };
  await change(290);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['543.75'], ['356.25']]);
  const admin = await own.administrator();
  for (const { id } of jobs) {
    await own.must('PUT', own.path(`/jobs/${id}/approve`), {}, admin);
    await event(by, (await invoiceOf(books, id, 'receivable', by)).id, 'approve');
  }
  // Each is compared with the other, and that comes to an end.
  await change(310);
  expect(await linesOfJobs(books, by, jobs)).toEqual([['543.75'], ['356.25']]);
});

test('of a day with work for two owners, each pays for its part, and approves what it was shown', async () => {
  const { owner, middle, last, hired, subHired } = await makeChain(books.app, { timeZone: ZONE });
  const driver = await last.person({ roles: ['driver'] });
  const times = { firstHomebaseExitAt: on('06:00'), lastHomebaseEntryAt: on('16:00') };
  const day = await pastShift(last, driver.user, [['on_duty', on('05:30'), on('16:30')]], times);
  const jobs: { of: StaffedTenant; by: Biller; id: string }[] = [];
  for (const payer of [middle, owner]) {
    const portal = { type: 'RatePerHour', ownerType: 'vendor', timeRate: '60', timeBasis: 'portal' };
    const { customer_rate_id: vendor_rate_id } = await rateCardOf(payer, portal);
    const order = await acceptedOrder(payer, { vendor_rate_id });
    const [{ id }] = order.jobs;
    if (payer === owner) await act(owner, id, 'assign_vendor', { vendor_id: hired.id });
    await act(middle, id, 'assign_vendor', { vendor_id: subHired.id });
    await last.dispatcher.must('PATCH', `/v1/jobs/${id}`, { driver_id: driver.id });
    await last.dispatcher.must('PUT', `/v1/jobs/${id}/request`, {});
    await drive(driver, id, 'accept', ...shortHaul());
    const logged = { adjustedLoggingStartedAt: on('06:00'), adjustedLoggingEndedAt: on('11:00') };
    await books.app.orm.em
      .fork()
      .nativeUpdate(Job, { id }, { ...logged, driverDayId: day.id, breaks: '{}' } as never, { filters: { tenant: false } });
    await touch(payer, { order });
    jobs.push({ of: payer, by: await billerOf(payer), id });
    // While only one of them is done, it pays for the whole day.
    const paid = await Promise.all(jobs.map(async (one) => (await invoiceOf(books, one.id, 'payable', one.by)).total_amount));
    expect(paid).toEqual(jobs.length === 1 ? ['600'] : ['300', '300']);
  }
  // The day is one of the last company of a chain, which the first one does not read.
  const { of, by, id } = jobs[1]!;
  await of.must('PUT', of.path(`/jobs/${id}/approve`), {}, await of.administrator());
  const { id: payable } = await invoiceOf(books, id, 'payable', by);
  const approved = await event(by, payable, 'approve');
  expect([approved.status, approved.body.data?.total_amount, approved.body.error]).toEqual([200, '300', undefined]);
});

test('what is paid by the shift follows the day, whatever happens to its job', async () => {
  const { own, by } = await company(books);
  const spans = [['on_duty', on('05:30'), on('16:30')]] as const;
  const day = await pastShift(own, own.driver.user, spans, { firstHomebaseExitAt: on('05:52') });
  const shift = await rateCardOf(own, { type: 'RatePerHour', timeRate: '60', timeBasis: 'shift' });
  const job = await worked(own, day.id, shift, 100);
  await touch(own, job);
  expect(await linesOfJobs(books, by, [job])).toEqual([['660']]);
  await own.must(
    'PATCH',
    `/v1/driver_days/${day.id}`,
    { shift_adjustment_minutes: -60, shift_adjustment_type: 'lunch' },
    await own.administrator(),
  );
  expect(await linesOfJobs(books, by, [job])).toEqual([['600']]);
  // The time of another job of the day takes its part, whatever that is paid by, and a rate card that somebody sets on its invoice knows the day, too.
  const other = await worked(own, day.id, { customer_rate_value: 50, customer_rate_type: 'RatePerHour' }, 50);
  await own.must('PATCH', `/v1/jobs/${other.id}`, { billable_hours: 5 });
  expect(await linesOfJobs(books, by, [job, other])).toEqual([['150'], ['250']]);
  const byHand = by.path(`/invoices/${(await invoiceOf(books, other.id, 'receivable', by)).id}`);
  await by.must('PATCH', byHand, { rate_id: shift.customer_rate_id });
  expect(await linesOfJobs(books, by, [job, other])).toEqual([['150'], ['450']]);
  await own.must('PATCH', `/v1/driver_days/${day.id}`, { shift_adjustment_minutes: -120 }, await own.administrator());
  expect(await linesOfJobs(books, by, [job, other])).toEqual([['135'], ['405']]);
  const [preview] = await by.must('GET', by.path(`/billing/previews?job_ids[]=${other.id}&side=receivable`));
  expect(preview.totals.map(({ total_amount }: Json) => total_amount)).toEqual(['405']);
  await by.must('PATCH', byHand, { rate_value: null });
  expect(await linesOfJobs(books, by, [job, other])).toEqual([['135'], ['250']]);
});

test('a job that goes to another driver keeps those of its day waiting no more', async () => {
  const { own, by } = await company(books);
  const rates = await rateCardOf(own, daily);
  const done = await worked(own, null, rates, 300);
  const waiting = await readyJob(own, { loads_per_truck: 1, ...rates });
  const blockers = async () => {
    const { id } = await invoiceOf(books, done.id, 'receivable', by);
    return (await by.gql('query($id: ID!) { invoice(id: $id) { blockers } }', { id })).data.invoice.blockers;
  };
  expect(await blockers()).toContain('day_not_finished');
  const other = await own.person({ roles: ['driver'] });
  await own.dispatcher.must('PATCH', `/v1/jobs/${waiting.id}`, { driver_id: other.user.id });
  expect(await blockers()).not.toContain('day_not_finished');
});

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

test('overtime of a driver who is paid by job begins with the job in which the regular day ends', async () => {
  const { own, by } = await company(books);
  await choose(own, { overtimePaid: true });
  const pay = { driver_rate_value: 32, driver_rate_type: 'RatePerHour' };
  const jobs = [await worked(own, null, pay, 420), await worked(own, null, pay, 135)];
  for (const job of jobs) await touch(own, job);
  expect(await linesOfJobs(books, by, jobs, 'payable')).toEqual([['224'], ['32', '60']]);
  await own.must('PUT', own.path(`/jobs/${jobs[1].id}/approve`), {}, await own.administrator());
  await billedAsChosen(books, own, by, { job: jobs[1], chosen: { overtimePaid: false }, side: 'payable' });
  expect(await linesOfJobs(books, by, jobs, 'payable')).toEqual([['224'], ['32', '60']]);
});

/** The jobs of all tests of this file before, in whatever company. */
const LATEST = 'select id, company_id as "companyId" from job where created_at >= $1 order by created_at desc limit 24';

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
    await drive(own.driver, id, 'accept', ...shortHaul());
  }
  const day = await rateCardOf(own, daily);
  for (const minutes of [200, 300]) await touch(own, await worked(own, null, day, minutes));
  await books.app.settled();
  const pool = await poolOf(books.app.orm.em.fork());
  const query: Query = async <R extends object>(sql: string, values: unknown[]) => (await pool.query<R>(sql, values)).rows;
  const latest = await query<{ id: string; companyId: string }>(LATEST, [began]);
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
      // Of jobs that are not paid by time, previews do not ask how long they took; of the others, and whatever is shared with them, they do.
      for (const whole of [new Set<string>(), new Set(some.slice(1))])
        for (const [id, job] of await factsOfJobs(query, some, whole)) expect(pricesOf(job)).toEqual(pricesOf(alone.get(id)!));
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
