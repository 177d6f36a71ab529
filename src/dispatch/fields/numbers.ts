import type { EntityManager } from '@mikro-orm/postgresql';
import { sidePool } from '../../platform/database/side-pool.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';

export type NumberedKind = 'order' | 'project' | 'driver_day' | 'invoice' | 'settlement';

/**
 * Reserves `count` running numbers of a company, inside the caller's transaction. The counter's row stays locked until the transaction
 * ends, so the numbers have no gaps and no duplicates.
 * @returns the first of them
 */
export async function nextNumbers(em: EntityManager, companyId: string, kind: NumberedKind, count: number): Promise<number> {
  const [row] = await queryIn<{ value: number }>(em, TAKE, [companyId, kind, count]);
  return row!.value - count + 1;
}

/**
 * The same for several companies in one statement, which locks their counters in one order.
 * @param counts how many numbers each company needs
 * @returns the first number of each
 */
export async function nextNumbersOf(
  em: EntityManager,
  kind: NumberedKind,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  if (counts.size === 0) return new Map();
  const rows = await queryIn<{ id: string; value: number }>(em, TAKE_OF, [[...counts.keys()], kind, [...counts.values()]]);
  return new Map(rows.map(({ id, value }) => [id, value - counts.get(id)! + 1]));
}

/**
 * Reserves `count` running numbers for good, outside any transaction: work that is rolled back leaves a gap, and nobody waits for anybody.
 * It is for imports, whose long transactions would otherwise wait for each other at one counter. It uses a connection outside of the pool,
 * as all connections of the pool may be waiting for the very import that asks.
 * @returns the first of them
 */
export async function reserveNumbers(em: EntityManager, companyId: string, kind: NumberedKind, count: number): Promise<number> {
  const { rows } = await sidePool(await poolOf(em)).query<{ value: number }>({
    name: 'reserve_numbers',
    text: TAKE,
    values: [companyId, kind, count],
  });
  return rows[0]!.value - count + 1;
}

const TAKE = `insert into company_counter (company_id, kind, value) values ($1, $2, $3)
  on conflict (company_id, kind) do update set value = company_counter.value + excluded.value returning value`;
const TAKE_OF = `insert into company_counter (company_id, kind, value) select t.id, $2, t.count from unnest($1::uuid[], $3::int[]) t (id, count) order by t.id
  on conflict (company_id, kind) do update set value = company_counter.value + excluded.value returning company_id as id, value`;
