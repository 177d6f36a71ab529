import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';

/** Moves changes into feeds by a function of the database, and asks how far feeds are. */
export const FEEDS = definePurpose('feeds', { change_feed: ['select (company_id, position)'] });

/** Triggers write it, and the function that moves what is in it. */
export const changePendingReserved = reserveForPurposes('change_pending');

/** Changes that are moved at a time, and how often one caller does it: others move the rest. */
const BATCH = 2_000;
const MOST_BATCHES = 25;
const MOVE = `select move_changes(${BATCH}) as more`;

/**
 * Moves what was committed into the feeds (`move_changes` of the database, D-EVENTS-11). Whoever reads a feed calls it first: then everything that
 * was committed before the read is in it, and no worker is needed for that.
 */
export async function moveChanges(em: EntityManager): Promise<void> {
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
