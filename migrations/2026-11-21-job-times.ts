import { Migration } from '@mikro-orm/migrations';

/** What people set right of a job's times (DOMAIN section 4 "JobSummary"), and the type of a driver's commission. */
export class JobTimes extends Migration {
  override up(): void {
    this.addSql(`alter table job
      add column adjusted_logging_started_at timestamptz(6),
      add column adjusted_logging_ended_at timestamptz(6),
      add column approved_work_time_minutes integer,
      add column driver_commission_rate_type text`);
  }
}
