import { ask } from '../server/request.ts';
import type { Figure } from './explain-api.ts';
import { type Asked, type Found, PARTY, type Party, pageOf } from './lists-api.ts';

/** An invoice as a row shows it. */
export interface Draft extends Party {
  id: string;
  invoiceId: string;
  side: string;
  state: string;
  serviceDate: string;
  totalAmount: string | null;
  currency: string;
  jobJobIds: string[];
  blockers: string[];
  /** Why it is in no settlement; null of what is in one. */
  unsettledReason: string | null;
  /** Why there is this part of the work. */
  reason: string;
  /** Of a further part: the one that it was taken off, or that it supplements. */
  parentInvoice: { invoiceId: string } | null;
  /** The reasons to look at it before it is approved. */
  warnings: string[];
}
export const DRAFT = `id invoiceId side state serviceDate totalAmount currency jobJobIds blockers unsettledReason reason parentInvoice { invoiceId } warnings ${PARTY}`;

export interface OneInvoice extends Draft {
  rateValue: string | null;
  rateType: string | null;
  /** Its rate was set on it by somebody. */
  byHand: boolean;
  /** Lines that somebody edited have the amount that they would have otherwise. */
  invoiceLineItems: { name: string | null; edited: boolean; totalAmount: string | null; workTotalAmount: string | null }[];
  stateEvents: string[];
  explain: Figure | null;
}

/** Invoices that cannot be approved yet, the oldest day first. @param day only of this day of the company, unless empty */
export const readBlocked = (of: Asked, day: string): Promise<Found<Draft>> =>
  pageOf('blockedInvoices', 'InvoiceFilter', DRAFT, of, day ? { startDate: day, endDate: day } : {});

/** Invoices that can be approved, the oldest day first. */
export const readApprovable = (of: Asked, day: string): Promise<Found<Draft>> =>
  pageOf('approvableInvoices', 'InvoiceFilter', DRAFT, of, day ? { startDate: day, endDate: day } : {});

/** Invoices that may be settled and are in no settlement. */
export const readDrafts = (of: Asked): Promise<Found<Draft>> =>
  pageOf('invoices', 'InvoiceFilter', DRAFT, of, { states: ['approved', 'customer_pending', 'customer_approved'], grouped: false });

export const readInvoice = async (id: string): Promise<OneInvoice> =>
  (
    await ask<{ invoice: OneInvoice }>(
      `query($id: ID!) { invoice(id: $id) { ${DRAFT} rateValue rateType byHand stateEvents explain
        invoiceLineItems { name edited totalAmount workTotalAmount } } }`,
      { id },
    )
  ).invoice;

export const explainInvoice = async (id: string): Promise<Figure | null> =>
  (await ask<{ invoice: { explain: Figure | null } }>('query($id: ID!) { invoice(id: $id) { explain } }', { id })).invoice.explain;

/** A line of an invoice that is corrected. */
export interface Line {
  id: string;
  name: string | null;
  load: { loadId: string } | null;
  /** The quantity that was delivered, and the one that is billed of it. */
  deliveredQuantity: string;
  quantity: string;
  unitOfMeasure: string | null;
  rate: string | null;
  totalAmount: string | null;
  isDifference: boolean;
}
/** An invoice of a settlement, as its correction needs it. */
export interface Correctable {
  side: string;
  company: { id: string };
  customerAccount: { id: string } | null;
  vendorAccount: { id: string } | null;
  driver: { id: string } | null;
  rateValue: string | null;
  rateType: string | null;
  rateMinimum: string | null;
  rateIncrement: string | null;
  invoiceLineItems: Line[];
}
export const readCorrectable = async (id: string): Promise<Correctable> =>
  (
    await ask<{ invoice: Correctable }>(
      `query($id: ID!) { invoice(id: $id) { side company { id } customerAccount { id } vendorAccount { id } driver { id }
        rateValue rateType rateMinimum rateIncrement
        invoiceLineItems { id name load { loadId } deliveredQuantity quantity unitOfMeasure rate totalAmount isDifference } } }`,
      { id },
    )
  ).invoice;

/** A rate card. */
export interface RateCard {
  id: string;
  name: string;
  type: string;
  unitRate: string | null;
  timeRate: string | null;
  flatAmount: string | null;
  commissionPercentage: number | null;
}
/** The rate cards that an invoice could have: those for its customer, vendor or driver, and those for all. */
export const readRateCards = async ({ side, company, customerAccount, vendorAccount, driver }: Correctable): Promise<Found<RateCard>> => {
  const account = side === 'receivable' ? customerAccount : vendorAccount;
  const filter = {
    ...{ ownerType: side === 'receivable' ? 'customer' : vendorAccount ? 'vendor' : 'driver', includeDefault: true },
    ...(account ? { accountId: account.id } : driver ? { driverId: driver.id } : {}),
  };
  const fields = 'id name type unitRate timeRate flatAmount commissionPercentage';
  return pageOf('rates', 'RateFilter', fields, { cursor: '', company: company.id }, filter);
};

const onOne = (operation: string) => async (id: string) => void (await ask(`mutation($id: ID!) { ${operation}(id: $id) { id } }`, { id }));

/** The acts on an invoice, by the names of their events. */
export const INVOICE_EVENTS: Record<string, (id: string) => Promise<void>> = {
  approve: onOne('approveInvoice'),
  unapprove: onOne('unapproveInvoice'),
};
