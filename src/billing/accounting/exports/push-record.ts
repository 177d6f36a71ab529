import type { EntityManager } from '@mikro-orm/postgresql';
import { asSystem } from '../../../platform/commands/system-context.ts';
import { emitEvent, type TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { asProviderError, ProviderError } from '../../../platform/http/remote.ts';
import { compareStale } from '../../invoices/following/compare-again.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { invoiceMachine } from '../../invoices/invoice.machine.ts';
import { isSettled } from '../../invoices/refuse-settled.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { connectionOf } from '../accounting-secrets.ts';
import { callFor } from '../settings.ts';
import type { SentDocument } from '../sources/accounting-source.ts';
import { type AccountingSystem, SYSTEMS } from '../sources/systems.ts';
import type { AccountingDocument } from './accounting-document.ts';
import { DocumentRefused, reasonOfFailure, sentenceOf } from './export-errors.ts';
import { announce, documentToKeep, sentAgain, type Unnumbered } from './exported-document.ts';
import { type ExportedRecord, exportsOf, isInvoice, numberOf } from './exported-record.ts';
import { EXPORTABLE } from './retry-exports.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/** An export as the worker has claimed it. */
export interface ClaimedExport {
  id: string;
  companyId: string;
  /** Null of an invoice. */
  settlementId: string | null;
  invoiceId: string | null;
  /** Null of a reversal that nobody sends. */
  linkedAccountId: string | null;
}

/**
 * Sends a settlement or an invoice to its system, or what takes it back. The document and its revision are noted before it is sent, so that whoever comes after a
 * process that died sends the same under the same key, and nobody takes for absent what may have arrived.
 * @throws ProviderError if the system did not take it, DocumentRefused if trying again is of no use
 */
export async function pushRecord(em: EntityManager, job: ClaimedExport, signal: AbortSignal): Promise<void> {
  const document = await asSystem(em, job.companyId, (tx) => prepare(tx, job));
  if (!document) return;
  const { sent, key, before } = document;
  const connection = job.linkedAccountId === null ? undefined : await connectionOf({ em }, job.linkedAccountId);
  const push = SYSTEMS[document.system].push;
  if (!connection || !push) {
    await noteUncertain(em, job, before);
    throw new DocumentRefused('not_linked');
  }
  const invoiceId = await push(connection, { key, document: sent }, callFor(em, signal)).catch(async (error: unknown) => {
    if (isRefusal(error)) await noteUncertain(em, job, before === sent.revision ? null : before);
    else if (wasNotSent(error)) await noteUncertain(em, job, before);
    throw asProviderError(error);
  });
  await endExport(em, job, async (tx, row, record) => {
    Object.assign(row, { state: 'exported', integrationInvoiceId: invoiceId, exportedAt: tx.tx.now });
    Object.assign(row, { lastError: null, lastErrorCode: null, uncertainRevision: null });
    if (!row.reverses) await noteExported(tx, record);
    // That an invoice was exported, its machine says.
    if (row.reverses || !isInvoice(record))
      emitEvent(tx, `${wordFor(record)}.${row.reverses ? 'reversed' : 'exported'}`, record, { integration_invoice_id: invoiceId });
  });
}

const wordFor = (record: ExportedRecord): string => (isInvoice(record) ? 'invoice' : 'settlement');

async function noteExported(tx: TxContext, record: ExportedRecord): Promise<void> {
  if (isInvoice(record)) {
    invoiceMachine.fire(tx, record, 'export');
    // The work may be another company's, which the worker is not.
    await compareStale(tx, [record.id]);
  }
  Object.assign(record, { exportState: 'exported', exportedAt: tx.tx.now });
}

/** A system that refuses a document under a key would know it if it had got it under the same key before. */
const isRefusal = (error: unknown): boolean => error instanceof DocumentRefused && error.code === 'document_refused';

/** A request that was refused at the door, or found no door, has not arrived. */
function wasNotSent(error: unknown): boolean {
  if (error instanceof ProviderError && error.refused) return true;
  for (let cause = error; cause instanceof Error; cause = cause.cause as Error)
    if (NOT_REACHED.has((cause as NodeJS.ErrnoException).code ?? '')) return true;
  return false;
}
const NOT_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const noteUncertain = (em: EntityManager, job: ClaimedExport, revision: number | null): Promise<void> =>
  asSystem(em, job.companyId, async (tx) => {
    (await lockBoth(tx, job)).row.uncertainRevision = revision;
  });

/**
 * Notes that a settlement or invoice was not taken, and why; it may be changed again, unless it may have arrived. @param error of the last try; absent if it was
 * noted
 */
export const failExport = (em: EntityManager, job: ClaimedExport, error?: unknown): Promise<void> =>
  endExport(em, job, async (tx, row, record) => {
    row.state = 'failed';
    if (error !== undefined) Object.assign(row, await failureOf(tx, job, error));
    if (!row.reverses) record.exportState = row.uncertainRevision == null ? 'failed' : 'uncertain';
    emitEvent(tx, `${wordFor(record)}.export_failed`, record);
  });

/** Notes why a try failed that is made again. */
export const noteFailure = (em: EntityManager, job: ClaimedExport, error: unknown): Promise<void> =>
  asSystem(em, job.companyId, async (tx) => void Object.assign((await lockBoth(tx, job)).row, await failureOf(tx, job, error)));

async function failureOf(tx: TxContext, { companyId }: ClaimedExport, error: unknown): Promise<Partial<SettlementExport>> {
  const reason = reasonOfFailure(error);
  return { lastErrorCode: reason.code, lastError: await sentenceOf(tx, companyId, reason) };
}

/** Ends an export that is pending still. */
function endExport(
  em: EntityManager,
  job: ClaimedExport,
  note: (tx: TxContext, row: SettlementExport, record: ExportedRecord) => void | Promise<void>,
): Promise<void> {
  return asSystem(em, job.companyId, async (tx) => {
    const { row, record } = await lockBoth(tx, job);
    if (row.state !== 'pending') return;
    row.nextAt = null;
    await note(tx, row, record);
  });
}

const lockOf = (table: 'invoice' | 'settlement') => [
  `select from ${table} where id = $1 for no key update`,
  `select from settlement_export where ${table}_id = $1 for no key update`,
];

/** Locks a settlement or an invoice and its export, in the order of whoever asks for one. */
async function lockBoth(
  tx: TxContext,
  { id, settlementId, invoiceId }: ClaimedExport,
): Promise<{ row: SettlementExport; record: ExportedRecord }> {
  const of = (settlementId ?? invoiceId)!;
  for (const sql of lockOf(settlementId === null ? 'invoice' : 'settlement')) await queryIn(tx.em, sql, [of]);
  const record = settlementId === null ? await tx.em.findOneOrFail(Invoice, { id: of }) : await tx.em.findOneOrFail(Settlement, { id: of });
  return { record, row: await tx.em.findOneOrFail(SettlementExport, { id }) };
}

interface Prepared {
  system: AccountingSystem;
  key: string;
  sent: SentDocument;
  /** The revision that may have arrived before. */
  before: number | null;
}

/**
 * Whether a locked record may go to accounting now. A version of the product that knows no exports of invoices may have unapproved, voided or settled one that is
 * on its way, while both versions run.
 */
async function isDue(tx: TxContext, { reverses }: SettlementExport, record: ExportedRecord): Promise<boolean> {
  if (reverses) return record.state === 'voided';
  return EXPORTABLE.includes(record.state) && !(isInvoice(record) && (await isSettled(tx, record)));
}

/**
 * The document as its system knows customers and items, with its revision. Undefined if there is nothing to send any more.
 * @throws DocumentRefused if it must not be sent, so that it does not stay on its way
 */
async function prepare(tx: TxContext, job: ClaimedExport): Promise<Prepared | undefined> {
  const { row, record } = await lockBoth(tx, job);
  if (row.state !== 'pending') {
    Object.assign(row, { nextAt: null });
    return undefined;
  }
  if (!(await isDue(tx, row, record))) throw new DocumentRefused('not_exportable');
  const again = sentAgain(row);
  const { system, sent } = again
    ? { system: await systemOf(tx, job.linkedAccountId), sent: again }
    : await drawnAnew(tx, job.linkedAccountId, row, record);
  const before = row.uncertainRevision ?? null;
  row.uncertainRevision ??= sent.revision;
  return { system, key: `${sent.id}:${sent.revision}`, sent, before };
}

/** The document of a record as it is now, which is kept. @throws DocumentRefused */
async function drawnAnew(
  tx: TxContext,
  linkedAccountId: string | null,
  row: SettlementExport,
  record: ExportedRecord,
): Promise<Pick<Prepared, 'system' | 'sent'>> {
  const said = row.document ?? (await documentToKeep(tx, record));
  // A document that takes another one back is a document of its own.
  const id = row.reverses ? row.id : record.id;
  const { system, ...mapped } = await asKnown(tx, linkedAccountId, id, said, await reversedBy(tx, row, record));
  if (!row.reverses) row.exportedDocument = said;
  return { system, sent: announce(row, mapped) };
}

const SYSTEM = `select system from linked_account where id = $1 and status <> 'unlinked'`;

/** @throws DocumentRefused while it is not linked */
async function systemOf(tx: TxContext, linkedAccountId: string | null): Promise<AccountingSystem> {
  const [linked] = await queryIn<{ system: AccountingSystem }>(tx.em, SYSTEM, [linkedAccountId]);
  if (!linked) throw new DocumentRefused('not_linked');
  return linked.system;
}

/** Returns the document that a reversal takes back; undefined of a document that takes nothing back. */
async function reversedBy(tx: TxContext, { reverses }: SettlementExport, record: ExportedRecord): Promise<SentDocument['reverses']> {
  if (!reverses) return undefined;
  const of = await tx.em.findOneOrFail(SettlementExport, { ...exportsOf(record), reverses: false });
  return { number: numberOf(record), id: of.integrationInvoiceId ?? null };
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
  linkedAccountId: string | null,
  id: string,
  said: AccountingDocument,
  reverses: SentDocument['reverses'],
): Promise<Unnumbered & { system: AccountingSystem }> {
  const { kind, counterparty, number, currency, date, dueDate, taxes, total, lines } = said;
  if (kind === 'driver') throw new DocumentRefused('pay_of_driver');
  const ledgerType = kind === 'customer' ? 'AccountsReceivable' : 'AccountsPayable';
  const [mapped] = await queryIn<Mapped>(tx.em, MAPPED, [linkedAccountId, counterparty.accountId, ledgerType]);
  if (!mapped || mapped.status === 'unlinked') throw new DocumentRefused('not_linked');
  const party = mapped[kind];
  if (party === null) throw new DocumentRefused('not_mapped', { name: counterparty.name });
  const { items } = mapped;
  return {
    system: mapped.system,
    ...{ id, number, type: kind === 'customer' ? 'invoice' : 'bill' },
    ...(reverses ? { reverses } : {}),
    ...{ currency, date, due_date: dueDate },
    ...(kind === 'customer' ? { customer: party } : { vendor: party }),
    ledger_account: mapped.ledger,
    lines: lines.map(({ itemizables, description, date, quantity, rate, amount }) => {
      const item = itemizables.map(({ type, id }) => items?.[`${type} ${id}`]).find((key) => key !== undefined) ?? null;
      return { item, description, date, quantity, rate, amount };
    }),
    taxes: taxes.map(({ description, rate, amount }) => ({ description, rate, amount })),
    total,
  };
}
