import type { EntityManager } from '@mikro-orm/postgresql';
import { queryIn } from '../platform/database/sql.ts';

export type NumberedKind = 'order' | 'project';

/**
 * Takes `count` running numbers of a company, inside the caller's transaction: the counter's row stays locked until it ends, so that
 * numbers have no gaps and no twins.
 * @returns the first of them
 */
export async function nextNumbers(em: EntityManager, companyId: string, kind: NumberedKind, count: number): Promise<number> {
  const [row] = await queryIn<{ value: number }>(
    em,
    `insert into company_counter (company_id, kind, value) values ($1, $2, $3)
     on conflict (company_id, kind) do update set value = company_counter.value + excluded.value returning value`,
    [companyId, kind, count],
  );
  return row!.value - count + 1;
}
