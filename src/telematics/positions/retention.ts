import type { EntityManager } from '@mikro-orm/postgresql';
import { settingSql } from '../../directory/companies/settings/setting-sql.ts';
import { asCompanies, definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';

/** Finds how long companies keep positions. They are deleted company by company. */
export const RETENTION = definePurpose('position_retention', {
  company: ['select (id)'],
  company_settings: ['select (company_id, position_retention_days, archive_positions)'],
});

/** Positions of one statement. */
const BATCH = 5_000;

interface Kept {
  id: string;
  days: number;
  /** They leave with their archive (src/archives), which sandboxes have none of. */
  archived: boolean;
}

const KEPT = `select c.id, ${settingSql('s', 'positionRetentionDays')} as days, ${settingSql('s', 'archivePositions')} and not is_sandbox(c.id) as archived from company c left join company_settings s on s.company_id = c.id`;

// The key of positions begins with the person or machine, so that what is old is found without reading the rest.
const DELETE = `with old as (
    select h.id, h.occurred_at from unnest(array(
        select u.id from app_user u where u.company_id = $1 union all select e.id from equipment e where e.company_id = $1 union all select $1::uuid)) as a (id)
      join location_history h on h.asset_id = a.id
    where h.company_id = $1 and h.occurred_at < now() - $2 * interval '1 day' limit ${BATCH})
  delete from location_history h using old where h.id = old.id and h.occurred_at = old.occurred_at`;

/**
 * Deletes positions that are older than their company keeps them (PROOF A7): months that no company keeps as whole tables, the rest row by
 * row. What was worked out from them stays.
 * @param report gets the error of a company that failed; the next round tries it again
 * @returns how many positions were deleted one by one
 */
export async function deleteOldPositions(em: EntityManager, report: (error: unknown) => void): Promise<number> {
  const pool = await poolOf(em);
  const { rows } = await runAsPurpose(RETENTION, () => pool.query<Kept>(KEPT));
  if (rows.length === 0) return 0;
  const longest = Math.max(...rows.map(({ days }) => days));
  try {
    // Months with positions of a company that has its archived are dropped by whoever compares them with the files.
    if (!rows.some(({ archived }) => archived)) await pool.query(`select drop_position_months(now() - $1 * interval '1 day')`, [longest]);
  } catch (error) {
    report(error);
  }
  let deleted = 0;
  // A month of which some days are still kept by those who keep the longest is read row by row as well.
  for (const { id, days, archived } of rows)
    try {
      if (!archived) deleted += await asCompanies([id], () => deleteOf(em, id, days));
    } catch (error) {
      report(error);
    }
  return deleted;
}

async function deleteOf(em: EntityManager, companyId: string, days: number): Promise<number> {
  const pool = await poolOf(em);
  let deleted = 0;
  for (let last = BATCH; last === BATCH; deleted += last) last = (await pool.query(DELETE, [companyId, days])).rowCount ?? 0;
  return deleted;
}
