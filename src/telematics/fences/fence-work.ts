import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { ON_THE_ROAD } from '../../dispatch/jobs/drive.ts';
import { factsOfJob } from '../../dispatch/jobs/job-effects.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import { type JobEventName, type JobEventSource, type OrderState, OVER } from '../../dispatch/model/states.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { Work } from './decide.ts';

interface Row {
  order: OrderState;
  onDuty: boolean;
  busyElsewhere: boolean;
  load: (NonNullable<Work['load']> & { id: string }) | null;
  last: { at: number; event: JobEventName } | null;
  noted: { event: JobEventName; source: JobEventSource }[] | null;
  insidePickup: boolean;
  completesItself: boolean;
}

const ms = (sql: string): string => `(extract(epoch from ${sql}) * 1000)::float8`;

// The load under way comes first, then the last one that was. A job that ended with its driver's shift may have left a load open.
const WORK = `select o.state as "order",
    exists (select 1 from driver_state_event d where d.user_id = j.driver_id and d.state <> 'off_duty' and d.started_at <= $2
      and (d.ended_at is null or d.ended_at > $2)) as "onDuty",
    exists (select 1 from job b join load bl on bl.job_id = b.id where b.driver_id = j.driver_id and b.id <> j.id and b.state not in ${OVER}
      and bl.state in ('to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded', 'paused')) as "busyElsewhere",
    case when l.id is not null then json_build_object('id', l.id, 'state', l.state, 'approved', coalesce(l.approved_at, l.field_approved_at) is not null,
      'arrivedPickupAt', ${ms('l.summary_arrived_pickup_at')},
      'hasTicket', exists (select 1 from ticket k where k.load_id = l.id and k.voided_at is null)) end as load,
    (select json_build_object('at', ${ms('e.occurred_at')}, 'event', e.event_name) from job_event e
      where e.job_id = j.id and e.event_name = any($3::text[]) and e.undone_at is null order by e.occurred_at desc, e.id desc limit 1) as last,
    (select json_agg(json_build_object('event', e.event_name, 'source', e.event_source)) from job_event e
      where e.job_id = j.id and e.load_id = l.id and e.event_name = any($3::text[]) and e.undone_at is null) as noted,
    coalesce((select g.geofence_trigger_type = 'enter' from geofence_trigger g where g.job_id = j.id and g.asset_id = j.driver_id and g.waypoint_type = 'pickup'
      and coalesce(g.tag, 'site') = 'site' and g.state <> 'superseded' and g.skip_reason is distinct from 'crossed' and g.occurred_at <= $2
      order by g.occurred_at desc, g.geofence_trigger_type desc limit 1), false) as "insidePickup",
    ${settingSql('cs', 'autoCompleteJob')} and j.unit_of_measure is distinct from 'Hour' as "completesItself"
  from job j join orders o on o.id = j.order_id left join company_settings cs on cs.id = j.company_id
    left join lateral (select * from load x where x.job_id = j.id and x.state not in ('created', 'canceled')
      order by x.state = 'completed', x.ordinality desc limit 1) l on true
  where j.id = $1`;

/** Reads the work of a locked job for a crossing. @param at when it happened */
export async function workOf(tx: TxContext, job: Job, at: Date): Promise<Work & { loadId: string | null }> {
  const [row] = await queryIn<Row>(tx.em, planOnceForFew(WORK, 1), [job.id, at, ON_THE_ROAD]);
  const { hasNextLoad } = await factsOfJob(tx, job);
  return {
    ...{ job: job.state, paused: Boolean(job.pausedAt), startsAt: job.jobStartAt.getTime(), hasNextLoad },
    ...{ order: row!.order, onDuty: row!.onDuty, busyElsewhere: row!.busyElsewhere, insidePickup: row!.insidePickup },
    completesItself: row!.completesItself,
    load: row!.load ?? undefined,
    loadId: row!.load?.id ?? null,
    last: row!.last ?? undefined,
    noted: row!.noted ?? [],
  };
}
