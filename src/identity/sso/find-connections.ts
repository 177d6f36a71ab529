import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuthMethod } from '../../directory/companies/company-enums.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { consumeAttempt } from '../sign-in/attempts.ts';
import { signingIn } from '../sign-in/sign-in-purpose.ts';
import { domainOf } from './check-connection.ts';
import { SsoConnection, type SsoKind } from './sso-connection.entity.ts';

export interface DomainConnection {
  id: string;
  display_name: string;
  identity_provider: string;
  auth_methods: AuthMethod[];
}

const FIND = `select s.id, s.display_name, s.identity_provider, c.auth_methods
  from sso_domain d join sso_connection s on s.id = d.connection_id join company c on c.id = s.company_id
  where d.domain = ? and s.ready and c.discarded_at is null`;

/**
 * The identity provider that an e-mail address leads to. Only its domain is looked at, so that people who are known here and
 * people who are not get the same answer after the same statement.
 * @throws Invalid when it is no address
 */
export async function connectionOfEmail(ctx: Context, email: string): Promise<DomainConnection | undefined> {
  await consumeAttempt(ctx, 'token');
  const domain = domainOf(email);
  if (!domain) throw new Invalid([{ model: 'Request', field: 'email', key: 'not_an_email' }]);
  const { em } = ctx;
  const [found] = await signingIn(() => em.getConnection().execute<DomainConnection[]>(FIND, [domain], 'all', em.getTransactionContext()));
  return found;
}

/** The connection of one of our addresses, for any caller. @throws Missing also for those of closed companies */
export async function connectionOf(em: EntityManager, id: unknown, as: { kind?: SsoKind; ready?: boolean }): Promise<SsoConnection> {
  const found =
    isUuid(id) &&
    (await em.fork({ clear: true }).findOne(SsoConnection, { id, company: { discardedAt: null }, ...as }, { filters: { tenant: false } }));
  if (!found) throw new Missing();
  return found;
}
