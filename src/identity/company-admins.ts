import type { User } from '../directory/user.entity.ts';
import { viewerOf } from '../platform/authz/fences.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import { Invalid } from '../platform/errors.ts';

const ADMIN = 'company_admin';

/**
 * Locks the administrators of a person's company before the person loses the role or leaves, so that of two who send each other away
 * one finds the other gone. Companies above count, as far as the caller sees them: their administrators are administrators below.
 * @returns the ids of all administrators, the person included; undefined when the person is none
 */
export async function lockAdmins(tx: TxContext, user: User): Promise<string[] | undefined> {
  if (!user.roles.includes(ADMIN) || user.discardedAt) return undefined;
  const rows = await queryIn<{ id: string }>(
    tx.em,
    `with recursive above (id, parent) as (
        select id, parent_company_id from company where id = $1
        union
        select c.id, c.parent_company_id from company c join above a on c.id = a.parent where c.id = any($2::uuid[]))
      select id from app_user where company_id in (select id from above) and $3 = any(roles) and discarded_at is null order by id for update`,
    [user.company.id, viewerOf(tx).companyIds, ADMIN],
  );
  return rows.map(({ id }) => id);
}

/** @throws Invalid on `field` when nobody but this person administrates the company, and they no longer do */
export function keepAdmin(admins: string[] | undefined, user: User, field: string): void {
  const stays = user.roles.includes(ADMIN) && !user.discardedAt;
  if (!admins || stays || admins.some((id) => id !== user.id)) return;
  throw new Invalid([{ model: 'User', field, key: 'last_company_admin' }]);
}
