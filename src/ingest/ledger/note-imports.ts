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

/** Whether somebody waits for what is admitted, which then needs a transaction. */
export const isAdmissionAwaited = (em: EntityManager, companyId: string, kind: ImportKind): Promise<boolean> =>
  isSubscribed(
    em,
    companyId,
    (['create', 'skip', 'error'] as const).map((what): Trigger => `${TOPIC[kind]}::${what}`),
  );

/** Inserts what is admitted by a statement, and notes it for subscribers, in one transaction. */
export const insertNoted = (root: EntityManager, statement: string, values: unknown[], happened: readonly Happened[]): Promise<void> =>
  root.fork({ clear: true }).transactional(async (em) => {
    await queryIn(em, statement, values);
    const [row] = await queryIn<{ now: string | Date }>(em, 'select present_time() as now');
    await noteHappened({ em, now: new Date(row!.now), query: (sql, parameters) => queryIn(em, sql, parameters) }, happened);
  });
