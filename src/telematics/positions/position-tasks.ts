import type { EntityManager } from '@mikro-orm/postgresql';
import { provided } from '../../platform/application.ts';
import { lostRace } from '../../platform/commands/transact.ts';
import { backoff } from '../../platform/database/backoff.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { claimSetSql, claimSql, type Leased } from '../../platform/queue/lease-queue.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import type { PositionTask } from './position-follower.ts';

/** Wakes the workers that do what follows from positions, of all processes. */
export const positionWaker = provided<Waker>('waker of positions');

/** Claims and ends what follows from positions of all companies. The work itself runs as the company of each. */
export const POSITION_TASKS = definePurpose('position_tasks', { position_task: ['select', 'update', 'delete'] });

export interface ClaimedPositions extends PositionTask, Leased {
  companyId: string;
  kind: string;
}

// Positions that come while a worker is busy wait in `since`. If the worker dies, `working_since` keeps those that it had taken.
const TAKEN = 'working_since = least(working_since, since), since = null';
const CLAIMED = 'id, company_id as "companyId", asset_id as "assetId", asset_type as "assetType", kind, working_since as since, attempts';
const COLUMNS = { due: 'due_at', attempts: 'attempts', only: 'kind = $3', also: TAKEN };
const CLAIM = claimSql('position_task', COLUMNS, CLAIMED);
// A task that fails is tried again alone, so that the others of its set do not fail with it for ever.
const CLAIM_SET = claimSetSql('position_task', COLUMNS, CLAIMED);

// In the order in which positions that come lock them, and with what those have written meanwhile: a task that seemed to have none would sleep for its lease.
// Each is looked up by itself: the table is empty most of the time and planned for one row, and in a join all that waits was compared with all of a set.
const MINE = `found as materialized (select t.id, t.asset_id, t.kind from unnest($1::uuid[]) a (id), lateral (
      select w.id, w.asset_id, w.kind from position_task w where w.id = a.id offset 0) t order by t.asset_id, t.kind),
  mine as materialized (select t.id, t.since from found f, lateral (select w.id, w.since from position_task w where w.id = f.id for update) t)`;
const END = `with ${MINE}, gone as (delete from position_task where id = any(array(select id from mine where since is null)))
  update position_task set working_since = null, attempts = 0, due_at = now() + $2 * interval '1 millisecond'
  where id = any(array(select id from mine where since is not null))`;

/** A statement that lost to a concurrent one is tried so many times in all. */
const TRIES = 3;

/** A lost race is no failure of the work, which would be done once more, alone, and given up after some such tries. */
const ask = <T extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<T[]> =>
  runAsPurpose(POSITION_TASKS, async () => {
    const pool = await poolOf(em);
    for (let tried = 1; ; tried++) {
      try {
        return (await pool.query<T>(sql, values)).rows;
      } catch (error) {
        if (tried === TRIES || !lostRace(error)) throw error;
        await backoff(tried);
      }
    }
  });

/** Claims at most `most` due tasks of a kind for `seconds`, each of which is worked by itself. */
export const claimPositions = (em: EntityManager, kind: string, most: number, seconds: number): Promise<ClaimedPositions[]> =>
  claim(em, CLAIM, [most, seconds, kind]);

/** The same for tasks that are worked together. */
export const claimSetOfPositions = (em: EntityManager, kind: string, most: number, seconds: number): Promise<ClaimedPositions[]> =>
  claim(em, CLAIM_SET, [most, seconds, kind]);

async function claim(em: EntityManager, sql: string, values: unknown[]): Promise<ClaimedPositions[]> {
  const claimed = await ask<ClaimedPositions>(em, sql, values);
  return claimed.map((task) => ({ ...task, since: new Date(task.since) }));
}

/** Ends tasks. Those of which positions came meanwhile are due again after the delay of their kind. @param delay milliseconds */
export async function endPositions(em: EntityManager, tasks: readonly ClaimedPositions[], delay: number): Promise<void> {
  if (tasks.length > 0) await ask(em, planOnceForFew(END, tasks.length), [tasks.map(({ id }) => id), delay]);
}

const LOOK_BACK = `with ${MINE} update position_task t set working_since = least(t.working_since, ($2::timestamptz[])[array_position($1::uuid[], t.id)])
  where t.id = any(array(select id from mine))`;

/** Has whoever does tasks again, if this process ends in the middle of them, look at positions from earlier moments on. */
export async function lookBackTo(em: EntityManager, moments: ReadonlyMap<PositionTask, number>): Promise<void> {
  if (moments.size === 0) return;
  const values = [[...moments.keys()].map(({ id }) => id), [...moments.values()].map((at) => new Date(at))];
  await ask(em, planOnceForFew(LOOK_BACK, moments.size), values);
}

/** Has a task looked at again after some seconds. */
export async function postponePositions(em: EntityManager, { id }: ClaimedPositions, seconds: number): Promise<void> {
  await ask(em, `update position_task set due_at = now() + $2 * interval '1 second' where id = $1`, [id, seconds]);
}
