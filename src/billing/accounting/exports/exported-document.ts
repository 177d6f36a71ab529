import { createHash } from 'node:crypto';
import type { TxContext } from '../../../platform/commands/transact.ts';
import { namesOf } from '../files/accounting-names.ts';
import { withNames } from '../files/file-lines.ts';
import type { SentDocument } from '../sources/accounting-source.ts';
import { type AccountingDocument, accountingDocumentOf } from './accounting-document.ts';
import { type ExportedRecord, exportsOf } from './exported-record.ts';
import { askedBy, referringTo } from './request-export.ts';
import { SettlementExport } from './settlement-export.entity.ts';

/** A document for a system, which has no revision yet. */
export type Unnumbered = Omit<SentDocument, 'revision'>;

/** What accounting gets of a record now, with the names that everything of it has there now. */
export async function documentToKeep(tx: TxContext, record: ExportedRecord): Promise<AccountingDocument> {
  const document = await accountingDocumentOf(tx, record);
  const { kind, counterparty, lines } = document;
  const keys = lines.flatMap(({ itemizables }) => itemizables.map(({ type, id }) => `${type} ${id}`));
  if (counterparty.accountId !== null) keys.push(`${kind} ${counterparty.accountId}`);
  return withNames(document, await namesOf(tx, record.company.id, [...new Set(keys)]));
}

/** Keeps what a file says of a record, because somebody notes now that accounting has it. */
export async function keepExported(tx: TxContext, record: ExportedRecord): Promise<void> {
  const known = await tx.em.findOne(SettlementExport, { ...exportsOf(record), reverses: false });
  const row =
    known ??
    Object.assign(new SettlementExport(), {
      ...{ company: record.company, ...referringTo(record), state: 'not_exported' },
      ...askedBy(tx),
    });
  if (!known) tx.em.persist(row);
  // What a system was to get and did not is not what was exported.
  Object.assign(row, { exportedDocument: await documentToKeep(tx, record), sent: null });
}

/** Lets files of a record say again what is true when they are asked for: it is not in accounting after all. */
export async function forgetExported(tx: TxContext, record: ExportedRecord): Promise<void> {
  const known = await tx.em.findOne(SettlementExport, { ...exportsOf(record), reverses: false });
  if (known) known.exportedDocument = null;
}

/**
 * Notes a document before it is sent, with its revision, which grows if the document is another one than before.
 * @returns what is sent
 */
export function announce(row: SettlementExport, document: Unnumbered): SentDocument {
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  if (hash !== row.sentHash) Object.assign(row, { sentHash: hash, revision: row.revision + 1 });
  row.sent = { ...document, revision: row.revision };
  return row.sent;
}

/** Whether what is kept of an export is what was sent last: a version of the product that keeps nothing may have sent something else since. */
const isLast = ({ sent, revision }: SettlementExport): boolean => sent?.revision === revision;

/** What was announced last, if it is sent once more as it was: it takes something back, or nobody knows whether it has arrived. */
export const sentAgain = (row: SettlementExport): SentDocument | null =>
  isLast(row) && (row.reverses || row.uncertainRevision != null) ? row.sent! : null;

/** What is kept of an exported record; undefined of what was exported before it was kept. */
export function keptOf(row: SettlementExport | null): { document: AccountingDocument; sent: SentDocument | null } | undefined {
  if (!row?.exportedDocument || (row.sent != null && !isLast(row))) return undefined;
  return { document: row.exportedDocument, sent: row.sent ?? null };
}

/** SQL of whether export `e` has something kept, as `keptOf` says. */
export const isKeptSql = (e: string): string =>
  `${e}.exported_document is not null and (${e}.sent is null or (${e}.sent ->> 'revision')::int = ${e}.revision)`;
