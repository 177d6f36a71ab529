import { hasAdministratorAbove } from '../directory/administrators.ts';
import type { User } from '../directory/user.entity.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import { Invalid } from '../platform/errors.ts';

const ADMIN = 'company_admin';

/** Who administrates a company. */
export interface Admins {
  /** The company's own, the person included. */
  ids: string[];
  /** Somebody of a company above does, too: the topmost one never loses its last (DOMAIN section 2). */
  above: boolean;
}

/**
 * Locks the administrators of a person's company before the person loses the role or leaves, so that of two who send each other away
 * one finds the other gone.
 * @returns undefined when the person is none
 */
export async function lockAdmins(tx: TxContext, user: User): Promise<Admins | undefined> {
  if (!user.roles.includes(ADMIN) || user.discardedAt) return undefined;
  const rows = await queryIn<{ id: string }>(
    tx.em,
    'select id from app_user where company_id = $1 and $2 = any(roles) and discarded_at is null order by id for update',
    [user.company.id, ADMIN],
  );
  const ids = rows.map(({ id }) => id);
  return { ids, above: ids.every((id) => id === user.id) && (await hasAdministratorAbove(tx, user.company.id)) };
}

/** @throws Invalid on `field` when nobody but this person administrates the company, and they no longer do */
export function keepAdmin(admins: Admins | undefined, user: User, field: string): void {
  const stays = user.roles.includes(ADMIN) && !user.discardedAt;
  if (!admins || stays || admins.above || admins.ids.some((id) => id !== user.id)) return;
  throw new Invalid([{ model: 'User', field, key: 'last_company_admin' }]);
}
