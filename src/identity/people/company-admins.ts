import { hasAdministratorAbove, hasOtherPlatformAdministrator } from '../../directory/people/administrators.ts';
import type { Role, User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';

const ADMIN = 'company_admin';

const PLATFORM = 'platform_admin';

/** The administrators of the person's company if they are one of them, and of the platform if they are one of those. */
export interface Admins {
  company?: {
    /** Administrators of the company itself, including the person. */
    ids: string[];
    /** An administrator of a company above is enough, too: the topmost company never loses its last (DOMAIN section 2). */
    above: boolean;
  };
  /** Whether somebody else runs the platform. */
  platformElsewhere?: boolean;
}

/**
 * Locks the administrators of a person's company, and of the platform, before the person loses the role or leaves, so that of two who
 * deactivate each other, one finds the other gone.
 */
export async function lockAdmins(tx: TxContext, user: User): Promise<Admins> {
  if (user.discardedAt) return {};
  const admins: Admins = {};
  if (user.roles.includes(ADMIN)) {
    const rows = await queryIn<{ id: string }>(
      tx.em,
      'select id from app_user where company_id = $1 and $2 = any(roles) and discarded_at is null order by id for update',
      [user.company.id, ADMIN],
    );
    const ids = rows.map(({ id }) => id);
    admins.company = { ids, above: ids.every((id) => id === user.id) && (await hasAdministratorAbove(tx, user.company.id)) };
  }
  if (user.roles.includes(PLATFORM)) admins.platformElsewhere = await hasOtherPlatformAdministrator(tx, user.id);
  return admins;
}

/** @throws Invalid on `field` when nobody but this person administrates the company, or runs the platform, and they no longer do */
export function keepAdmin({ company, platformElsewhere }: Admins, user: User, field: string): void {
  const stays = (role: Role) => user.roles.includes(role) && !user.discardedAt;
  const refuse = (key: string) => new Invalid([{ model: 'User', field, key }]);
  if (company && !stays(ADMIN) && !company.above && company.ids.every((id) => id === user.id)) throw refuse('last_company_admin');
  // Only they give the role.
  if (platformElsewhere === false && !stays(PLATFORM)) throw refuse('last_platform_admin');
}
