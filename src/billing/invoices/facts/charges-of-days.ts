import { namedStatement } from '../../../platform/database/named-statements.ts';
import { withPartnerVisibility } from '../../../platform/database/scope.ts';
import type { Query } from '../../../platform/database/sql.ts';
import { booksOf } from '../books-of-job.ts';
import type { ChargeOfJob } from './charge-facts.ts';
import { chargesSql } from './job-facts.sql.ts';
import type { JobFacts } from './job-facts.ts';
import { NOT_ACCEPTED } from './job-time.sql.ts';

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
  /** The jobs that its driver has accepted. */
  jobIds: string[];
  /** The pay of its driver for jobs of the day; of each job, only the first part. */
  payables: Payable[];
}

const DAYS = namedStatement(`select d.id as "dayId", d.company_id as "companyId",
    exists (select from invoice i where i.driver_day_id = d.id and i.state <> 'voided') as "isOne", ${chargesSql('h.driver_day_id = d.id', 'false')} as charges,
    array(select j.id from job j where j.driver_day_id = d.id and j.driver_id = d.driver_id and j.state <> all('{${NOT_ACCEPTED.join(',')}}')) as "jobIds",
    coalesce((select json_agg(json_build_object('jobId', j.id, 'startAt', j.job_start_at, 'number', j.number, 'approved', i.billing_approved_at is not null,
        'charged', array(select c.requested_charge_id from add_on_charge c where c.add_on_applicable_id = i.id and c.requested_charge_id is not null)))
      from job j join invoice i on i.job_id = j.id where j.driver_day_id = d.id and i.company_id = d.company_id and i.payee_driver_id = d.driver_id
        and i.reason = 'regular' and i.state <> 'voided'), '[]') as payables
  from driver_day d where d.id = any($1::uuid[])`);

/**
 * Adds what was requested for the day of a job to one of its jobs, if its driver is paid by them (BILLING B4): to the one whose approved payable has it
 * already, or else to the first, by start and number, whose payable nobody has approved. Jobs of all companies count, and so do those that have no payable
 * yet, so each says the same, in whatever order and with whichever others it is invoiced.
 * @param read reads facts of other jobs, without their charges
 */
export async function addChargesOfDays(
  query: Query,
  jobs: readonly JobFacts[],
  read: (ids: readonly string[]) => Promise<readonly JobFacts[]>,
): Promise<void> {
  const charged = Map.groupBy(
    jobs.filter(({ driverDayId, isDayCharged }) => driverDayId && isDayCharged),
    ({ driverDayId }) => driverDayId!,
  );
  if (charged.size === 0) return;
  const known = new Set(jobs.map(({ id }) => id));
  await withPartnerVisibility(async () => {
    const days = await query<ChargedDay>(DAYS, [[...charged.keys()]]);
    const missing = [...new Set(days.flatMap(({ jobIds }) => jobIds))].filter((id) => !known.has(id));
    const others = Map.groupBy(missing.length === 0 ? [] : await read(missing), ({ driverDayId }) => driverDayId);
    for (const day of days) {
      const own = charged.get(day.dayId)!;
      addChargesOf(day, own, [...own, ...(others.get(day.dayId) ?? [])]);
    }
  });
}

/** @param own the jobs that get them @param all these and the other jobs of the day */
function addChargesOf(
  { dayId, companyId, isOne, charges, payables }: ChargedDay,
  own: readonly JobFacts[],
  all: readonly JobFacts[],
): void {
  const present = new Map(payables.map((payable) => [payable.jobId, payable]));
  const known = new Set(all.map(({ id }) => id));
  const isPaid = (job: JobFacts) =>
    !NOT_ACCEPTED.includes(job.state) && booksOf(job).some((entry) => entry.payeeDriverId !== null && entry.companyId === companyId);
  const inOrder = [
    ...payables.filter(({ jobId }) => !known.has(jobId)),
    ...all
      // An approved payable has its charges also if somebody else drives the job by now.
      .filter((job) => present.get(job.id)?.approved || isPaid(job))
      .map(({ id, startAt, number }) => present.get(id) ?? { jobId: id, startAt, number, approved: false, charged: [] }),
  ].sort((a, b) => Date.parse(a.startAt) - Date.parse(b.startAt) || a.number - b.number || (a.jobId < b.jobId ? -1 : 1));
  const next = isOne ? undefined : (inOrder.find(({ approved }) => !approved) ?? inOrder[0]);
  for (const job of own) {
    const its = charges.filter(({ id }) => (inOrder.find((one) => one.approved && one.charged.includes(id)) ?? next)?.jobId === job.id);
    job.charges.push(...its.map((one) => ({ ...one, dayId })));
  }
}
