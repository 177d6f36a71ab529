import { FlushMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { type RememberedActor, viewerOfRemembered } from '../../identity/access/viewer.ts';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { actOnBehalfOf, asCompanies, currentScope, runAsPurpose, withPartnerVisibility } from '../../platform/database/scope.ts';
import { poolOf, queryAs, queryIn } from '../../platform/database/sql.ts';
import { setTenant } from '../../platform/database/tenant.ts';
import { type ErrorItem, HaulgateError } from '../../platform/errors.ts';
import { describeProblems } from '../../platform/http/rest/envelope.ts';
import type { Language } from '../../platform/i18n/messages.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { type Lease, type Leased, startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import type { Waker } from '../../platform/queue/waker.ts';
import type { Reader } from '../../platform/read/reader.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import type { BulkActionKind } from './bulk-action.entity.ts';
import { type BulkItem, routeOf } from './bulk-kinds.ts';
import { BULK } from './bulk-purpose.ts';

export interface BulkWorkerOptions {
  /** `orm.em`; the worker forks it for each item. */
  em: EntityManager;
  readerFor: (ctx: Context) => Reader;
  waker: Waker;
  log: { warn(fields: object, message: string): void };
  /** The number of actions processed at a time; 2 by default. */
  concurrency?: number;
  /** Milliseconds between two sweeps without a wake; 1000 by default. */
  sweepEvery?: number;
}

/** Items of one turn. After it, other actions have their turns, so that a thousand jobs of one company do not delay ten of another. */
const TURN = 160;
/** Items of one transaction. Its begin and commit cost as much as one item. */
const CHUNK = 20;
/** Chunks of a turn that run at a time. Jobs of one order wait for each other at its lock anyway. */
const LANES = 4;
/** Seconds without a sign of life after which another process takes the action. A turn takes about one second. */
const LEASE = 60;
/** Attempts for an item that fails for an internal reason. */
const TRIES = 4;
/** Seconds until the next attempt, by attempts made. */
const DELAYS = [1, 5, 30];
/** Seconds until the next turn of an action after turns that failed as a whole, or took their process down. Then it is given up. */
const TURN_DELAYS = [1, 5, 30, 60, 300];

interface Claimed extends Leased {
  id: string;
  kind: BulkActionKind;
  company_id: string;
  scoped: boolean;
  created_by_type: RememberedActor['type'];
  created_by_id: string;
  real_actor: RememberedActor['realActor'] | null;
  grants: string[];
  language: Language;
  request_id: string;
}

interface Item {
  id: string;
  /** Null in actions that are not about jobs; as the next one, of days. */
  job_id: string | null;
  driver_day_id: string | null;
  input: unknown;
  attempts: number;
}

const CLAIM = `update bulk_action set lease_until = now() + $2 * interval '1 second', attempts = attempts + 1
  where id = any (array(
    select id from bulk_action where finished_at is null and next_at <= now() and (lease_until is null or lease_until < now())
    order by next_at limit $1 for update skip locked))
  returning *, company_id as "companyId", request_id as "requestId", trace_parent as "traceParent"`;

const POSTPONE = `update bulk_action set lease_until = now() + $2 * interval '1 second' where id = $1 and lease_until is not null`;

// The next turn comes when the next item is due: at once, but after the other actions, while there are untouched items; otherwise when the
// first retry is due.
const RELEASE = `update bulk_action a set lease_until = null, attempts = 0, next_at = greatest(now(), o.next_at),
    finished_at = case when o.next_at is null then now() end
  from (select min(next_at) as next_at from bulk_action_item where bulk_action_id = $1 and state = 'pending') o
  where a.id = $1`;

const GIVE_UP = `update bulk_action_item set state = 'failed', errors = $2::jsonb, finished_at = now() where bulk_action_id = $1 and state = 'pending'`;

const OPEN = `select id, job_id, driver_day_id, input, attempts from bulk_action_item
  where bulk_action_id = $1 and state = 'pending' and next_at <= now() order by item_index limit $2`;

/**
 * Starts the worker of bulk actions. It works in turns: it claims an action for a lease, processes its next items as the person who asked,
 * each with its outcome in one transaction, and puts the action back to the end of the queue. If a process dies, its lease ends; what it
 * committed is not repeated. An action that takes down one process after another is given up.
 */
export function startBulkWorker(options: BulkWorkerOptions): Drainer {
  const { em, log } = options;
  const ask = <T extends object>(sql: string, values: unknown[]) => queryAs<T>(BULK, em, sql, values);
  return startLeaseQueue<Claimed>({
    name: 'bulk action',
    tracing: tracing.of(em),
    slots: options.concurrency ?? 2,
    lease: LEASE,
    claim: (most, seconds) => ask<Claimed>(CLAIM, [most, seconds]),
    work: (action, lease) => turn(options, action, lease),
    delayAfter: (attempts) => TURN_DELAYS[attempts - 1],
    postpone: ({ id }, seconds) => ask(POSTPONE, [id, seconds]),
    async giveUp({ id, language, kind }) {
      await ask(GIVE_UP, [id, JSON.stringify(describeProblems(GAVE_UP, language, routeOf(kind).model))]);
      await ask(RELEASE, [id]);
    },
    failed: (error, { id, attempts }, again) => log.warn({ err: error, bulkAction: id, attempts, again }, 'a turn of a bulk action failed'),
    waker: options.waker,
    sweepEvery: options.sweepEvery ?? 1_000,
    log,
  });
}

async function turn(options: BulkWorkerOptions, action: Claimed, lease: Lease): Promise<void> {
  const pool = await poolOf(options.em);
  const items = (await runAsPurpose(BULK, () => pool.query<Item>(OPEN, [action.id, TURN]))).rows;
  const viewer = await runAsPurpose(SIGN_IN, () => viewerOfRemembered(options.em, actorOf(action)));
  const one = async (item: Item) => {
    const outcome = viewer ? await asCompanies(viewer.companyIds, () => attempt(options, action, viewer, [item])) : GONE;
    if (outcome === 'done') return;
    await note(options.em, item, outcome, action);
  };
  const { alone } = routeOf(action.kind);
  const queue = viewer && !alone ? await asCompanies(viewer.companyIds, () => chunksOf(pool, items, viewer)) : items.map((item) => [item]);
  const lane = async () => {
    for (let chunk = queue.shift(); chunk; chunk = queue.shift()) {
      const together =
        viewer && chunk.length > 1 ? await asCompanies(viewer.companyIds, () => attempt(options, action, viewer, chunk!)) : 'later';
      // If one item of a chunk fails, the whole chunk is rolled back. Then each item gets its own transaction and outcome.
      if (together !== 'done') for (const item of chunk) await one(item);
      await lease.renew();
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await runAsPurpose(BULK, () => pool.query(RELEASE, [action.id]));
}

/** Where items are: jobs at their order, days at their driver. */
const PLACES = `select id, order_id as place, company_id from job where id = any($1::uuid[])
  union all select id, driver_id, company_id from driver_day where id = any($2::uuid[])`;

/**
 * Returns the items in chunks of one transaction each, with the items of an order or driver next to each other. All lanes lock these in the
 * same sequence, so there is no deadlock. Items of another company share a transaction only with those of the same company, because the
 * transaction then also acts for that company.
 */
async function chunksOf(pool: Pool, items: Item[], { companyIds }: Viewer): Promise<Item[][]> {
  const ids = (of: (item: Item) => string | null) => items.flatMap((item) => of(item) ?? []);
  const { rows } = await pool.query<{ id: string; place: string; company_id: string }>(PLACES, [
    ids(({ job_id }) => job_id),
    ids(({ driver_day_id }) => driver_day_id),
  ]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const of = ({ job_id, driver_day_id }: Item) => found.get(job_id ?? driver_day_id ?? '');
  const placeOf = (item: Item) => of(item)?.place ?? '';
  const sorted = items.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0));
  const ofOwners = Map.groupBy(sorted, (item) => {
    // A day that is found by the eyes of a partner only is one of another company.
    const owner = of(item)?.company_id ?? (item.driver_day_id ? item.id : '');
    return companyIds.includes(owner) ? '' : owner;
  });
  return [...ofOwners.values()].flatMap((own) => cut([...Map.groupBy(own, placeOf).values()].flatMap(parted)));
}

/** Returns the items of a place in parts of a chunk at most. */
const parted = (items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, at) => items.slice(at * CHUNK, (at + 1) * CHUNK));

/** Fills chunks with parts. A place is not divided if it fits into a chunk: two lanes would wait for each other at its lock, and then all of them. */
function cut(parts: readonly Item[][]): Item[][] {
  const chunks: Item[][] = [];
  for (const part of parts) {
    const last = chunks.at(-1);
    if (last && last.length + part.length <= CHUNK) last.push(...part);
    else chunks.push([...part]);
  }
  return chunks;
}

type Outcome = 'done' | 'later' | HaulgateError;
const problem = (key: string): HaulgateError =>
  new HaulgateError(422, 'unprocessable_content', [{ model: 'BulkAction', field: '', key } satisfies ErrorItem]);
const GONE = problem('actor_gone');
const GAVE_UP = problem('bulk_gave_up');

async function attempt(options: BulkWorkerOptions, action: Claimed, viewer: Viewer, items: Item[]): Promise<Outcome> {
  const ctx = contextOf(options, action, viewer);
  try {
    await transact(ctx, async (tx) => {
      // A second worker waits here, and finds the items done.
      const taken = await queryIn<{ id: string }>(
        tx.em,
        `update bulk_action_item set state = 'done', attempts = attempts + 1, finished_at = now() where id = any($1::uuid[]) and state = 'pending' returning id`,
        [items.map(({ id }) => id)],
      );
      const open = new Set(taken.map(({ id }) => id));
      const acted = new Set<string>();
      const mine = items.filter(({ id }) => open.has(id));
      if (mine.length > 1) await routeOf(action.kind).prepare?.(tx, mine.map(itemOf(action)));
      for (const item of mine) for (const companyId of await doItem(tx, action, item)) acted.add(companyId);
      // The events and audit entries of the items belong to the companies the work is for. They are written when all items are done.
      for (const companyId of acted) actOnBehalfOf(companyId);
    });
    return 'done';
  } catch (error) {
    if (error instanceof HaulgateError && error.status < 500 && error.status !== 429) return error;
    const [item] = items;
    options.log.warn({ err: error, bulkAction: action.id, items: items.map(({ id }) => id) }, 'items of a bulk action failed');
    return item!.attempts + 1 < TRIES ? 'later' : GAVE_UP;
  }
}

/**
 * Processes one item. It sees what the items before it wrote, but may not write for companies that only they acted for. @returns the
 * companies it acted for
 */
async function doItem(tx: TxContext, action: Claimed, item: Item): Promise<readonly string[]> {
  const { handler, apart } = routeOf(action.kind);
  const before = currentScope().companyIds;
  return withPartnerVisibility(async () => {
    await handler({ ...tx, memo: new Map() }, itemOf(action)(item));
    const acted = currentScope().companyIds.filter((id) => !before.includes(id));
    // Rows of another company can be written only while the transaction acts for it.
    if (!apart || acted.length > 0) await tx.em.flush();
    return acted;
  });
}

const itemOf =
  (action: Claimed) =>
  (item: Item): BulkItem => ({ jobId: item.job_id, companyId: action.scoped ? action.company_id : null, input: item.input });

/** Stores the outcome of an item that was not done. */
async function note(em: EntityManager, item: Item, outcome: Exclude<Outcome, 'done'>, { language, kind }: Claimed): Promise<void> {
  const failed = outcome !== 'later';
  await queryAs(
    BULK,
    em,
    `update bulk_action_item set attempts = attempts + 1, state = case when $2 then 'failed' else state end,
         errors = $3::jsonb, finished_at = case when $2 then now() end, next_at = now() + $4 * interval '1 second'
       where id = $1 and state = 'pending'`,
    [
      item.id,
      failed,
      JSON.stringify(failed ? describeProblems(outcome, language, routeOf(kind).model) : []),
      failed ? 0 : (DELAYS[item.attempts] ?? 0),
    ],
  );
}

function actorOf(action: Claimed): RememberedActor {
  const { created_by_type: type, created_by_id: id, real_actor: realActor, grants } = action;
  return { type, id, grants, ...(realActor ? { realActor } : {}) };
}

function contextOf(options: BulkWorkerOptions, action: Claimed, viewer: Viewer): Context {
  const em = options.em.fork({ clear: true, flushMode: FlushMode.COMMIT });
  setTenant(em, viewer);
  const ctx = { requestId: action.request_id, language: action.language, viewer, em, memo: new Map() } as Partial<Context> as Context;
  ctx.read = options.readerFor(ctx);
  return ctx;
}
