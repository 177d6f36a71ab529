import type { Figures } from '../../platform/model/decorators.ts';

const minutes = 'floor(extract(epoch from l.summary_arrived_pickup_at - l.previous_pickup_at) / 60) - l.previous_paused / 60';

/**
 * What a job's fields say of its loads, in one pass over them. `cycle` is the mean of the minutes from arrival to arrival at the pickup, over
 * consecutive loads; 0 without any (DOMAIN section 4 "LoadCycle").
 */
export const LOAD_FIGURES: Figures = {
  name: 'loads',
  sql: (
    t,
  ) => `select count(*) filter (where l.state <> 'canceled')::int as loads, count(*) filter (where l.state = 'completed')::int as completed,
    coalesce(bool_or(l.state = 'created'), false) as waiting, coalesce(bool_or(l.state not in ('created', 'canceled')), false) as started,
    coalesce(bool_or(l.state <> 'canceled' and l.approved_at is null), false) as unapproved, coalesce(bool_or(l.approved_at is not null), false) as approved,
    coalesce(round(avg(${minutes}) filter (where l.state <> 'canceled' and l.previous_pickup_at is not null)), 0)::int as cycle
    from (select l.*, lag(l.summary_arrived_pickup_at) over cycle as previous_pickup_at, lag(l.paused_seconds) over cycle as previous_paused
      from load l where l.job_id = ${t}.id
      window cycle as (partition by l.state = 'canceled', l.summary_arrived_pickup_at is null order by l.ordinality)) l`,
};
