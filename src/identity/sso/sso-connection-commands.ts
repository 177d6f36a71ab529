import { randomBytes } from 'node:crypto';
import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { companyOf, find } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isSandbox } from '../../platform/worlds/sandbox-ids.ts';
import { applyConnection, isSameVoucher, missingOf, newVoucher, type Voucher, voucherOf } from './check-connection.ts';
import { keepClientSecret } from './client-secrets.ts';
import { mailAdministrators, maySayWhoVouches } from './domains/who-vouches.ts';
import { endAttempts, holdProviderAlone } from './end-attempts.ts';
import { SsoConnection } from './sso-connection.entity.ts';
import type { CreateSsoProviderInput, UpdateSsoProviderInput } from './sso-connection.inputs.ts';
import { isServing, strandedBelow } from './sso-only.ts';

/** Adds an identity provider to a company; its domains lead there once they are proven. @throws Denied, Invalid */
export function createSsoConnection(ctx: Context, companyId: string, input: CreateSsoProviderInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const company = ref(Company, companyOf(tx, companyId));
    await maySayWhoVouches(tx, company.id);
    // Domains belong to real people.
    if (isSandbox(company.id)) throw new Invalid([{ model: 'SsoProvider', field: '', key: 'not_in_sandbox' }]);
    const connection = Object.assign(new SsoConnection(), {
      company,
      kind: input.kind,
      verification: await verificationFor(tx, company.id),
    });
    refuse(applyConnection(tx, connection, input));
    await applySecret(tx, connection, input.clientSecret);
    tx.em.persist(connection);
    if (isServing(connection)) await mailAdministrators(tx, connection, 'begins');
    return { id: connection.id };
  });
}

/** Changes an identity provider; absent fields stay. @throws Missing, Denied, Invalid */
export function updateSsoConnection(ctx: Context, id: string, input: UpdateSsoProviderInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    await holdProviderAlone(tx, id);
    const connection = await find(tx, SsoConnection, id, { lock: true });
    await maySayWhoVouches(tx, connection.company.id);
    const before = { ...voucherOf(connection), ready: connection.ready, provenDomains: connection.provenDomains };
    refuse(applyConnection(tx, connection, input));
    if (isServing(before) && !isServing(connection))
      await keepLast(tx, connection, missingOf(connection) || (newVoucher(before, connection) ?? 'domains'));
    await applySecret(tx, connection, input.clientSecret);
    if (!isSameVoucher(before, connection)) await endAttempts(tx, connection.id);
    await mailOfChange(tx, connection, before);
    return { id: connection.id };
  });
}

/**
 * Removes an identity provider; its domains are free again, and sessions that began there go on. @throws Missing, Denied, Invalid if it is
 * the last one of people with no other sign-in method
 */
export function deleteSsoConnection(ctx: Context, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    await holdProviderAlone(tx, id);
    const connection = await find(tx, SsoConnection, id, { lock: true });
    await maySayWhoVouches(tx, connection.company.id);
    await keepLast(tx, connection, '');
    await mailAdministrators(tx, connection, 'ended');
    tx.em.remove(connection);
  });
}

/** A provider that nobody was sent to yet is described without a word to anybody; that people are sent there is said once they are. */
async function mailOfChange(
  tx: TxContext,
  connection: SsoConnection,
  before: Voucher & Pick<SsoConnection, 'ready' | 'provenDomains'>,
): Promise<void> {
  const wasKnown = before.ready || before.provenDomains.length > 0;
  if (wasKnown && !isSameVoucher(before, connection)) await mailAdministrators(tx, connection, 'changed');
  else if (isServing(connection) && connection.provenDomains.some((domain) => !isServing(before) || !before.provenDomains.includes(domain)))
    await mailAdministrators(tx, connection, 'begins');
}

/** Refuses to end the last provider of people who have no other sign-in method. @param field what ends it */
async function keepLast(tx: TxContext, connection: SsoConnection, field: string): Promise<void> {
  const company = await strandedBelow(tx, connection.company.id, connection.id);
  if (company) throw new Invalid([{ model: 'SsoConnection', field, key: 'last_way_in', params: { company } }]);
}

/** The text that the company shows its domains by: made with its first connection. */
async function verificationFor(tx: TxContext, companyId: string): Promise<string> {
  const [other] = await tx.em.find(SsoConnection, { company: companyId }, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1 });
  return other?.verification ?? randomBytes(32).toString('hex');
}

function refuse(items: ErrorItem[]): void {
  if (items.length > 0) throw new Invalid(items);
}

async function applySecret(tx: TxContext, connection: SsoConnection, secret: string | null | undefined): Promise<void> {
  if (secret === undefined) return;
  await keepClientSecret(tx, connection.id, secret);
  // The audit log omits the secret; this records that it changed.
  connection.clientSecretChangedAt = secret === null ? null : tx.tx.now;
}
