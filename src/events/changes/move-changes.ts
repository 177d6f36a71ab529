import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { perApplication } from '../../platform/application.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';

/** Moves changes into feeds by a function of the database, and asks how far feeds are. */
export const FEEDS = definePurpose('feeds', {
  change_feed: ['select (company_id, position)'],
  // The function works as its owner; the purpose sees that something waits, and nothing of it.
  change_pending: ['select (id)'],
});

/** Triggers write it, and the function that moves what is in it. */
export const changePendingReserved = reserveForPurposes('change_pending');

/** Changes that are moved at a time, and how often one caller does it: others move the rest. */
const BATCH = 2_000;
const MOST_BATCHES = 25;
const MOVE = `select move_changes(${BATCH}) as more`;

/** Least milliseconds from the beginning of one move to that of the next one of the same process: it costs as much for one change as for dozens. */
const REST = 25;

/** The move that runs in this process, when the last one began, and the one that begins next. */
const moves = perApplication('moves of changes', () => ({
  running: undefined as Promise<void> | undefined,
  began: Number.NEGATIVE_INFINITY,
  next: undefined as Promise<void> | undefined,
}));

/**
 * Moves what was committed into the feeds (`move_changes` of the database, D-EVENTS-11). Whoever reads a feed calls it first: then everything that
 * was committed before the read is in it, and no worker is needed for that. A process moves with one connection, however many read: those who come
 * while a move runs or has just begun share the next one, which begins after what they wait for was committed.
 */
export function moveChanges(em: EntityManager): Promise<void> {
  const state = moves.of(em);
  state.next ??= begin(state, em);
  return state.next;
}

async function begin(state: ReturnType<typeof moves.of>, em: EntityManager): Promise<void> {
  await state.running?.catch(() => undefined);
  const rest = state.began + REST - performance.now();
  if (rest > 0) await sleep(rest);
  state.next = undefined;
  state.began = performance.now();
  state.running = outside(() => move(em));
  return state.running;
}

/** It serves all who read, so it is part of none of their requests. */
const outside = AsyncLocalStorage.snapshot();

async function move(em: EntityManager): Promise<void> {
  await runAsPurpose(FEEDS, async () => {
    const pool = await poolOf(em);
    for (let i = 0; i < MOST_BATCHES; i++) {
      const [row] = (await pool.query<{ more: number }>(MOVE)).rows;
      if (!row?.more) return;
    }
  });
}

const POSITIONS = 'select company_id as "companyId", position::text from change_feed where company_id = any($1::uuid[])';

/** The last positions of feeds, by company. */
export async function lastPositions(em: EntityManager, companyIds: readonly string[]): Promise<Map<string, bigint>> {
  const ask = async () => (await poolOf(em)).query<{ companyId: string; position: string }>(POSITIONS, [companyIds]);
  const { rows } = await runAsPurpose(FEEDS, ask);
  return new Map(rows.map(({ companyId, position }) => [companyId, BigInt(position)]));
}
