import type { RateOwnerType } from '../../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../../directory/master-data/units.ts';
import { settlementNumber } from '../../../dispatch/fields/settlement-number.ts';
import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../../platform/decimal.ts';
import { Conflict } from '../../../platform/errors.ts';
import { type Language } from '../../../platform/i18n/messages.ts';
import { localDate } from '../../../platform/time.ts';
import { sideOfRates } from '../../invoices/rate-by-hand.ts';
import type { Settlement } from '../settlement.entity.ts';
import { lineItemsOf, type SettlementLineItem } from '../settlement-line-items.ts';
import { chargesSql, HEAD, invoiceChargesSql, LOADS, taxesSql } from './document.sql.ts';
import { languageOf } from './language-of.ts';
import { atOneRate } from './rebilled-lines.ts';
import { filesOfTickets, type TicketFile } from './ticket-pictures.ts';

/** A company, customer, vendor or driver as it is printed. */
export interface Party {
  name: string;
  address: string[];
  contact: string[];
}

/** A line as it is printed. Amounts and quantities are decimals as text. */
export interface DocumentLine {
  /** The local date of its first job, `YYYY-MM-DD`. */
  date: string;
  orders: string[];
  /** The job or load that the line is for; null for a line of an order. */
  work: string | null;
  materials: string[];
  services: string[];
  trucks: string[];
  tickets: string[];
  quantities: { quantity: string; unit: UnitOfMeasure | null }[];
  rate: string | null;
  rateType: RateType | null;
  amount: string;
}

/** A charge as it is printed. Exactly one of rate and percentage says how it is counted; neither does for what cannot be said in one line. */
export interface DocumentCharge {
  addOnId: string | null;
  /** The id of its add-on in accounting. */
  accountingId: string | null;
  name: string | null;
  quantity: string | null;
  rate: string | null;
  percentage: string | null;
  amount: string;
}

export interface DocumentTax {
  description: string | null;
  /** Percent. */
  rate: string | null;
  amount: string;
}

/** A load as it is printed: no money. */
export interface DocumentLoad {
  date: string;
  load: string;
  order: string;
  material: string | null;
  truck: string | null;
  ticket: string | null;
  quantity: string | null;
  unit: UnitOfMeasure | null;
}

/** The recipient of a document: a customer is billed, a vendor is settled with, and a driver gets a statement of the pay. */
export type DocumentKind = RateOwnerType;

/** Everything that a settlement says on paper and to accounting, in figures that add up to its totals. Days are `YYYY-MM-DD`. */
export interface SettlementDocument {
  id: string;
  number: string;
  kind: DocumentKind;
  state: string;
  currency: string;
  language: Language;
  dateFormat: string;
  /** Of the company; decides on the paper. */
  country: string | null;
  /** When it was approved, or begun. */
  date: string;
  dueDate: string;
  /** Days until it is due; 0 for at once. */
  termsDays: number;
  /** Of the orders of what a customer is billed; absent of what was kept before it was printed. */
  purchaseOrders?: string[];
  startsOn: string;
  endsOn: string;
  createdAt: Date;
  company: Party;
  counterparty: Party;
  logo: { key: string; type: string } | null;
  groups: { name: string | null; lines: DocumentLine[]; subtotal: string }[];
  linesTotal: string;
  /** Of its invoices. */
  invoiceCharges: DocumentCharge[];
  taxes: DocumentTax[];
  invoicesTotal: string;
  /** Of the settlement itself. */
  charges: DocumentCharge[];
  total: string;
  /** The settlement that this one replaces, with what was billed by that one. */
  replaces: { number: string; total: string; difference: string } | null;
  /** Null unless its loads are printed. */
  loads: DocumentLoad[] | null;
  /** The files of its tickets that are printed behind it; absent of what was kept before there were any. */
  pictures?: TicketFile[];
}

interface Head {
  company: Party;
  counterparty: Party;
  language: string;
  dateFormat: string;
  timeZone: string;
  country: string | null;
  logoKey: string | null;
  logoType: string | null;
  termsDays: number;
  attachments: boolean;
  purchaseOrders: string[];
  replacesNumber: number | null;
  replacesTotal: string | null;
}
type LoadRow = Omit<DocumentLoad, 'date'> & { at: string | null };

const sumOf = (amounts: readonly string[]): Decimal => amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0));

/** The facts of a settlement for a mail: no more than is on its envelope. */
export type Cover = Pick<SettlementDocument, 'kind' | 'number' | 'language'> & { company: Pick<Party, 'name'> };

/** Returns what a mail says of a settlement, whose own document need not be drawn up. */
export async function coverOf(ctx: Context, { id, side, driver, number }: Settlement): Promise<Cover> {
  const [head] = await queryOf<Head>(ctx, HEAD, [id]);
  const { language, country, company } = head!;
  return { kind: sideOfRates(side, driver), number: settlementNumber(side, number), language: languageOf(language, country), company };
}

/**
 * Draws up what a settlement says now, also to a reader who does not see all of its work.
 * @throws Error if the parts do not add up to the totals of the settlement; Conflict if it is voided and its invoices were changed since
 */
export async function drawUp(ctx: Context, settlement: Settlement): Promise<SettlementDocument> {
  const { id, side, currency, state, startsOn, endsOn, createdAt } = settlement;
  const [head] = await queryOf<Head>(ctx, HEAD, [id]);
  const { language, dateFormat, timeZone, country, logoKey, logoType, termsDays, purchaseOrders, company, counterparty } = head!;
  const rebilled = settlement.rebillTotalAmount != null;
  const by = settlement.settlementLineItemType;
  const groups = (await lineItemsOf(ctx, settlement, { by, seesMoney: true, received: false })).map(({ group, lineItems }) => {
    const lines = (rebilled ? atOneRate(lineItems, by) : lineItems).map((line) => lineOf(line, { by, rebilled, timeZone }));
    return { name: group, lines, subtotal: decimalText(sumOf(lines.map(({ amount }) => amount))) };
  });
  const taxes = plain(await queryOf<DocumentTax>(ctx, taxesSql('$1'), [id]));
  const charges = plain(await queryOf<DocumentCharge>(ctx, chargesSql('$1'), [id]));
  const invoicesTotal = (rebilled ? settlement.rebillInvoicesTotalAmount : null) ?? settlement.invoicesTotalAmount;
  const total = settlement.rebillTotalAmount ?? settlement.totalAmount;
  const linesTotal = sumOf(groups.map(({ subtotal }) => subtotal));
  const rest = invoicesTotal.minus(linesTotal).minus(sumOf(taxes.map(({ amount }) => amount)));
  const invoiceCharges = chargesOf(plain(await queryOf<DocumentCharge>(ctx, invoiceChargesSql('$1'), [id])), rest, rebilled);
  if (
    !sumOf(charges.map(({ amount }) => amount))
      .plus(invoicesTotal)
      .equals(total)
  )
    throw disagreement(settlement);
  if (!invoiceCharges) throw disagreement(settlement);
  const date = localDate(settlement.billingApprovedAt ?? createdAt, timeZone);
  return {
    ...{ id, number: settlementNumber(side, settlement.number), kind: sideOfRates(side, settlement.driver), state, currency },
    ...{
      language: languageOf(language, country),
      dateFormat,
      country,
      date,
      termsDays,
      purchaseOrders,
      startsOn,
      endsOn,
      createdAt,
      company,
      counterparty,
    },
    dueDate: dayAfter(date, termsDays),
    logo: logoKey && logoType ? { key: logoKey, type: logoType } : null,
    ...{ groups, linesTotal: decimalText(linesTotal), invoiceCharges, taxes, invoicesTotal: decimalText(invoicesTotal), charges },
    total: decimalText(total),
    replaces: replacedBy(head!, side, total),
    loads: settlement.includeLoadsInPdf ? await loadsOf(ctx, id, timeZone) : null,
    pictures: head!.attachments ? await filesOfTickets(ctx, id, settlement.company.id) : [],
  };
}

function replacedBy({ replacesNumber, replacesTotal }: Head, side: Settlement['side'], total: Decimal): SettlementDocument['replaces'] {
  if (replacesNumber === null || replacesTotal === null) return null;
  const number = settlementNumber(side, replacesNumber);
  return { number, total: decimalText(replacesTotal), difference: decimalText(total.minus(replacesTotal)) };
}

const DAY = 86_400_000;
/** The day so many days later. */
export const dayAfter = (date: string, days: number): string => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

/** Without the zeros that columns have at their end. */
export const plain = <R extends { amount: string; quantity?: string | null; rate?: string | null }>(rows: R[]): R[] =>
  rows.map((row) => {
    const texts = Object.entries({ amount: row.amount, quantity: row.quantity, rate: row.rate });
    return { ...row, ...Object.fromEntries(texts.flatMap(([name, text]) => (text == null ? [] : [[name, decimalText(text)]]))) };
  });

/**
 * The charges of the invoices. Of invoices that are billed anew nobody keeps each charge, because percentages follow the lines: then they are one
 * line. Undefined if they are not what is left of the invoices without lines and tax.
 */
export function chargesOf(charges: DocumentCharge[], rest: Decimal, rebilled: boolean): DocumentCharge[] | undefined {
  if (sumOf(charges.map(({ amount }) => amount)).equals(rest)) return charges;
  return rebilled
    ? [{ addOnId: null, accountingId: null, name: null, quantity: null, rate: null, percentage: null, amount: decimalText(rest) }]
    : undefined;
}

/** Invoices of a voided settlement may be changed, and what they were is kept nowhere. */
const disagreement = ({ id, state }: Settlement): Error =>
  state === 'voided'
    ? new Conflict([{ model: 'Settlement', field: 'state', key: 'voided_and_changed' }])
    : new Error(`the parts of settlement ${id} do not add up to its total`);

interface HowLines {
  by: Settlement['settlementLineItemType'];
  rebilled: boolean;
  timeZone: string;
}

function lineOf(line: SettlementLineItem, { by, rebilled, timeZone }: HowLines): DocumentLine {
  const { ids, quantities, rateTypes, totalQuantity, rateValue, rebillRateValue, totalAmount, rebillTotalAmount } = line;
  const [first] = ids;
  const isOfJob = by !== 'order' && new Set(ids.map(({ jobId }) => jobId)).size === 1;
  const rateType = rateTypes[0] ?? null;
  const sameRate = !rebilled || rebillRateValue !== null || decimalText(rebillTotalAmount!) === decimalText(totalAmount!);
  return {
    date: localDate(new Date(line.date), timeZone),
    orders: [...new Set(ids.map(({ friendlyOrderId }) => friendlyOrderId))],
    work: isOfJob ? ((by === 'load' ? first!.friendlyLoadId : null) ?? first!.friendlyJobId) : null,
    materials: line.materials,
    services: line.services,
    trucks: line.equipmentNames,
    tickets: line.ticketNumbers,
    // A difference that is one at its amount is in no unit, whatever its work is paid for.
    quantities:
      quantities.length > 0
        ? quantities.map(({ quantity, unitOfMeasure }) => ({ quantity: decimalText(quantity), unit: unitOfMeasure }))
        : [{ quantity: decimalText(totalQuantity), unit: null }],
    // A percentage next to its amount would say what the customer pays, and is no price.
    rate: sameRate && rateType !== 'RateCommission' ? decimalText((rebilled ? rebillRateValue : null) ?? rateValue!) : null,
    rateType,
    amount: decimalText((rebilled ? rebillTotalAmount : null) ?? totalAmount!),
  };
}

async function loadsOf(ctx: Context, id: string, timeZone: string): Promise<DocumentLoad[]> {
  const rows = await queryOf<LoadRow>(ctx, LOADS, [id]);
  return rows.map(({ at, ...load }) => ({ ...load, date: at === null ? '' : localDate(new Date(at), timeZone) }));
}
