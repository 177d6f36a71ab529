import type { Currency } from '../../directory/companies/company-enums.ts';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { type ByBreaks, paidMinutesOf } from '../../dispatch/drivers/driver-day-figures.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { isPaidByDay } from '../invoices/books-of-job.ts';
import type { ChargeOfJob } from '../invoices/facts/charge-facts.ts';
import { addFuel } from '../invoices/facts/charges-of-jobs.ts';
import { chargesSql, payBySql } from '../invoices/facts/job-facts.sql.ts';
import type { JobFacts, TimeChoices } from '../invoices/facts/job-facts.ts';
import { factsOfJobs, NOT_ACCEPTED } from '../invoices/facts/read-job-facts.ts';
import { isPaidWithDay } from '../invoices/price-entry.ts';
import { deliveredLoads, forLoads } from '../invoices/work-of-job.ts';

/** Everything that the pay of a driver for a day depends on. */
export interface DayFacts extends TimeChoices {
  id: string;
  version: number;
  /** The driver's company, in whose books it is. */
  companyId: string;
  driverId: string;
  currency: Currency;
  /** The date of the day. */
  serviceDate: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The driver's company has approved it for billing. */
  approved: boolean;
  /** Minutes of the shift that are paid, as they were approved or else as the shift gives them; null while it lasts. */
  shiftMinutes: ByBreaks | null;
  paidByDay: boolean;
  /** All jobs of the day, also those that are paid by themselves. */
  jobIds: string[];
  /** The jobs that are paid with the day, in the order of their numbers. */
  jobs: JobFacts[];
  /** Whether there are jobs on the day that are paid by themselves. */
  hasOthers: boolean;
  /** The charges that were requested for the day, or for its jobs, or that come by themselves. */
  charges: ChargeOfJob[];
}

type Row = Omit<DayFacts, 'jobs' | 'hasOthers' | 'shiftMinutes' | 'breaksPaid'>;

/** A charge that was approved with the pay for a job is not paid with the day again. */
const NOT_PAID_WITH_JOB = `not exists (select from add_on_charge c join invoice ci on ci.id = c.add_on_applicable_id where c.requested_charge_id = h.id
    and ci.job_id is not null and ci.billing_approved_at is not null and ci.state <> 'voided')`;
const FACTS = namedStatement(`
select jsonb_build_object('id', d.id, 'version', d.version, 'companyId', d.company_id, 'driverId', d.driver_id, 'currency', c.currency,
    'serviceDate', d.driver_day_date, 'startedAt', coalesce(d.adjusted_started_shift_at, d.started_shift_at),
    'endedAt', case when d.ended_shift_at is not null then coalesce(d.adjusted_ended_shift_at, d.ended_shift_at) end,
    'approved', d.billing_approved_at is not null, 'overtimeAfter', case when ${settingSql('cs', 'overtimePaid')} then ${settingSql('cs', 'overtimeAfterMinutes')} end,
    'paidByDay', exists (select from invoice i where i.driver_day_id = d.id and i.billing_approved_at is not null and i.state <> 'voided')
      or ${payBySql('u', 'cs')} = 'driver_day',
    'jobIds', array(select j.id from job j where j.driver_day_id = d.id and j.driver_id = d.driver_id and j.state <> all($2::text[]) order by j.number, j.id),
    'charges', ${chargesSql(`h.driver_day_id = d.id and ${NOT_PAID_WITH_JOB}`, 'hi.driver_day_id = d.id')}) as facts
from driver_day d join company c on c.id = d.company_id join app_user u on u.id = d.driver_id left join company_settings cs on cs.id = d.company_id
where d.id = $1`);

/** Returns what the pay for a day depends on; undefined if there is no such day. The day is locked. */
export async function factsOfDay(tx: TxContext, dayId: string): Promise<DayFacts | undefined> {
  const query = <R extends object>(sql: string, values?: unknown[]) => queryIn<R>(tx.em, sql, values);
  const [row] = await query<{ facts: Row }>(FACTS, [dayId, NOT_ACCEPTED]);
  if (!row) return undefined;
  const day = row.facts;
  const found = await factsOfJobs(query, day.jobIds);
  const all = day.jobIds.map((id) => found.get(id)!);
  const jobs = all.filter((job) => isPaidByDay(job, rateOfDriver(day.companyId, job)));
  await addFuel(
    query,
    day.charges.map((charge) => ({ charge, date: day.serviceDate })),
  );
  const { minutes: shiftMinutes, breaksPaid } = (await paidMinutesOf(query, [dayId])).get(dayId)!;
  return {
    ...day,
    ...{ shiftMinutes, breaksPaid },
    jobs,
    hasOthers: jobs.length < all.length,
    charges: [...day.charges.filter((one) => one.invoiceId || isPaidWithDay(one)), ...chargesOfJobs(day.companyId, jobs)],
  };
}

/** A driver's rate was noted by the owner of the job, for its own drivers. */
export const rateOfDriver = (companyId: string, job: JobFacts): JobFacts['rates']['driver'] =>
  job.companyId === companyId ? job.rates.driver : undefined;

/** Returns the charges of the jobs of a day: each request, and each charge that comes by itself once, for the loads of the jobs to which it comes. */
function chargesOfJobs(companyId: string, jobs: readonly JobFacts[]): ChargeOfJob[] {
  const found = jobs.flatMap((job) => job.charges.filter((one) => isPaidWithDayOfJob(companyId, one)).map((charge) => ({ job, charge })));
  return [...Map.groupBy(found, ({ charge }) => charge.rootId ?? charge.id).values()].map((its) =>
    forLoads(its[0]!.charge, () =>
      deliveredLoads(
        its.map(({ job }) => job),
        companyId,
      ),
    ),
  );
}

/** Pay for time includes waiting already, and a charge that was added to an invoice of a job is that invoice's. */
function isPaidWithDayOfJob(companyId: string, one: ChargeOfJob): boolean {
  if (one.companyId !== companyId || one.waiting || one.invoiceId || one.dayId) return false;
  if (one.auto) return one.auto === 'driver';
  return one.uses === null ? one.costRate !== null : one.uses.includes('driver_pay');
}
