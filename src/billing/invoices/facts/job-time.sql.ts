import { breakMinutesSql, seenThereSql, workedTimesSql } from '../../../dispatch/model/job-summary.ts';
import { JOB_FINISHED, type JobState, LOAD_NOT_OPEN } from '../../../dispatch/model/states.ts';
import { sinceSql } from '../../../dispatch/pricing/rate-statement.ts';

// SQL of how long jobs took, and of what else a driver did on their day: what is asked of jobs that are paid by time (D-BILLING-375).

/** Hours of the longest day: clocks fall back by one hour, in Antarctica by two. */
export const LONGEST_DAY = 26;
/** States of a job that nobody has accepted, or that came to nothing: nothing is invoiced. */
export const NOT_ACCEPTED: readonly JobState[] = ['created', 'assigned', 'sent', 'rejected', 'canceled'];
/** The edits of the lines of time of job `j`, by which others of its day are shared, too. */
export const EDITED_TIMES = `(select json_agg(json_build_object('id', li.id, 'since', ${sinceSql('li')}, 'books', concat_ws(' ', i.company_id, i.side, coalesce(i.job_assignment_id::text, '')),
    'from', li.edited_pay_start_time, 'until', li.edited_pay_end_time, 'adjustment', li.billing_adjustment_minutes) order by i.part, li.id)
  from invoice i join invoice_line_item li on li.invoice_id = i.id where i.job_id = j.id and i.state <> 'voided' and li.load_id is null
    and li.edited_by_id is not null and li.corrects_id is null)`;

const seen = (what: string, type: string, at: string): string =>
  `${what}(g.occurred_at) filter (where g.geofence_trigger_type = '${type}' and g.waypoint_type = '${at}')`;
/** Minutes of job `j` from the first entry of its driver at a pickup to their last exit at a drop-off, with breaks and without them. */
export const SITE_MINUTES = `(select json_build_object('paid', m.there, 'unpaid', m.there - m.rested)
  from (select floor(extract(epoch from x.until - x.since) / 60)::int as there, ${breakMinutesSql('j', 'x.since', 'x.until')} as rested from (select ${seen('min', 'enter', 'pickup')} as since, ${seen('max', 'exit', 'drop_off')} as until from geofence_trigger g where g.job_id = j.id and ${seenThereSql('j')}) x
  where x.until >= x.since) m)`;
/** Minutes of day `dd` between leaving the home base and coming back to it, with breaks and without them. */
export const PORTAL_MINUTES = `case when dd.last_homebase_entry_at >= dd.first_homebase_exit_at then (select json_build_object('paid', greatest(0, p.away), 'unpaid', greatest(0, p.away - p.rested))
  from (select floor(extract(epoch from dd.last_homebase_entry_at - dd.first_homebase_exit_at) / 60)::int + dd.shift_adjustment_minutes as away,
    coalesce((select sum(floor(extract(epoch from least(e.ended_at, dd.last_homebase_entry_at) - greatest(e.started_at, dd.first_homebase_exit_at)) / 60))::int
      from driver_state_event e where e.driver_day_id = dd.id and e.state = 'break' and e.ended_at > dd.first_homebase_exit_at
        and e.started_at < dd.last_homebase_entry_at), 0) as rested) p) end`;

/** Whether load `sl` is open, as `hasOpenLoad` has it. */
const IS_OPEN = `(sl.state <> all('{${LOAD_NOT_OPEN.join(',')}}') or sl.state = 'created' and exists (
    select from ticket sk where sk.load_id = sl.id and sk.voided_at is null))`;
/** Minutes of job `oj`, as `minutesOf` has them; null while it is not done. */
const DONE_MINUTES = `case when oj.state = any('{${JOB_FINISHED.join(',')}}') and not exists (select from load sl where sl.job_id = oj.id and ${IS_OPEN})
  then coalesce(case when oj.billable_hours_overridden then oj.billable_hours * 60 end, oj.approved_work_time_minutes, (${workedTimesSql('oj')} ->> 'workedMinutes')::numeric, 0) end`;
/** The work of the driver of job `j` for other owners on the day on which it hangs. Readers of these facts may read the jobs as the driver's company does. */
export const OTHERS_OF_DAY = `(select json_agg(json_build_object('id', oj.id, 'companyId', oj.company_id, 'minutes', ${DONE_MINUTES}) order by oj.id)
  from job oj where oj.driver_day_id = j.driver_day_id and oj.driver_id = j.driver_id and oj.company_id <> j.company_id
    and oj.state <> all('{${NOT_ACCEPTED.join(',')}}'))`;
