import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { type Job, summarizedHours } from '../model/job.entity.ts';
import { type JobSummary, jobSummarySql } from '../model/job-summary.ts';

/**
 * Sets the billable hours of a job by hand; null takes that back. Hours that the job has by itself are no word of anybody if they come with other fields
 * (D-DISPATCH-88): clients send a job back as they read it, and a job that is not finished would be billed for no hours.
 * @param alone whether nothing else was sent
 */
export async function applyBillableHours(tx: TxContext, job: Job, hours: Decimal | null, alone: boolean): Promise<void> {
  if (hours !== null && !job.billableHoursOverridden && !alone) {
    const sql = `select ${jobSummarySql('j')} as summary from job j where j.id = $1`;
    const [row] = await queryIn<{ summary: JobSummary | null }>(tx.em, sql, [job.id]);
    if (summarizedHours(row?.summary ?? null).eq(hours)) return;
  }
  job.billableHoursOverridden = hours !== null;
  if (hours !== null) job.overridingHours = hours;
}
