import { settlementOfSql } from '../../../dispatch/fields/settlement-number.ts';
import { resolveReferences } from '../../../platform/authz/references.ts';
import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { requireMoney } from '../../settlements/documents/require-money.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { type AccountingDocument, accountingDocumentsOf } from '../exports/accounting-document.ts';
import { isKeptSql } from '../exports/exported-document.ts';
import { type ExportedRecord, isInvoice } from '../exports/exported-record.ts';
import { EXPORTABLE } from '../exports/retry-exports.ts';

const model = 'AccountingFile';
type Problem = Pick<ErrorItem, 'key' | 'params'>;

/** The settlements and invoices that somebody wants in a file, in the order in which they are named. An id that is named twice counts once. */
export interface Wanted {
  settlementIds: readonly string[];
  invoiceIds: readonly string[];
}

const LISTS = ['settlementIds', 'invoiceIds'] as const;

/** Where each was named first, as errors say it, `settlementIds.0`. */
export function placesOf(wanted: Wanted): Map<string, string> {
  const firstIn = (list: (typeof LISTS)[number]): Map<string, string> => {
    const places = new Map<string, string>();
    for (const [i, id] of wanted[list].entries()) if (!places.has(id)) places.set(id, `${list}.${i}`);
    return places;
  };
  return new Map(LISTS.flatMap((list) => [...firstIn(list)]));
}

/**
 * The documents of settlements and invoices by the ids of these. Those of one kind are of one moment: a file whose settlements were read one after the other
 * could have one as it was before a correction and another as it is after it.
 * @throws Denied, Invalid naming each that cannot be in a file with the first by its place
 */
export async function documentsOf(ctx: Context, companyId: string, wanted: Wanted): Promise<Map<string, AccountingDocument>> {
  const items: ErrorItem[] = [];
  const { settlements, invoices } = await resolveReferences(
    ctx,
    { settlementIds: wanted.settlementIds, invoiceIds: wanted.invoiceIds },
    { settlements: [Settlement, 'settlementIds'], invoices: [Invoice, 'invoiceIds'] },
    { model, companyId, items },
  );
  const found = [settlements, invoices] as unknown as ((ExportedRecord | undefined)[] | undefined)[];
  const seen = [...new Set(found.flatMap((records) => (records ?? []).flatMap((one) => one ?? [])))];
  for (const record of seen) requireMoney(ctx, { side: record.side, driver: isInvoice(record) ? record.payeeDriver : record.driver });
  const documents = await documentsAsTheyAre(ctx, seen);
  const settled = await settlementsOf(ctx, seen.filter(isInvoice));
  const places = placesOf(wanted);
  const first = seen.map(({ id }) => documents.get(id)).find((one) => one !== undefined);
  for (const record of seen) {
    const problem = problemOf(record, { document: documents.get(record.id), first, settlement: settled.get(record.id) });
    if (problem) items.push({ model, field: places.get(record.id)!, ...problem });
  }
  const order = LISTS.flatMap((list) => wanted[list].map((_, i) => `${list}.${i}`));
  if (items.length > 0) throw new Invalid(items.sort((a, b) => order.indexOf(a.field) - order.indexOf(b.field)));
  return documents;
}

// The reversals of records $1, and what was exported of records $2. How the company writes dates now holds for the whole file.
const KEPT = `select k.id, k.document, c.date_format as "dateFormat" from (
    select e.company_id, coalesce(e.settlement_id, e.invoice_id) as id, e.document::json as document from settlement_export e
      where e.reverses and (e.settlement_id = any($1::uuid[]) or e.invoice_id = any($1::uuid[]))
    union all select e.company_id, coalesce(e.settlement_id, e.invoice_id), e.exported_document from settlement_export e
      where not e.reverses and (e.settlement_id = any($2::uuid[]) or e.invoice_id = any($2::uuid[])) and ${isKeptSql('e')}) k
  join company c on c.id = k.company_id`;
interface Kept {
  id: string;
  document: AccountingDocument;
  dateFormat: string;
}

/**
 * The documents by their records, in the order of these. What was exported is in a file as it was exported, and what was voided afterwards as what takes it
 * back: its invoices and names may say something else since.
 */
async function documentsAsTheyAre(ctx: Context, records: readonly ExportedRecord[]): Promise<Map<string, AccountingDocument>> {
  const voided = records.filter(({ state }) => state === 'voided').map(({ id }) => id);
  const exported = records.filter(({ state, exportedAt }) => state !== 'voided' && exportedAt).map(({ id }) => id);
  const rows = voided.length + exported.length === 0 ? [] : await queryOf<Kept>(ctx, KEPT, [voided, exported]);
  const drawn = new Map(rows.map(({ id, document, dateFormat }) => [id, { ...document, dateFormat }]));
  const live = records.filter(({ id, state }) => state !== 'voided' && !drawn.has(id));
  for (const [kind, of] of Object.entries({ settlements: live.filter((one) => !isInvoice(one)), invoices: live.filter(isInvoice) }))
    if (of.length > 0)
      for (const [id, document] of await accountingDocumentsOf(
        ctx,
        kind as 'invoices' | 'settlements',
        of.map(({ id }) => id),
      ))
        drawn.set(id, document);
  return new Map(records.flatMap(({ id }): [string, AccountingDocument][] => (drawn.has(id) ? [[id, drawn.get(id)!]] : [])));
}

const SETTLEMENTS = `select i.id, ${settlementOfSql('i.id')} as settlement from invoice i where i.id = any($1::uuid[])`;

/** The numbers of the settlements that have invoices, by the ids of these. */
async function settlementsOf(ctx: Context, invoices: readonly Invoice[]): Promise<Map<string, string>> {
  if (invoices.length === 0) return new Map();
  const rows = await queryOf<{ id: string; settlement: string | null }>(ctx, SETTLEMENTS, [invoices.map(({ id }) => id)]);
  return new Map(rows.flatMap(({ id, settlement }): [string, string][] => (settlement === null ? [] : [[id, settlement]])));
}

interface Facts {
  document?: AccountingDocument | undefined;
  first?: AccountingDocument | undefined;
  settlement?: string | undefined;
}

/** Why a document cannot be in a file with the first one. */
function problemOf(record: ExportedRecord, { document, first, settlement }: Facts): Problem | undefined {
  if (settlement) return { key: 'exported_in_settlement', params: { settlement } };
  const state = document?.state ?? record.state;
  const isSendable = EXPORTABLE.includes(state) || (isInvoice(record) && state === 'exported');
  if (!document || !isSendable) return { key: isInvoice(record) ? 'invoice_not_sendable' : 'settlement_not_sendable', params: { state } };
  if ((document.kind === 'customer') !== (first!.kind === 'customer')) return { key: 'invoice_of_other_side' };
  if (document.currency !== first!.currency) return { key: 'invoice_of_other_currency' };
  // A file has a row for each line, so a document without any would not be in it.
  return document.lines.length + document.taxes.length === 0 ? { key: 'document_without_lines' } : undefined;
}
