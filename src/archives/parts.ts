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

async function askOf<T>(em: EntityManager, call: string, table: string, { name }: Part): Promise<T> {
  const { rows } = await (await poolOf(em)).query<{ answer: T }>(`select ${call}($1, $2) as answer`, [table, name]);
  return rows[0]!.answer;
}

/** Whether a partition was compared with its files within a day, and neither has been changed since. */
export const isCompared = (em: EntityManager, table: string, part: Part): Promise<boolean> => askOf(em, 'is_compared_part', table, part);

/** Whether a partition is what its files are; what is known of it is not looked at again. @returns null while another process compares it */
export const comparePart = (em: EntityManager, table: string, part: Part): Promise<boolean | null> =>
  askOf(em, 'compare_archived_part', table, part);

/** Drops a partition that was compared. @returns false if it or its files have been changed since, or it is gone already */
export const dropPart = (em: EntityManager, table: string, part: Part): Promise<boolean> => askOf(em, 'drop_archived_part', table, part);

/** @param part `2026` or `2026_11` */
function rangeOf(part: string): Month {
  const [year, month] = part.split('_');
  if (month) return monthOf(`${year}-${month}`);
  return { from: monthOf(`${year}-01`).from, to: monthOf(`${year}-12`).to };
}
