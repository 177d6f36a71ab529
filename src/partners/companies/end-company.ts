import { Account } from '../../directory/accounts/account.entity.ts';
import type { Company } from '../../directory/companies/company.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { M2MClient } from '../../identity/machine-clients/machine-client.entity.ts';
import { revokeSessions } from '../../identity/sessions/end-sessions.ts';
import { voidSecretsOf } from '../../identity/sign-in/one-time-secrets.ts';
import { SsoConnection } from '../../identity/sso/sso-connection.entity.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import { endConnection } from '../accounts/end-connection.ts';
import { endSharesOf } from '../shares/company-shares.ts';

/**
 * Ends what a company has open, when it is discarded: connections, shares, its people with their sessions, links and codes, its machine
 * clients and its identity providers. E-mail addresses, telephones and domains are free again; what was done stays as it was.
 */
export async function endCompany(tx: TxContext, company: Company): Promise<void> {
  const active = { company: company.id, discardedAt: null };
  // Connections before shares: from then on nobody shares over them.
  const connected = { ...active, connectedCompany: { $ne: null } };
  for (const account of await tx.em.find(Account, connected, { orderBy: { connectedCompany: 'asc' } })) {
    await endConnection(tx, account);
    account.discardedAt = tx.tx.now;
    emitEvent(tx, 'account.discarded', account);
  }
  await endSharesOf(tx, company.id);
  await revokeSessions(tx, { companyId: company.id, id: 'everybody' }, 'deactivated');
  await voidSecretsOf(tx, company.id);
  for (const user of await tx.em.find(User, active, { orderBy: { id: 'asc' } })) {
    user.discardedAt = tx.tx.now;
    emitEvent(tx, 'user.deactivated', user);
  }
  for (const client of await tx.em.find(M2MClient, active, { orderBy: { id: 'asc' } })) {
    client.discardedAt = tx.tx.now;
    emitEvent(tx, 'm2m_client.revoked', client);
  }
  for (const provider of await tx.em.find(SsoConnection, { company: company.id })) tx.em.remove(provider);
}
