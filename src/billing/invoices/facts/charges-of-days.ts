import { namedStatement } from '../../../platform/database/named-statements.ts';
import { withPartnerVisibility } from '../../../platform/database/scope.ts';
import type { Query } from '../../../platform/database/sql.ts';
import { booksOf } from '../books-of-job.ts';
import { chargesSql } from './job-facts.sql.ts';
import type { ChargeOfJob, JobFacts } from './job-facts.ts';

interface Payable {
  jobId: string;
  startAt: string;
  number: number;
  approved: boolean;
  /** The requests of which it has copies. */
  charged: string[];
}

interface ChargedDay {
  dayId: string;
  companyId: string;
  /** It has a payable of its own. */
  isOne: boolean;
  charges: ChargeOfJob[];
  /** What its driver gets for jobs of the day; of each job, only the first part. */
  payables: Payable[];
}

const DAYS = namedStatement(`select d.id as "dayId", d.company_id as "companyId",
    exists (select from invoice i where i.driver_day_id = d.id and i.state <> 'voided') as "isOne", ${chargesSql('h.driver_day_id = d.id', 'false')} as charges,
    coalesce((select json_agg(json_build_object('jobId', j.id, 'startAt', j.job_start_at, 'number', j.number, 'approved', i.billing_approved_at is not null,
        'charged', array(select c.requested_charge_id from add_on_charge c where c.add_on_applicable_id = i.id and c.requested_charge_id is not null)))
      from job j join invoice i on i.job_id = j.id where j.driver_day_id = d.id and i.company_id = d.company_id and i.payee_driver_id = d.driver_id
        and i.reason = 'regular' and i.state <> 'voided'), '[]') as payables
  from driver_day d where d.id = any($1::uuid[])`);

/**
 * Adds what was requested for the day of a job to one of its jobs, if its driver is paid by them (BILLING B4): to the one whose approved payable has it
 * already, or else to the first, by start and number, whose payable nobody has approved. Jobs of all companies count, so each says the same.
 */
export async function addChargesOfDays(query: Query, jobs: readonly JobFacts[]): Promise<void> {
  const charged = jobs.filter(({ driverDayId, isDayCharged }) => driverDayId && isDayCharged);
  if (charged.length === 0) return;
  const ids = [...new Set(charged.map(({ driverDayId }) => driverDayId))];
  const days = new Map((await withPartnerVisibility(() => query<ChargedDay>(DAYS, [ids]))).map((day) => [day.dayId, day]));
  for (const job of charged) {
    const day = days.get(job.driverDayId!);
    if (day) job.charges.push(...chargesOn(job, day));
  }
}

function chargesOn(job: JobFacts, { dayId, companyId, isOne, charges, payables }: ChargedDay): ChargeOfJob[] {
  const isPaid = booksOf(job).some((entry) => entry.payeeDriverId !== null && entry.companyId === companyId);
  const others = payables.filter(({ jobId }) => jobId !== job.id);
  const own = payables.find(({ jobId }) => jobId === job.id);
  const all = isPaid
    ? [...others, own ?? { jobId: job.id, startAt: job.startAt, number: job.number, approved: false, charged: [] }]
    : others;
  const inOrder = all.sort((a, b) => Date.parse(a.startAt) - Date.parse(b.startAt) || a.number - b.number || (a.jobId < b.jobId ? -1 : 1));
  const next = isOne ? undefined : (inOrder.find(({ approved }) => !approved) ?? inOrder[0]);
  return charges
    .filter(({ id }) => (inOrder.find((one) => one.approved && one.charged.includes(id)) ?? next)?.jobId === job.id)
    .map((one) => ({ ...one, dayId }));
}
