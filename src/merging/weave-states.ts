import type { TxContext } from '../platform/commands/transact.ts';
import { runAsPurpose } from '../platform/database/scope.ts';
import { queryIn } from '../platform/database/sql.ts';
import { MERGING, type Pair } from './moves.ts';

// `$1` is the former driver, `$2` the one who stays. Of two who are off duty from the same moment on, the state of the one who stays lasts.
const OTHER = (e: string): string => `case ${e}.user_id when $1::uuid then $2::uuid else $1::uuid end`;
// Whoever says "off duty" first of all ends no shift by it, so that the other one may be on theirs: then it ends where it began.
const isOnShift = (user: string): string => `(select c.ended_at is null or c.ended_at > e.started_at from driver_state_event c
    where c.user_id = ${user} and c.state <> 'off_duty' and c.started_at < e.started_at order by c.started_at desc limit 1)`;
const WEAVE = `update driver_state_event r set ended_at = n.at, updated_at = present_time()
  from (select e.id, case when ${isOnShift(OTHER('e'))} then e.started_at
      else (select v.started_at from driver_state_event v where v.user_id = ${OTHER('e')} and v.started_at >= e.started_at
          and (v.started_at > e.started_at or v.state <> 'off_duty' or e.user_id = $1::uuid) order by v.started_at limit 1) end as at
    from driver_state_event e where e.user_id = any(array[$1::uuid, $2::uuid]) and e.state = 'off_duty') n
  where r.id = n.id and n.at is not null and (r.ended_at is null or r.ended_at > n.at)`;
// A state that ended because of the other one lasts until their own next state, whatever both have done since. One that ended where it began may have ended because of
// somebody else who is merged still: then their shift is one's own, and of two states of one moment one lasts.
const UNWEAVE = `update driver_state_event r set ended_at = n.at, updated_at = present_time()
  from (select e.id, case when ${isOnShift('e.user_id')} then e.started_at
      else (select x.started_at from driver_state_event x where x.user_id = e.user_id and x.id <> e.id and x.started_at >= e.started_at
          and (x.started_at > e.started_at or x.state <> 'off_duty') order by x.started_at limit 1) end as at
    from driver_state_event e where e.user_id = any(array[$1::uuid, $2::uuid]) and e.state = 'off_duty'
      and case when e.ended_at = e.started_at
        then not exists (select from driver_state_event o where o.user_id = e.user_id and o.state = 'off_duty' and o.started_at = e.started_at
          and o.id <> e.id and (o.ended_at is null or o.ended_at > o.started_at or o.id > e.id))
        else exists (select from driver_state_event v where v.user_id = ${OTHER('e')} and v.started_at = e.ended_at) end) n
  where r.id = n.id and r.ended_at is distinct from n.at`;

const update = (tx: TxContext, sql: string, { former, kept }: Pair) => runAsPurpose(MERGING, () => queryIn(tx.em, sql, [former, kept]));

/**
 * Has the time off duty of two drivers who are one end when either of them begins something: it lasts until the next state of a person, and nobody has two
 * states at a time. Call it before the states are moved.
 */
export const weaveStates = (tx: TxContext, pair: Pair): Promise<unknown> => update(tx, WEAVE, pair);

/** Undoes that, when the states have been moved back. */
export const unweaveStates = (tx: TxContext, pair: Pair): Promise<unknown> => update(tx, UNWEAVE, pair);
