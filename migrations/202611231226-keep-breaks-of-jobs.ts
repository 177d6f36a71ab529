import { Migration } from '@mikro-orm/migrations';

/** When a job rested: its pauses and the breaks of its driver's day. */
export class KeepBreaksOfJobs extends Migration {
  override up(): void {
    this.addSql(`
      alter table job add column breaks tstzmultirange not null default '{}';
      update job set breaks = p.pauses from (
        select e.job_id, range_agg(tstzrange(e.occurred_at, greatest(e.occurred_at, e.resumed_at))) as pauses from (
          select job_id, event_name, occurred_at, lead(occurred_at) over (partition by job_id order by occurred_at, id) as resumed_at
          from job_event where event_name in ('JobPaused', 'JobResumed')) e
        where e.event_name = 'JobPaused' and e.resumed_at is not null group by e.job_id) p
      where job.id = p.job_id;
      update job set breaks = job.breaks + b.breaks from (
        select driver_day_id, range_agg(tstzrange(started_at, ended_at)) as breaks from driver_state_event
        where state = 'break' and ended_at is not null and driver_day_id is not null group by driver_day_id) b
      where job.driver_day_id = b.driver_day_id;`);
  }
}
