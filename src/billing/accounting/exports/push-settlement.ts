import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { asSystem } from '../../../platform/commands/system-context.ts';
import { emitEvent, type TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { ProviderError, reasonOf } from '../../../platform/http/remote.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { connectionOf } from '../accounting-secrets.ts';
import { callFor } from '../settings.ts';
import { DocumentRefused, type SentDocument } from '../sources/accounting-source.ts';
import { type AccountingSystem, SYSTEMS } from '../sources/systems.ts';
import { type AccountingDocument, accountingDocumentOf } from './accounting-document.ts';
import { EXPORTABLE } from './retry-exports.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/** An export as the worker has claimed it. */
export interface ClaimedExport {
  id: string;
  companyId: string;
  settlementId: string;
  linkedAccountId: string;
}

/**
 * Sends a settlement to its system. The document and its revision are noted before it is sent, so that whoever comes after a process that died
 * sends the same under the same key.
 * @throws ProviderError if the system did not take it, DocumentRefused if trying again is of no use
 */
export async function pushSettlement(em: EntityManager, job: ClaimedExport, signal: AbortSignal): Promise<void> {
  const document = await asSystem(em, job.companyId, (tx) => prepare(tx, job));
  if (!document) return;
  const connection = await connectionOf({ em }, job.linkedAccountId);
  const push = SYSTEMS[document.system].push;
  if (!connection || !push) throw new DocumentRefused('the accounting system is no longer linked');
  const key = `${document.sent.id}:${document.sent.revision}`;
  const invoiceId = await push(connection, { key, document: document.sent }, callFor(em, signal)).catch((error: unknown) => {
    throw error instanceof ProviderError ? error : new ProviderError(reasonOf(error), false, { cause: error });
  });
  await endExport(em, job, (tx, row, settlement) => {
    Object.assign(row, { state: 'exported', integrationInvoiceId: invoiceId, exportedAt: tx.tx.now, lastError: null });
    Object.assign(settlement, { exportState: 'exported', exportedAt: tx.tx.now });
    emitEvent(tx, 'settlement.exported', settlement, { integration_invoice_id: invoiceId });
  });
}

/** Notes that a settlement was not taken, and why; the settlement may be changed again. */
export const failExport = (em: EntityManager, job: ClaimedExport, reason: string | null): Promise<void> =>
  endExport(em, job, (tx, row, settlement) => {
    Object.assign(row, { state: 'failed', lastError: reason ?? row.lastError });
    settlement.exportState = 'failed';
    emitEvent(tx, 'settlement.export_failed', settlement);
  });

/** Ends an export that is pending still. */
function endExport(
  em: EntityManager,
  job: ClaimedExport,
  note: (tx: TxContext, row: SettlementExport, settlement: Settlement) => void,
): Promise<void> {
  return asSystem(em, job.companyId, async (tx) => {
    const { row, settlement } = await lockBoth(tx, job);
    if (row.state !== 'pending') return;
    row.nextAt = null;
    note(tx, row, settlement);
  });
}

const LOCK = [
  'select from settlement where id = $1 for no key update',
  'select from settlement_export where settlement_id = $1 for no key update',
];

/** Locks a settlement and its export, in the order of whoever asks for one. */
async function lockBoth(tx: TxContext, { id, settlementId }: ClaimedExport): Promise<{ row: SettlementExport; settlement: Settlement }> {
  for (const sql of LOCK) await queryIn(tx.em, sql, [settlementId]);
  const settlement = await tx.em.findOneOrFail(Settlement, { id: settlementId });
  return { settlement, row: await tx.em.findOneOrFail(SettlementExport, { id }) };
}

interface Prepared {
  system: AccountingSystem;
  sent: SentDocument;
}

/** The document as its system knows customers and items, with its revision. Undefined if there is nothing to send any more. */
async function prepare(tx: TxContext, job: ClaimedExport): Promise<Prepared | undefined> {
  const { row, settlement } = await lockBoth(tx, job);
  if (row.state !== 'pending' || !EXPORTABLE.includes(settlement.state)) {
    Object.assign(row, { nextAt: null });
    return undefined;
  }
  const { system, ...mapped } = await asKnown(tx, job.linkedAccountId, await accountingDocumentOf(tx, settlement));
  const hash = createHash('sha256').update(JSON.stringify(mapped)).digest('hex');
  if (hash !== row.sentHash) Object.assign(row, { sentHash: hash, revision: row.revision + 1 });
  return { system, sent: { ...mapped, revision: row.revision } };
}

const MAPPED = `select l.system, l.status, (select r.external_key from linked_customer r where r.linked_account_id = l.id and r.customer_account_id = $2) as customer,
    (select r.external_key from linked_vendor r where r.linked_account_id = l.id and r.vendor_account_id = $2) as vendor,
    (select json_object_agg(r.itemizable_type || ' ' || r.itemizable_id, r.external_key) from linked_item r
      where r.linked_account_id = l.id and r.itemizable_id is not null) as items,
    (select case when count(*) = 1 then min(r.external_key) end from linked_ledger_account r where r.linked_account_id = l.id and r.type = $3) as ledger
  from linked_account l where l.id = $1`;

interface Mapped {
  system: AccountingSystem;
  status: string;
  customer: string | null;
  vendor: string | null;
  items: Record<string, string> | null;
  ledger: string | null;
}

/** @throws DocumentRefused while the system does not know for whom it is */
async function asKnown(
  tx: TxContext,
  linkedAccountId: string,
  said: AccountingDocument,
): Promise<Omit<SentDocument, 'revision'> & { system: AccountingSystem }> {
  const { kind, counterparty, settlementId, number, currency, date, dueDate, taxes, total, lines } = said;
  if (kind === 'driver') throw new DocumentRefused('the pay of drivers is not sent to accounting systems: download it as a file');
  const ledgerType = kind === 'customer' ? 'AccountsReceivable' : 'AccountsPayable';
  const [mapped] = await queryIn<Mapped>(tx.em, MAPPED, [linkedAccountId, counterparty.accountId, ledgerType]);
  if (mapped!.status === 'unlinked') throw new DocumentRefused('the accounting system is no longer linked');
  const party = mapped![kind];
  if (party === null) throw new DocumentRefused(`no ${kind} of the accounting system is mapped to ${counterparty.name}`);
  const { items } = mapped!;
  return {
    system: mapped!.system,
    ...{ id: settlementId, number, type: kind === 'customer' ? 'invoice' : 'bill', currency, date, due_date: dueDate },
    ...(kind === 'customer' ? { customer: party } : { vendor: party }),
    ledger_account: mapped!.ledger,
    lines: lines.map(({ itemizables, description, date, quantity, rate, amount }) => {
      const item = itemizables.map(({ type, id }) => items?.[`${type} ${id}`]).find((key) => key !== undefined) ?? null;
      return { item, description, date, quantity, rate, amount };
    }),
    taxes: taxes.map(({ description, rate, amount }) => ({ description, rate, amount })),
    total,
  };
}
