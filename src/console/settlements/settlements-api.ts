import { ask } from '../server/request.ts';
import type { Figure } from './explain-api.ts';
import { DRAFT, type Draft } from './invoices-api.ts';
import { type Asked, type Found, foundIn, PAGE_SIZE, PARTY, type Page, type Party, pageOf } from './lists-api.ts';

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

/** A mail by which a settlement was sent. */
export interface Mail {
  id: string;
  email: string;
  state: string;
  lastError: string | null;
  createdAt: string;
}

export interface OneSettlement extends Settlement {
  company: { id: string };
  customerAccount: { id: string; name: string } | null;
  vendorAccount: { id: string; name: string } | null;
  driver: { firstName: string; lastName: string; email: string | null } | null;
  differenceTotalAmount: string | null;
  originalSettlement: { id: string; settlementId: string } | null;
  voidReason: string | null;
  rebillable: boolean;
  jobsCount: number;
  pdfUrl: string | null;
  /** Since it was approved. */
  postingDate: string | null;
  /** Since its balance is to be charged by the next one. */
  carriedForwardAt: string | null;
  balanceCarriedTo: { id: string; settlementId: string } | null;
  /** The last ones first; none of one that was received. */
  mails: Mail[];
  /** The invoices that were billed in addition to its own. */
  supplements: Found<Draft>;
  explain: (Figure & { rebilled?: Figure }) | null;
}

/** The kinds of items that the page lists. */
export type Kind = 'blockers' | 'approvable' | 'drafts' | 'settlements' | 'received';

const SETTLEMENT = `id settlementId side state startsOn endsOn currency totalAmount rebillTotalAmount stateEvents ${PARTY}`;
/** The mails of a settlement that are shown. */
const MAILS = 10;

/** @param state only in this one, unless empty @param received those that other companies sent, instead of the company's own */
export const readSettlements = (of: Asked, state: string, received: boolean): Promise<Found<Settlement>> =>
  pageOf('settlements', 'SettlementFilter', SETTLEMENT, of, {
    ...(state ? { states: [state] } : {}),
    ...(received ? { received } : {}),
  });

/** The fields that only the company reads that made a settlement. */
const OF_OWN = `mails: settlementEmailDeliveries(settlementId: $id, first: ${MAILS}) { nodes { id email state lastError createdAt } }
  supplements: settlementSupplements(settlementId: $id, first: ${PAGE_SIZE}) { nodes { ${DRAFT} } pageInfo { hasNextPage endCursor } }`;

type Read = Omit<OneSettlement, 'mails' | 'supplements'>;
/** @param received it was sent by another company */
export async function readSettlement(id: string, received = false): Promise<OneSettlement> {
  const { settlement, mails, supplements } = await ask<{ settlement: Read; mails?: { nodes: Mail[] }; supplements?: Page<Draft> }>(
    `query($id: ID!) { settlement(id: $id) { ${SETTLEMENT} differenceTotalAmount voidReason rebillable jobsCount pdfUrl postingDate explain
        carriedForwardAt balanceCarriedTo { id settlementId } originalSettlement { id settlementId } company { id }
        customerAccount { id } vendorAccount { id } driver { email } } ${received ? '' : OF_OWN} }`,
    { id },
  );
  const none = { items: [], next: null };
  return { ...settlement, mails: mails?.nodes ?? [], supplements: supplements ? foundIn(supplements) : none };
}

const onOne = (operation: string) => async (id: string) => void (await ask(`mutation($id: ID!) { ${operation}(id: $id) { id } }`, { id }));

/** The acts on a settlement that need no words, by the names of their events. */
export const EVENTS: Record<string, (id: string) => Promise<void>> = {
  approve: onOne('approveSettlement'),
  unapprove: onOne('unapproveSettlement'),
  send_settlement: onOne('sendSettlement'),
  pay: onOne('paySettlement'),
  undo_pay: onOne('undoPaySettlement'),
  customer_approve: onOne('customerApproveSettlement'),
  customer_pay: onOne('customerPaySettlement'),
  carry_forward: onOne('carryForwardSettlement'),
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

/** A correction of an invoice: its rate by hand or by a rate card, or single lines. */
export interface Correction {
  invoiceId: string;
  rateType?: string;
  rateValue?: string;
  rateId?: string;
  invoiceLineItems?: LineChange[];
}
export interface LineChange {
  id: string;
  quantity?: string;
  rate?: string;
  _destroy?: 1;
  /** Leaves the ticket as it is. */
  onlyThisSide?: boolean;
  /** Why the ticket is corrected. */
  reason?: string;
}

/** The totals that a settlement would have by its correction. */
export type Corrected = Pick<OneSettlement, 'totalAmount' | 'rebillTotalAmount' | 'differenceTotalAmount' | 'explain'>;
const correctWith = <T>(
  fields: string,
  id: string,
  reason: string,
  changes: readonly Correction[],
  dryRun: boolean,
): Promise<{ made: T }> =>
  ask(`mutation($id: ID!, $input: CorrectSettlementInput!) { made: correctSettlement(id: $id, input: $input) { ${fields} } }`, {
    id,
    input: { reason, changes, dryRun },
  });

/** Corrects nothing, and says what it would come to. */
export const previewCorrection = async (id: string, reason: string, changes: readonly Correction[]): Promise<Corrected> =>
  (await correctWith<Corrected>('totalAmount rebillTotalAmount differenceTotalAmount explain', id, reason, changes, true)).made;

/** @returns the id of the new settlement */
export const correct = async (id: string, reason: string, changes: readonly Correction[]): Promise<string> =>
  (await correctWith<{ id: string }>('id', id, reason, changes, false)).made.id;
