import type { EntityManager } from '@mikro-orm/postgresql';
import { perApplication } from '../../platform/application.ts';
import { afterCommit, type TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';

/** Months, `2026-11`, whose partition was there when this process last looked. */
const knownMonths = perApplication('months of positions', () => new Set<string>());

/** The month of a moment, `2026-11`, in UTC. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7);

/**
 * Makes the partitions of positions that are missing, and returns those positions that have one. Others are too old for anybody to keep.
 * A month that is long over is looked up each time, because it may have been dropped meanwhile.
 */
export async function withMonths<T extends { occurredAt: Date }>(tx: TxContext, positions: readonly T[]): Promise<T[]> {
  const known = knownMonths.of(tx.em);
  const byMonth = Map.groupBy(positions, ({ occurredAt }) => monthOf(occurredAt));
  const kept: T[] = [];
  for (const [month, ones] of byMonth) {
    const newest = ones.reduce((last, { occurredAt }) => (last >= occurredAt ? last : occurredAt), ones[0]!.occurredAt);
    if (!known.has(month) || !isRecent(newest)) {
      const [row] = await queryIn<{ there: boolean }>(tx.em, `select keep_part('location_history', $1::timestamptz) as there`, [newest]);
      if (!row?.there) continue;
      // A transaction that is rolled back takes its partition with it.
      if (isRecent(newest)) afterCommit(tx, () => known.add(month));
    }
    kept.push(...ones);
  }
  return kept;
}

/** True if the partitions of a time are known to be there. */
export function areMonthsKnown(em: EntityManager, from: Date, until: Date): boolean {
  const known = knownMonths.of(em);
  // A recent time is of this month or the last one, or of the next one.
  return isRecent(from) && known.has(monthOf(from)) && known.has(monthOf(until));
}

/** Milliseconds for which the partition of a month is certain to stay; nobody keeps positions for less. */
const CERTAIN = 20 * 86_400_000;
const isRecent = (at: Date): boolean => Date.now() - at.getTime() < CERTAIN;
