import type { Picture } from '../review/review-api.ts';
import { ask } from '../server/request.ts';

/** Who pays or is paid. */
export interface Party {
  customerAccount: { name: string } | null;
  vendorAccount: { name: string } | null;
  driver: { firstName: string; lastName: string } | null;
}
export const partyOf = ({ customerAccount, vendorAccount, driver }: Party): string =>
  customerAccount?.name ?? vendorAccount?.name ?? (driver ? `${driver.firstName} ${driver.lastName}`.trim() : '');

/** An invoice that cannot be approved yet, or one that is approved and in no settlement. */
export interface Draft extends Party {
  id: string;
  invoiceId: string;
  side: string;
  serviceDate: string;
  totalAmount: string | null;
  currency: string;
  jobJobIds: string[];
  blockers: string[];
}

/** A settlement as a row shows it. */
export interface Settlement extends Party {
  id: string;
  settlementId: string;
  side: string;
  state: string;
  startsOn: string;
  endsOn: string;
  currency: string;
  totalAmount: string | null;
  rebillTotalAmount: string | null;
  stateEvents: string[];
}

/** How a figure came about, as the API explains it. */
export interface Figure {
  label: string;
  amount: string;
  operation: string;
  places?: number;
  source?: { type: string; id: string; version?: number };
  /** Of a rate: where it is from, and by which conditions it was chosen. */
  chosen?: { source: string; matched: readonly string[] };
  parts?: Figure[];
}

export interface OneSettlement extends Settlement {
  differenceTotalAmount: string | null;
  originalSettlement: { id: string; settlementId: string } | null;
  voidReason: string | null;
  rebillable: boolean;
  jobsCount: number;
  pdfUrl: string | null;
  /** Since it was approved. */
  postingDate: string | null;
  explain: (Figure & { rebilled?: Figure }) | null;
}

export interface Found<T> {
  items: T[];
  next: string | null;
}

/** What the page lists. */
export type Kind = 'blockers' | 'drafts' | 'settlements' | 'received';

const PARTY = 'customerAccount { name } vendorAccount { name } driver { firstName lastName }';
const INVOICE = `id invoiceId side serviceDate totalAmount currency jobJobIds blockers ${PARTY}`;
const SETTLEMENT = `id settlementId side state startsOn endsOn currency totalAmount rebillTotalAmount stateEvents ${PARTY}`;
const PAGE_SIZE = 50;

interface Asked {
  cursor: string;
  company: string;
}
async function pageOf<T>(list: string, type: string, fields: string, { cursor, company }: Asked, filter: object = {}): Promise<Found<T>> {
  const { found } = await ask<{ found: { nodes: T[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } }>(
    `query($first: Int, $after: String, $company: ID, $filter: ${type}) {
      found: ${list}(first: $first, after: $after, companyId: $company, filter: $filter) { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`,
    { first: PAGE_SIZE, after: cursor || null, company: company || null, filter },
  );
  return { items: found.nodes, next: found.pageInfo.hasNextPage ? found.pageInfo.endCursor : null };
}

/** Invoices that cannot be approved yet, the oldest day first. @param day only of this day of the company, unless empty */
export const readBlocked = (of: Asked, day: string): Promise<Found<Draft>> =>
  pageOf('blockedInvoices', 'InvoiceFilter', INVOICE, of, day ? { startDate: day, endDate: day } : {});

/** Invoices that may be settled and are in no settlement. */
export const readDrafts = (of: Asked): Promise<Found<Draft>> =>
  pageOf('invoices', 'InvoiceFilter', INVOICE, of, { states: ['approved', 'customer_pending', 'customer_approved'], grouped: false });

/** @param state only in this one, unless empty @param received those that other companies sent, instead of the company's own */
export const readSettlements = (of: Asked, state: string, received: boolean): Promise<Found<Settlement>> =>
  pageOf('settlements', 'SettlementFilter', SETTLEMENT, of, {
    ...(state ? { states: [state] } : {}),
    ...(received ? { received } : {}),
  });

export const readSettlement = async (id: string): Promise<OneSettlement> =>
  (
    await ask<{ settlement: OneSettlement }>(
      `query($id: ID!) { settlement(id: $id) { ${SETTLEMENT} differenceTotalAmount voidReason rebillable jobsCount pdfUrl postingDate explain
        originalSettlement { id settlementId } } }`,
      { id },
    )
  ).settlement;

/** An invoice of a settlement, for its correction and its explanation. */
export interface SettledInvoice {
  rateValue: string | null;
  rateType: string | null;
  explain: Figure | null;
}
export const readInvoice = async (id: string): Promise<SettledInvoice> =>
  (await ask<{ invoice: SettledInvoice }>('query($id: ID!) { invoice(id: $id) { rateValue rateType explain } }', { id })).invoice;

/** A ticket that says a quantity. */
export interface SourceTicket extends Picture {
  ticketNumber: string | null;
  quantity: string | null;
  unitOfMeasure: string;
  state: string;
}
export const readTicket = async (id: string): Promise<SourceTicket> =>
  (
    await ask<{ ticket: SourceTicket }>(
      'query($id: ID!) { ticket(id: $id) { ticketNumber quantity unitOfMeasure state imageUrl imageMimeType previewUrl } }',
      { id },
    )
  ).ticket;

/** What records are called, by their type: the root field, and the field of it. */
const NAMED: Record<string, [query: string, field: string]> = {
  Rate: ['rate', 'name'],
  Job: ['job', 'jobId'],
  Order: ['order', 'orderId'],
  Load: ['load', 'loadId'],
  Material: ['material', 'name'],
  AddOnCharge: ['addOnCharge', 'name'],
  AutoAddOnAssignment: ['autoAddOnAssignment', 'name'],
  DriverDay: ['driverDay', 'driverDayId'],
};
export const isNamed = (type: string): boolean => Object.hasOwn(NAMED, type);

/** Returns what a record is called. @throws Error for one that is gone, or that the person does not see */
export async function readName(type: string, id: string): Promise<string> {
  const [query, field] = NAMED[type]!;
  const { found } = await ask<{ found: Record<string, string> }>(`query($id: ID!) { found: ${query}(id: $id) { ${field} } }`, { id });
  return found[field]!;
}

const onOne = (operation: string) => async (id: string) => void (await ask(`mutation($id: ID!) { ${operation}(id: $id) { id } }`, { id }));

/** What is done to a settlement without any words, by the name of its event. */
export const EVENTS: Record<string, (id: string) => Promise<void>> = {
  approve: onOne('approveSettlement'),
  unapprove: onOne('unapproveSettlement'),
  send_settlement: onOne('sendSettlement'),
  pay: onOne('paySettlement'),
  undo_pay: onOne('undoPaySettlement'),
  customer_approve: onOne('customerApproveSettlement'),
  customer_pay: onOne('customerPaySettlement'),
};

export const voidSettlement = async (id: string, voidReason: string): Promise<void> =>
  void (await ask('mutation($id: ID!, $input: VoidSettlementInput) { voidSettlement(id: $id, input: $input) { id } }', {
    id,
    input: { voidReason },
  }));

/** @returns the id of the new settlement */
export const rebill = async (id: string): Promise<string> =>
  (await ask<{ made: { id: string } }>('mutation($id: ID!) { made: rebillSettlement(id: $id) { id } }', { id })).made.id;

/** @returns the id of the new settlement */
export const settle = async (invoiceIds: readonly string[], company: string): Promise<string> =>
  (
    await ask<{ made: { id: string } }>(
      'mutation($input: CreateSettlementInput!, $company: ID) { made: createSettlement(input: $input, companyId: $company) { id } }',
      { input: { invoiceIds }, company: company || null },
    )
  ).made.id;

/** What is corrected of an invoice. */
export interface Correction {
  invoiceId: string;
  rateType: string;
  rateValue: string;
}
/** @returns the id of the new settlement */
export const correct = async (id: string, reason: string, changes: readonly Correction[]): Promise<string> =>
  (
    await ask<{ made: { id: string } }>(
      'mutation($id: ID!, $input: CorrectSettlementInput!) { made: correctSettlement(id: $id, input: $input) { id } }',
      { id, input: { reason, changes } },
    )
  ).made.id;
