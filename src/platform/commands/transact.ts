import { type EntityClass, FlushMode, OptimisticLockError } from '@mikro-orm/core';
import { findAhead } from '../authz/authorization.ts';
import { comparesWritten } from '../authz/expected.ts';
import { locksMergeable } from '../authz/merged-meanwhile.ts';
import type { Context, RecordPath, Transaction } from '../context.ts';
import { backoff } from '../database/backoff.ts';
import { STALE_PLAN } from '../database/connection/wire.ts';
import { currentWork } from '../database/request-work.ts';
import { withPartnerVisibility } from '../database/scope.ts';
import { queryIn } from '../database/sql.ts';
import { sandboxInScope } from '../database/time/sandbox-time.ts';
import { Conflict } from '../errors.ts';
import { running } from '../worlds/present-time.ts';
import { rememberActedOn } from './acted-on.ts';
import { auditSubscriber, companyIdOf, typeNameOf } from './audit.ts';
import { consequencesAhead, drawConsequences } from './consequences.ts';
import { takeLastReads } from './last-reads.ts';
import { SYSTEM, writeLastRecords } from './records.ts';
import { setTxOf } from './set-tx.ts';
import { violation } from './unique.ts';

/** A Context inside `transact`: `tx` is certain, `em` is the transaction's own. */
export type TxContext = Context & { tx: Transaction };

/** A record that a command finds by `find`, and whether it locks it. */
export type First = readonly [entity: EntityClass<{ id: string }>, path: RecordPath, how: 'lock' | 'see'];

/** A transaction that lost to a concurrent one (deadlock, serialization failure, migration, merge) is tried so many times in all. */
const TRIES = 3;
const LOST_RACE = new Set([
  '40001',
  '40P01',
  STALE_PLAN,
  // A foreign key: a record that was found was merged meanwhile, and its former id leads to the one that stays.
  '23503',
]);
/** Violations of unique rules and checks. */
const VIOLATED = new Set(['23505', '23514']);

/**
 * Runs a command: one transaction, one flush at its end, and its outbox, audit and transition rows with it. Inside another
 * `transact` it joins that one. Entities loaded before belong to another unit of work: load them again through `tx`, best with
 * `find(tx, Entity, id, { lock: true })`. A transaction that lost a race is run again from the start, so `work` keeps its
 * effects inside `tx`; `tx.read` still reads what is committed.
 * @param first what `work` finds before anything else: it is asked for as the transaction begins
 * @throws Conflict when a versioned record was changed meanwhile
 * @throws Invalid when a constraint known to `defineUnique` or `defineCheck` is violated
 */
export async function transact<T>(ctx: Context, work: (tx: TxContext) => Promise<T>, first?: First): Promise<T> {
  if (ctx.tx) return work(ctx as TxContext);
  const done = ctx.once?.replay();
  if (done) return done.result as T;
  currentWork()?.beginCommand();
  for (let tried = 1; ; tried++) {
    try {
      // A separate scope, so that a company for which the command acts is no longer visible when the command has ended.
      return await withPartnerVisibility(() => attempt(ctx, work, first));
    } catch (error) {
      if (tried === TRIES || !lostRace(error)) throw translate(error);
      await backoff(tried);
    }
  }
}

/** Whether a transaction lost to a concurrent one, so that it may be tried again. */
export const lostRace = (error: unknown): boolean => LOST_RACE.has(sqlState(error));

/** Adds an outbox row, `emitEvent(tx, 'order.created', order)`. The record must have a company. */
export function emitEvent(ctx: Context, name: string, subject: object & { id: string }, payload?: Record<string, unknown>): void {
  requireTransaction(ctx).events.push({ name, type: typeNameOf(subject), id: subject.id, companyId: companyIdOf(subject), payload });
}

/** Runs `effect` once the surrounding transaction is committed; never when it is rolled back. */
export function afterCommit(ctx: Context, effect: () => void): void {
  requireTransaction(ctx).afterCommit.push(effect);
}

/**
 * Runs `work` just before the surrounding transaction commits, after the last flush: for values that are computed from rows which the
 * transaction still changes. Use SQL here: changes to entities would be lost.
 */
export function beforeCommit(ctx: Context, work: () => Promise<void>): void {
  requireTransaction(ctx).beforeCommit.push(work);
}

/** The transaction of a context. @throws Error outside `transact`, which is a mistake in the code */
export function requireTransaction(ctx: Context): Transaction {
  if (!ctx.tx) throw new Error('only possible inside transact()');
  return ctx.tx;
}

const TIME = 'select now() as now';
const SANDBOX_TIME = 'select present_time() as now, now() as world';

async function attempt<T>(ctx: Context, work: (tx: TxContext) => Promise<T>, first: First | undefined): Promise<T> {
  // A new fork, so that nothing of a rolled back attempt stays in the request's identity map.
  const em = ctx.em.fork({ clear: true, flushMode: FlushMode.COMMIT, cloneEventManager: true });
  await em.begin();
  let tx: TxContext;
  let result: T;
  let written: string[];
  try {
    const [row] = await queryIn<{ now: string | Date; world?: string | Date }>(
      em,
      sandboxInScope() ? SANDBOX_TIME : TIME,
      [],
      [
        ...(first ? findAhead(ctx, em, first[0], first[1], first[2] === 'lock') : []),
        // A command that answers with its record most likely changes it.
        ...(ctx.viewer && (first || ctx.answer) ? consequencesAhead(em, ctx.viewer.companyId) : []),
      ],
    );
    const records: Transaction = {
      now: new Date(row?.now ?? Number.NaN),
      ...(row?.world === undefined ? {} : { world: new Date(row.world) }),
      events: [],
      audits: [],
      transitions: [],
      beforeCommit: [],
      afterCommit: [],
    };
    tx = { ...ctx, em, tx: records, memo: new Map() };
    em.getEventManager().registerSubscriber(auditSubscriber(records));
    em.getEventManager().registerSubscriber(locksMergeable(tx));
    if (ctx.expects) em.getEventManager().registerSubscriber(comparesWritten(tx));
    const run = async () => {
      await ctx.holds?.(tx);
      result = await work(tx);
      await em.flush();
      for (const work of records.beforeCommit) await work();
      await drawConsequences(setTxOf(tx), [records]);
    };
    await (records.world ? running.run({ ahead: records.now.getTime() - records.world.getTime() }, run) : run());
    written = [...records.audits, ...records.events].map(({ id }) => id);
    await ctx.once?.settle(em, result!);
    rememberActedOn(ctx, written);
    const { answer } = ctx;
    ctx.answer = undefined;
    const author = { actor: ctx.viewer ?? SYSTEM, requestId: ctx.requestId, now: records.now };
    const { known, others } = takeLastReads(em, (await answer?.statements(result!)) ?? []);
    await writeLastRecords(em, records, author, others);
    // Not em.commit(), which would flush, and so compare every loaded entity, a second time.
    await em.getConnection('write').commit(em.getTransactionContext() as never);
    em.resetTransactionContext();
    known();
  } catch (error) {
    // A rollback fails when the connection is gone, and with it the transaction: the first error says more.
    if (em.isInTransaction()) await em.rollback().catch(() => undefined);
    throw error;
  }
  // Values that loaders of this request remember may have changed: the second mutation of a document reads anew.
  ctx.memo.clear();
  rememberActedOn(ctx, written);
  for (const effect of tx.tx.afterCommit) effect();
  return result!;
}

/** The error that the caller gets instead of an error of the driver or of the unit of work. */
function translate(error: unknown): unknown {
  if (error instanceof OptimisticLockError) {
    const entity = error.getEntity();
    return new Conflict([{ model: entity ? typeNameOf(entity) : '', field: 'version', key: 'stale_version' }]);
  }
  // Errors of the unit of work and of a command's own statements both have PostgreSQL's code and the constraint's name.
  if (VIOLATED.has(sqlState(error))) return violation(error as { constraint?: string }) ?? error;
  return error;
}

function sqlState(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
