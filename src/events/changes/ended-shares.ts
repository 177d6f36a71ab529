import type { EntityManager } from '@mikro-orm/postgresql';
import { definePurpose, runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';

/** Notes that the time of shares is over, which nobody writes when it happens. */
export const ENDED_SHARES = definePurpose('ended_shares', {
  company_share: ['select (id, valid_until, end_noted_at)', 'update (end_noted_at)'],
});

const BATCH = 500;
const NOTE = `update company_share set end_noted_at = now() where id = any (array(
  select id from company_share where valid_until <= now() and end_noted_at is null order by valid_until limit ${BATCH} for update skip locked))
  returning id`;

/**
 * Has the feeds of receivers say that they see a shared record no longer because the share has expired: a trigger notes the change of the share as one
 * of the record for its receiver. Ends that somebody causes are noted by what causes them.
 */
export async function noteEndedShares(em: EntityManager): Promise<void> {
  await runAsPurpose(ENDED_SHARES, async () => {
    const pool = await poolOf(em);
    for (let noted = BATCH; noted === BATCH; ) noted = (await pool.query(NOTE)).rows.length;
  });
}
