import type { EntityManager } from '@mikro-orm/postgresql';
import { foldEmail } from '../../../platform/email.ts';
import { domainOf } from '../check-connection.ts';
import type { SsoConnection } from '../sso-connection.entity.ts';
import { SsoFailure } from './sso-failure.ts';

// As at a login with an address that two people share: somebody whom a person entered comes before somebody whom a payload named, which
// proves nothing; then the connection's own company. No provider may vouch for people who see every company.
const FIND = `with recursive family (id) as (
    select id from company where id = ? and discarded_at is null
    union
    select c.id from company c join family f on c.parent_company_id = f.id where c.discarded_at is null)
  select u.id from app_user u join family f on f.id = u.company_id
  where u.match_email = ? and u.discarded_at is null and not 'platform_admin' = any (u.roles)
  order by u.unclaimed, (u.company_id = ?) desc, u.created_at, u.id limit 1`;

/**
 * The person that a provider vouches for: by e-mail address, of the connection's company or a company below it.
 * @throws SsoFailure `refused` for an address outside the connection's proven domains, `no_account` when nobody active has it there
 */
export async function matchUser(em: EntityManager, connection: SsoConnection, email: string): Promise<string> {
  const domain = domainOf(email);
  if (!domain || !connection.provenDomains.includes(domain))
    throw new SsoFailure('refused', 'the e-mail address is outside the proven domains of the connection');
  const companyId = connection.company.id;
  const [user] = await em
    .getConnection()
    .execute<{ id: string }[]>(FIND, [companyId, foldEmail(email), companyId], 'all', em.getTransactionContext());
  if (!user) throw new SsoFailure('no_account', 'nobody active has this e-mail address here');
  return user.id;
}
