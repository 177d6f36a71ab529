import { ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { allow, companyOf, find } from '../../platform/authz/authorization.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { wakeWorkers } from '../../platform/commands/wake-workers.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { worldTime } from '../../platform/database/time/sandbox-time.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import { foldText } from '../../platform/fold.ts';
import type { CreateLinkedAccountInput } from './accounting.inputs.ts';
import { forgetConnection, keepConnection, makeLinkToken, takeSetUp } from './accounting-secrets.ts';
import { LinkedAccount } from './linked-account.entity.ts';
import { MANAGES_ACCOUNTING } from './settings.ts';

/** Makes a token for the page on which an accounting system is set up. @throws Denied */
export async function createLinkToken(ctx: Context, companyId?: string | null): Promise<{ linkToken: string; expiresAt: Date }> {
  const owner = companyOf(ctx, companyId);
  allow(ctx, MANAGES_ACCOUNTING);
  return transact(ctx, async (tx) => {
    const { id, ...made } = await makeLinkToken(tx, owner);
    const changes: AuditRecord['changes'] = { expires_at: [null, made.expiresAt.toISOString()] };
    tx.tx.audits.push({ event: 'create', type: 'LinkToken', id, companyId: owner, changes });
    return made;
  });
}

/**
 * Links the system that a set-up page was given, and has its lists imported. A system that was linked before is the same record, with its
 * mappings; what was set up last counts.
 * @returns its id @throws Denied, Invalid for a public token that is none, was used, or has expired
 */
export async function createLinkedAccount(ctx: Context, { publicToken }: CreateLinkedAccountInput): Promise<string> {
  const { companyIds } = allow(ctx, MANAGES_ACCOUNTING);
  return transact(ctx, async (tx) => {
    const given = await takeSetUp(tx, publicToken, companyIds);
    if (!given) throw new Invalid([{ model: 'LinkedAccount', field: 'publicToken', key: 'public_token_ended' }]);
    const { companyId, system, ...connection } = given;
    const sourceKey = connection.server ?? foldText(connection.name);
    const known = await tx.em.findOne(LinkedAccount, { company: companyId, system, sourceKey }, { filters: { tenant: false } });
    const account = known ? await find(tx, LinkedAccount, known.id, { lock: true }) : new LinkedAccount();
    if (known) account.revision += 1;
    else tx.em.persist(Object.assign(account, { company: ref(Company, companyId), system, sourceKey }));
    Object.assign(account, { name: connection.name, status: 'pending' });
    requestImport(tx, account);
    await tx.em.flush();
    await keepConnection(tx, account.id, connection);
    emitEvent(tx, 'linked_account.created', account);
    return account.id;
  });
}

/** Unlinks a system: its credentials are deleted, its records stay with what they are mapped to. @throws Missing, Denied */
export function deleteLinkedAccount(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const account = await lockAccount(tx, path);
    if (account.status === 'unlinked') return;
    Object.assign(account, { status: 'unlinked', nextImportAt: null, lastError: null, revision: account.revision + 1 });
    await forgetConnection(tx, account.id);
    emitEvent(tx, 'linked_account.deleted', account);
  });
}

/** Has the lists of a system read again. One that is being read is not begun anew. @throws Missing also for an unlinked system, Denied */
export function importLinkedAccount(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const account = await lockAccount(tx, path);
    if (account.status === 'unlinked') throw new Missing();
    const reading = account.nextImportAt && account.attempts === 1 && !account.lastError;
    if (!reading) {
      account.revision += 1;
      requestImport(tx, account);
    }
    emitEvent(tx, 'linked_account.import_requested', account);
  });
}

async function lockAccount(tx: TxContext, { id, companyId }: RecordPath): Promise<LinkedAccount> {
  const account = await find(tx, LinkedAccount, id, { companyId, lock: true });
  allow(tx, MANAGES_ACCOUNTING);
  return account;
}

function requestImport(tx: TxContext, account: LinkedAccount): void {
  Object.assign(account, { nextImportAt: worldTime(tx.tx), attempts: 0, lastError: null });
  wakeWorkers(tx);
}
