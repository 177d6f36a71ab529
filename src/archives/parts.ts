import type { EntityManager } from '@mikro-orm/postgresql';
import { poolOf } from '../platform/database/sql.ts';
import { type Month, monthOf } from './rows.ts';

/** Tables with partitions, and how long one is. The product makes them before they are needed. */
export const PARTED = { location_history: 'month', audit_entry: 'year', transition: 'year', imported_record: 'year' } as const;

/** Makes the partitions of this month or year and the next, so that no request has to and nothing gets into a default one. */
export async function keepPartsAhead(em: EntityManager, report: (error: unknown) => void): Promise<void> {
  const pool = await poolOf(em);
  // One by one: a table that somebody holds keeps no other from getting its partitions.
  for (const [table, length] of Object.entries(PARTED))
    for (const n of [0, 1])
      try {
        await pool.query(`select keep_part($1, now() + $2 * interval '1 ${length}')`, [table, n]);
      } catch (error) {
        report(error);
      }
}

/** A partition, and the time that is in it. */
export interface Part extends Month {
  name: string;
}

const PARTS = `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = $1::regclass and c.relname ~ '_\\d{4}(_\\d{2})?$' order by 1`;

/** The partitions of a table, oldest first, without the default one. */
export async function partsOf(em: EntityManager, table: string): Promise<Part[]> {
  const { rows } = await (await poolOf(em)).query<{ name: string }>(PARTS, [table]);
  return rows.map(({ name }) => ({ name, ...rangeOf(name.slice(table.length + 1)) }));
}

/** @param part `2026` or `2026_11` */
function rangeOf(part: string): Month {
  const [year, month] = part.split('_');
  if (month) return monthOf(`${year}-${month}`);
  return { from: monthOf(`${year}-01`).from, to: monthOf(`${year}-12`).to };
}
