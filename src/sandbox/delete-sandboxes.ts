import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../platform/database/scope.ts';
import { poolOf } from '../platform/database/sql.ts';

/** Finds sandboxes that are over. Functions of the database delete them, and nothing but them. */
export const SANDBOX_ENDS = definePurpose('sandbox_ends', { sandbox: ['select (id, ends_at, emptied_at)'] });

/** Rows that are deleted in one transaction: it is over in a moment, and keeps nobody waiting. */
const BATCH = 5_000;

/** Those that are empty are looked through once more, an hour later. */
const OVER = `select id from sandbox where ends_at <= now() and (emptied_at is null or emptied_at <= now() - interval '1 hour') order by ends_at limit 100`;

/**
 * Deletes sandboxes that are over, with every row of theirs, in batches, and an hour later what somebody wrote there meanwhile; whoever dies
 * meanwhile leaves the rest to the next look. Their files belong to nothing then, and go with the sweep of files.
 * @param report gets the error of one that failed
 * @returns how many are gone
 */
export async function deleteSandboxes(em: EntityManager, report: (error: unknown) => void, batch = BATCH): Promise<number> {
  const pool = await poolOf(em);
  return runAsPurpose(SANDBOX_ENDS, async () => {
    const { rows } = await pool.query<{ id: string }>(OVER);
    let gone = 0;
    for (const { id } of rows)
      try {
        await pool.query('select end_sandbox($1)', [id]);
        let deleted: number;
        do {
          const { rows } = await pool.query<{ deleted: number }>('select delete_sandbox_rows($1, $2) as deleted', [id, batch]);
          deleted = rows[0]!.deleted;
        } while (deleted > 0);
        if (deleted === 0) gone++;
      } catch (error) {
        report(error);
      }
    return gone;
  });
}
