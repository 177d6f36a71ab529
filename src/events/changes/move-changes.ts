import { AsyncLocalStorage } from 'node:async_hooks';
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

/** The move that runs in this process, and the one that begins after it. */
const moves = perApplication('moves of changes', () => ({
  running: undefined as Promise<void> | undefined,
  next: undefined as Promise<void> | undefined,
}));

/**
 * Moves what was committed into the feeds (`move_changes` of the database, D-EVENTS-11). Whoever reads a feed calls it first: then everything that
 * was committed before the read is in it, and no worker is needed for that. A process moves with one connection, however many read: those who come
 * while a move runs share the next one, which begins after what they wait for was committed.
 */
export function moveChanges(em: EntityManager): Promise<void> {
  const state = moves.of(em);
  if (!state.running) {
    state.running = outside(() => move(em)).finally(() => {
      state.running = undefined;
    });
    return state.running;
  }
  state.next ??= state.running
    .catch(() => undefined)
    .then(() => {
      state.next = undefined;
      return moveChanges(em);
    });
  return state.next;
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
