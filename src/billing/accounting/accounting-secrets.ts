import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { seal, unseal } from '../../identity/tokens/sealing.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { AccountingConnection } from './sources/accounting-source.ts';
import type { AccountingSystem } from './sources/systems.ts';

/** Stores and reads how systems are connected, apart from the linked accounts, which everybody reads who manages them; and the links to set one up. */
export const ACCOUNTING_SECRETS = definePurpose('accounting_secrets', {
  accounting_secret: ['select (linked_account_id, sealed)', 'insert', 'update (sealed)', 'delete'],
  accounting_setup: [
    'select (id, company_id, link_hash, public_hash, sealed, expires_at)',
    'insert',
    'update (public_hash, sealed, expires_at)',
    'delete',
  ],
});
export const accountingSecretsReserved = reserveForPurposes('accounting_secret', 'accounting_setup');

/** A command or a worker; a command asks on the connection of its transaction. */
interface Asking {
  em: EntityManager;
  tx?: unknown;
}
const secretly = <R extends object>(at: Asking, sql: string, values: unknown[]): Promise<R[]> =>
  runAsPurpose(ACCOUNTING_SECRETS, () => queryOf<R>(at, sql, values));

/** Keeps how a system is connected, sealed. */
export async function keepConnection(tx: TxContext, accountId: string, connection: AccountingConnection): Promise<void> {
  await secretly(
    tx,
    `insert into accounting_secret (linked_account_id, sealed) values ($1, $2)
     on conflict (linked_account_id) do update set sealed = excluded.sealed`,
    [accountId, await seal(tx.em, JSON.stringify(connection), accountId)],
  );
}

/** Returns the connection of a system; undefined for one that was unlinked. @throws Error when the key is no longer configured */
export async function connectionOf(at: Asking, accountId: string): Promise<AccountingConnection | undefined> {
  const [row] = await secretly<{ sealed: string }>(at, 'select sealed from accounting_secret where linked_account_id = $1', [accountId]);
  return row && (JSON.parse(await unseal(at.em, row.sealed, accountId)) as AccountingConnection);
}

export const forgetConnection = (tx: TxContext, accountId: string): Promise<object[]> =>
  secretly(tx, 'delete from accounting_secret where linked_account_id = $1', [accountId]);

/** Minutes for which each of the two tokens is good. */
const MINUTES = 30;
const until = `now() + ${MINUTES} * interval '1 minute'`;
const hash = (token: string): Buffer => createHash('sha256').update(token).digest();
const token = (): string => randomBytes(32).toString('base64url');
const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** The values that were entered on a set-up page, by the system. */
export interface SetUp extends AccountingConnection {
  system: AccountingSystem;
}

/** Makes a link token of 256 random bits; only its hash is kept. */
export async function makeLinkToken(tx: TxContext, companyId: string): Promise<{ id: string; linkToken: string; expiresAt: Date }> {
  const [id, linkToken] = [newId(), token()];
  const [row] = await secretly<{ at: Date }>(
    tx,
    `insert into accounting_setup (id, company_id, link_hash, expires_at) values ($1, $2, $3, ${until}) returning expires_at as at`,
    [id, companyId, hash(linkToken)],
  );
  return { id, linkToken, expiresAt: new Date(row!.at) };
}

const OPEN = 'link_hash = $1 and public_hash is null and expires_at > now()';

/** Whether a link token is good, and was not used. */
export const isOpen = async (em: EntityManager, linkToken: string): Promise<boolean> =>
  isToken(linkToken) && (await secretly({ em }, `select id from accounting_setup where ${OPEN}`, [hash(linkToken)])).length > 0;

/** Keeps what a set-up page was given. @returns the public token for it; undefined if the link token is no longer good */
export async function answerSetUp(em: EntityManager, linkToken: string, given: SetUp): Promise<string | undefined> {
  const [open] = await secretly<{ id: string }>({ em }, `select id from accounting_setup where ${OPEN}`, [hash(linkToken)]);
  if (!open) return undefined;
  const publicToken = token();
  const rows = await secretly(
    { em },
    `update accounting_setup set public_hash = $2, sealed = $3, expires_at = ${until} where ${OPEN} returning id`,
    [hash(linkToken), hash(publicToken), await seal(em, JSON.stringify(given), open.id)],
  );
  return rows.length > 0 ? publicToken : undefined;
}

/** Takes what a set-up page was given, which ends the token. @param companyIds of whom the token must be */
export async function takeSetUp(
  tx: TxContext,
  publicToken: string,
  companyIds: readonly string[],
): Promise<(SetUp & { companyId: string }) | undefined> {
  if (!isToken(publicToken)) return undefined;
  const [row] = await secretly<{ id: string; companyId: string; sealed: string }>(
    tx,
    `delete from accounting_setup where public_hash = $1 and expires_at > now() and company_id = any($2::uuid[])
     returning id, company_id as "companyId", sealed`,
    [hash(publicToken), companyIds],
  );
  return row && { ...(JSON.parse(await unseal(tx.em, row.sealed, row.id)) as SetUp), companyId: row.companyId };
}

/** Deletes links that have ended. */
export const deleteExpiredSetUps = (em: EntityManager): Promise<object[]> =>
  secretly({ em }, 'delete from accounting_setup where expires_at < now()', []);
