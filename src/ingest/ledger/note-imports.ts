import type { EntityManager } from '@mikro-orm/postgresql';
import type { Happened } from '../../events/webhooks/happened.ts';
import { isSubscribed, noteHappened } from '../../events/webhooks/note-changes.ts';
import type { Topic, Trigger } from '../../events/webhooks/triggers.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ImportKind } from '../importer.ts';

const TOPIC = { order: 'ImportedOrder', project: 'ImportedProject', ticket: 'ImportedTicket' } as const satisfies Record<ImportKind, Topic>;
const HAPPENING: Readonly<Record<string, 'skip' | 'error'>> = {
  skipped: 'skip',
  skipped_update: 'skip',
  failed: 'error',
  exhausted: 'error',
};

/** An imported record that has got its outcome. */
export interface Ended {
  id: string;
  companyId: string;
  kind: ImportKind;
  before: string;
  state: string;
  /** The act of somebody on it; absent where the importer acted. */
  event?: string;
}

/**
 * Returns the happenings of imported records that got their outcomes: a change of the state, and others that subscribers wait for (DOMAIN section 6). One that has
 * failed once more is updated: it has another error, perhaps, and another number of attempts.
 */
export const outcomesOf = (ended: readonly Ended[]): Happened[] =>
  ended.flatMap(({ id, companyId, kind, before, state, event = null }) => {
    const record = { topic: TOPIC[kind], id, companyId };
    const change = { previous_state: before, state, state_event: event };
    const also = HAPPENING[state];
    return [
      before === state ? { ...record, happening: 'update' as const } : { ...record, happening: 'state_change' as const, change },
      ...(also ? [{ ...record, happening: also, change }] : []),
    ];
  });

/** Returns the happenings of records that are to be tried again because somebody asked for it. Their failure was reported before. */
export const retriesOf = (retried: readonly Omit<Ended, 'state'>[]): Happened[] =>
  outcomesOf(retried.map((record) => ({ ...record, state: 'failed' }))).filter(({ happening }) => happening !== 'error');

/** Returns the happenings of records that were admitted: they were made, and some of them got their outcome at once. */
export const admissionsOf = (companyId: string, kind: ImportKind, records: readonly { id: string; state: string }[]): Happened[] =>
  records.flatMap(({ id, state }) => [
    { topic: TOPIC[kind], id, companyId, happening: 'create' as const },
    ...outcomesOf([{ id, companyId, kind, before: 'created', state }]).filter(
      ({ happening }) => happening === 'skip' || happening === 'error',
    ),
  ]);

/** The statement that inserts what is admitted, and the same one with the commit in its message. */
export interface Insertion {
  sql: string;
  last: string;
  values: unknown[];
}

/**
 * Inserts what is admitted of a company and kind in a transaction. If somebody waits for it, it is noted for them in the same one; otherwise the insertion is its
 * last statement. Whoever subscribes meanwhile gets no answer before it has ended.
 */
export const insertNoted = (
  root: EntityManager,
  { sql, last, values }: Insertion,
  [companyId, kind]: readonly [string, ImportKind],
  records: readonly { id: string; state: string }[],
): Promise<void> =>
  root.fork({ clear: true }).transactional(async (em) => {
    const query = <R extends object>(text: string, parameters?: unknown[]): Promise<R[]> => queryIn<R>(em, text, parameters);
    const awaited = (['create', 'skip', 'error'] as const).map((what): Trigger => `${TOPIC[kind]}::${what}`);
    if (!(await isSubscribed({ query }, companyId, awaited))) {
      await query(last, values);
      return;
    }
    await query(sql, values);
    const [row] = await query<{ now: string | Date }>('select present_time() as now');
    await noteHappened({ em, now: new Date(row!.now), query }, admissionsOf(companyId, kind, records));
  });
