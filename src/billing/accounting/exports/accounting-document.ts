import type { Context } from '../../../platform/context.ts';
import { withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import { translate } from '../../../platform/i18n/messages.ts';
import { localDate } from '../../../platform/time.ts';
import type { InvoiceSide } from '../../invoices/invoice-enums.ts';
import { sideOfRates } from '../../invoices/rate-by-hand.ts';
import { LINE_ITEM_TYPES } from '../../line-items/line-item-type.entity.ts';
import { languageOf } from '../../settlements/documents/language-of.ts';
import {
  chargesOf,
  type DocumentCharge,
  type DocumentKind,
  type DocumentTax,
  dayAfter,
  plain,
} from '../../settlements/documents/settlement-document.ts';
import { DOCUMENTS_OF_INVOICES, DOCUMENTS_OF_SETTLEMENTS } from './accounting-document.sql.ts';
import { type ExportedRecord, isInvoice } from './exported-record.ts';

/** A record of ours that an item of an accounting system may be. */
export interface Itemizable {
  type: 'AddOn' | 'Service' | 'LineItemType';
  id: string;
}

/** By what accounting systems may follow lines, apart from their accounts. */
export const TRACKED = ['project', 'order', 'service', 'material'] as const;
export type Tracked = (typeof TRACKED)[number];

/** A line for accounting. Decimals are text, and the amount is the quantity times the rate, rounded to cents. */
export interface AccountingLine {
  /** The items that it may be in accounting, the most particular first. */
  itemizables: Itemizable[];
  /** The key by which accounting knows it, if somebody said so; otherwise its name. */
  item: string;
  description: string;
  /** The name by which accounting knew it when it was exported; absent of what was not. */
  known?: string;
  /** The first day of its work, or of the document. */
  date: string;
  quantity: string;
  rate: string;
  amount: string;
  /** The work that it is for, by its names; absent of charges, and of what was kept before this was. */
  work?: Record<Tracked, string | null>;
}

/** For whom a document is: an account, or a driver. */
export interface Counterparty {
  /** Null of a driver. */
  accountId: string | null;
  name: string;
  accountingId: string | null;
  externalId: string | null;
  email: string | null;
  /** The name by which accounting knew it when it was exported; absent of what was not. */
  known?: string;
}

/**
 * The document of a settlement, or of an invoice by itself, for accounting: its lines and charges, and its tax by itself. They add up to the total, which is that of
 * the settlement without the balances that it takes over from others.
 */
export interface AccountingDocument {
  number: string;
  kind: DocumentKind;
  /** Of the settlement or invoice, at the moment of which the document is. */
  state: string;
  currency: string;
  /** The format in which the company writes dates. */
  dateFormat: string;
  /** On which it counts in the books; before it is approved, that of the paper. */
  date: string;
  /** As on paper; of an invoice by itself, so many days after its approval as its terms say. */
  dueDate: string;
  counterparty: Counterparty;
  /** The account to which it was posted when it was exported, if one was mapped; absent of what was not. */
  ledger?: string | null;
  lines: AccountingLine[];
  taxes: DocumentTax[];
  total: string;
}

interface Work {
  date: string;
  order: string | null;
  serviceId: string | null;
  service: string | null;
  material: string | null;
  project: string | null;
  type: keyof typeof LINE_ITEM_TYPES;
  loads: number;
  quantity: string;
  rate: string;
  amount: string;
}

/** A settlement or an invoice as it is read for accounting. Decimals are text. */
interface Row {
  id: string;
  side: InvoiceSide;
  number: string;
  currency: string;
  state: string;
  driverId: string | null;
  createdAt: Date;
  billingApprovedAt: Date | null;
  postingDate: string | null;
  /** As it was printed when it was approved. */
  paperDate: string | null;
  /** It is billed anew. */
  rebilled: boolean;
  invoicesTotal: string;
  total: string;
  language: string;
  dateFormat: string;
  timeZone: string;
  country: string | null;
  termsDays: number;
  counterparty: Counterparty;
  work: Work[];
  charges: DocumentCharge[];
  invoiceCharges: DocumentCharge[];
  taxes: DocumentTax[];
}

/** Returns what accounting gets of a settlement, or of an invoice by itself. @throws Error if its parts do not add up to its total */
export async function accountingDocumentOf(ctx: Context, record: ExportedRecord): Promise<AccountingDocument> {
  return (await accountingDocumentsOf(ctx, isInvoice(record) ? 'invoices' : 'settlements', [record.id])).get(record.id)!;
}

const STATEMENTS = { invoices: DOCUMENTS_OF_INVOICES, settlements: DOCUMENTS_OF_SETTLEMENTS };

/** The same of several of one kind in one statement, so that all are of one moment; by their ids. @throws Error */
export async function accountingDocumentsOf(
  ctx: Context,
  kind: keyof typeof STATEMENTS,
  ids: readonly string[],
): Promise<Map<string, AccountingDocument>> {
  const rows = await withPartnerVisibility(() => queryOf<Row>(ctx, STATEMENTS[kind], [ids]));
  return new Map(rows.map((row) => [row.id, drawUp(row)]));
}

const sumOf = (amounts: readonly { amount: string }[]): Decimal => amounts.reduce((sum, { amount }) => sum.plus(amount), new Decimal(0));

function drawUp(row: Row): AccountingDocument {
  const { id, side, number, currency, state, dateFormat, rebilled, termsDays, counterparty, total } = row;
  const language = languageOf(row.language, row.country);
  const word = (key: string, params = {}) => translate(language, key, params);
  const onPaper = row.paperDate ?? localDate(new Date(row.billingApprovedAt ?? row.createdAt), row.timeZone);
  const date = row.postingDate ?? onPaper;
  const work = row.work.map((line) => workLine(line, word));
  const taxes = plain(row.taxes);
  const rest = new Decimal(row.invoicesTotal).minus(sumOf(row.work)).minus(sumOf(taxes));
  const charges = [...(chargesOf(plain(row.invoiceCharges), rest, rebilled) ?? []), ...plain(row.charges)];
  const lines = [...work, ...charges.map((charge) => chargeLine(charge, date, word('document_charges')))];
  if (!sumOf([...lines, ...taxes]).equals(total))
    throw new Error(`what accounting would get of ${number} (${id}) does not add up to its total`);
  return {
    ...{ number, kind: sideOfRates(side, row.driverId ? { id: row.driverId } : null) },
    ...{ state, currency, dateFormat, date, dueDate: dayAfter(onPaper, termsDays), counterparty, lines, taxes, total: decimalText(total) },
  };
}

type Word = (key: string, params?: object) => string;

function workLine({ order, service, serviceId, material, project, type, loads, ...line }: Work, word: Word): AccountingLine {
  const isMaterial = type === 'MaterialRateLineItem';
  return {
    itemizables: [
      ...(!isMaterial && serviceId ? [{ type: 'Service', id: serviceId } as const] : []),
      { type: 'LineItemType', id: LINE_ITEM_TYPES[type] } as const,
    ],
    item: (isMaterial ? material : service) ?? word(`accounting_${isMaterial ? 'material' : 'freight'}`),
    description: [
      order === null ? '' : word('document_order', { names: order }),
      material ?? '',
      loads > 0 ? word('accounting_loads', { loads }) : '',
    ]
      .filter(Boolean)
      .join(', '),
    work: { project, order, service, material },
    ...counted(line),
  };
}

/** Accounting systems multiply again: what is not the product, such as a share of a day, is one at its amount. */
function counted<L extends { quantity: string; rate: string; amount: string }>(line: L): L {
  const { quantity, rate, amount } = line;
  const product = new Decimal(quantity).mul(rate).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
  const texts = product.equals(amount) ? [quantity, rate, amount] : ['1', amount, amount];
  return { ...line, quantity: decimalText(texts[0]!), rate: decimalText(texts[1]!), amount: decimalText(texts[2]!) };
}

function chargeLine(
  { addOnId, accountingId, name, quantity, rate, amount }: DocumentCharge,
  date: string,
  otherwise: string,
): AccountingLine {
  return {
    itemizables: addOnId === null ? [] : [{ type: 'AddOn', id: addOnId }],
    item: accountingId ?? name ?? otherwise,
    description: name ?? otherwise,
    date,
    ...counted({ quantity: quantity ?? '1', rate: rate ?? amount, amount }),
  };
}
