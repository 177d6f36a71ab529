import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import type { Currency } from '../../directory/companies/company-enums.ts';
import { User } from '../../directory/people/user.entity.ts';
import { nextNumbers } from '../../dispatch/fields/numbers.ts';
import { allow, companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import type { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { compareStale } from '../invoices/following/compare-again.ts';
import { ON_ITS_WAY, SETTLED } from '../invoices/unsettled.sql.ts';
import { closedDay } from '../periods/books.ts';
import { chargeBalances } from './balances.ts';
import { addAutoCharges, sumCharges } from './charges-of-settlement.ts';
import { type FactsOfInvoices, factsOf, type InvoiceToSettle, lockInvoices } from './facts-of-invoices.ts';
import { Settlement } from './settlement.entity.ts';
import type { CreateSettlementInput } from './settlement.inputs.ts';

const model = 'Settlement';
/** The most invoices of a settlement; a large hauler has some thousands in a week. */
export const MOST = 10_000;
const FIELD = 'invoiceIds';

/**
 * Settles approved invoices of one customer, vendor or driver together (BILLING B9); add-ons that come by themselves are charged. An id that is
 * named twice counts once.
 * @throws Missing, Denied, Invalid naming each invoice that cannot be settled by its place in the list
 */
export function createSettlement(ctx: Context, input: CreateSettlementInput, companyId?: string | null): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    allow(tx, 'create_settlement');
    const companyIds = companyId == null ? viewerOf(tx).companyIds : [companyOf(tx, companyId)];
    return settle(tx, input, companyIds);
  });
}

/** The options of printing a settlement, as somebody sent them. */
export type SettlementForm = Partial<Omit<CreateSettlementInput, 'invoiceIds'>>;

/** Returns the charges of a new settlement. */
export type Charging = (settlement: Settlement, loads: number) => Promise<AddOnCharge[]>;

/** The same in a running transaction, of invoices in the books of one of some companies. */
export async function settle(
  tx: TxContext,
  input: CreateSettlementInput,
  companyIds: readonly string[],
  charging?: Charging,
): Promise<Settlement> {
  const ids = checkedIds(input.invoiceIds);
  const found = new Map((await lockInvoices(tx, [...new Set(ids)], companyIds)).map((invoice) => [invoice.id, invoice]));
  const [first] = ids.flatMap((id) => found.get(id) ?? []);
  const closed = first && !input.inOpenPeriod ? await closedDay(tx, first.company_id) : null;
  const items = ids.flatMap((id, index) =>
    problemsOf(found.get(id), first, { closed, wereTogether: charging !== undefined }).map((problem) => ({
      model,
      field: `${FIELD}.${index}`,
      ...problem,
    })),
  );
  if (items.length > 0) throw new Invalid(items);
  return settleLocked(tx, [...found.values()], input, charging);
}

/**
 * The same of locked invoices of one customer, vendor or driver in one currency, of which each can be settled.
 * @param charging by default, add-ons that come by themselves are charged, and what the payee owes by earlier settlements
 */
export async function settleLocked(
  tx: TxContext,
  invoices: readonly InvoiceToSettle[],
  form: SettlementForm,
  charging?: Charging,
): Promise<Settlement> {
  const invoiceIds = invoices.map(({ id }) => id);
  const facts = await factsOf(tx, invoiceIds);
  // A settlement that takes the place of another one is printed like that one.
  const wanted: SettlementForm = !charging && invoices[0]!.by_ticket ? { ...form, settlementLineItemType: 'load' } : form;
  const settlement = Object.assign(await begin(tx, invoices[0]!, facts), formOf(wanted));
  const charge: Charging =
    charging ?? (async (made, loads) => [...(await addAutoCharges(tx, made, loads)), ...(await chargeBalances(tx, made))]);
  sumCharges(settlement, await charge(settlement, facts.loads));
  await tx.em.flush();
  await queryIn(tx.em, TAKE, [settlement.id, settlement.company.id, invoiceIds]);
  await compareStale(tx, invoiceIds);
  return settlement;
}

const TAKE = `insert into settlement_invoice (settlement_id, company_id, invoice_id) select $1, $2, id from unnest($3::uuid[]) as t(id)`;

/** The ids in lower case. @throws Invalid */
function checkedIds(given: readonly string[]): string[] {
  if (given.length === 0) throw new Invalid([{ model, field: FIELD, key: 'required' }]);
  if (given.length > MOST) throw new Invalid([{ model, field: FIELD, key: 'too_many_items', params: { max: MOST } }]);
  const items = given.flatMap((id, index) => (isUuid(id) ? [] : [{ model, field: `${FIELD}.${index}`, key: 'not_a_uuid' }]));
  if (items.length > 0) throw new Invalid(items);
  return given.map((id) => id.toLowerCase());
}

type Problem = Pick<ErrorItem, 'key' | 'params'>;

interface Settling {
  /** The last day of which no invoices are settled. */
  closed: string | null;
  /** The settlement takes the place of another one, whose invoices may be together whatever their account says by now. */
  wereTogether: boolean;
}

/** Why an invoice cannot be settled together with the first one of the list. */
function problemsOf(
  invoice: InvoiceToSettle | undefined,
  first: InvoiceToSettle | undefined,
  { closed, wereTogether }: Settling,
): Problem[] {
  // Those of other companies do not exist for the caller.
  if (!invoice || !first || invoice.company_id !== first.company_id) return [{ key: 'must_exist' }];
  if (invoice.settlement) return [{ key: 'in_settlement', params: { settlement: invoice.settlement } }];
  if (!SETTLED.includes(invoice.state)) return [{ key: 'invoice_not_approved', params: { state: invoice.state } }];
  if (ON_ITS_WAY.includes(invoice.export_state)) return [{ key: 'invoice_under_way' }];
  if (invoice.side !== first.side) return [{ key: 'invoice_of_other_side' }];
  if (!partyOf(invoice) || partyOf(invoice) !== partyOf(first)) return [{ key: 'invoice_of_other_party' }];
  if (invoice.currency !== first.currency) return [{ key: 'invoice_of_other_currency' }];
  if (!wereTogether && first.one_job && invoice.work !== first.work) return [{ key: 'one_job_per_settlement' }];
  if (!wereTogether && first.by_purchase_order && poOf(invoice) !== poOf(first)) return [{ key: 'other_purchase_order' }];
  return closed !== null && invoice.posting_date !== null && invoice.posting_date <= closed ? [{ key: 'invoice_of_closed_period' }] : [];
}

const partyOf = ({ customer_account_id, vendor_account_id, payee_driver_id }: InvoiceToSettle) =>
  customer_account_id ?? vendor_account_id ?? payee_driver_id;

/** The number of a purchase order, as people compare it. */
const poOf = ({ purchase_order }: InvoiceToSettle): string => purchase_order?.trim() ?? '';
/** Invoices of one customer, vendor or driver with the same key are settled together, as its profile says (BILLING B9). */
export const togetherBy = (invoice: InvoiceToSettle): string =>
  JSON.stringify([invoice.currency, invoice.one_job ? invoice.work : null, invoice.by_purchase_order ? poOf(invoice) : null]);

/** A new settlement of invoices like this one, with its number. */
async function begin(tx: TxContext, like: InvoiceToSettle, facts: FactsOfInvoices): Promise<Settlement> {
  const { company_id: companyId, side, currency, customer_account_id, vendor_account_id, payee_driver_id } = like;
  const settlement = Object.assign(new Settlement(), {
    ...{ company: ref(Company, companyId), side, currency: currency as Currency },
    number: await nextNumbers(tx.em, companyId, 'settlement', 1),
    customerAccount: customer_account_id ? ref(Account, customer_account_id) : null,
    vendorAccount: vendor_account_id ? ref(Account, vendor_account_id) : null,
    driver: payee_driver_id ? ref(User, payee_driver_id) : null,
    receivableCompanyId: side === 'receivable' ? companyId : null,
    vendorCompanyId: side === 'payable' && payee_driver_id === null ? companyId : null,
    driverCompanyId: side === 'payable' && payee_driver_id !== null ? companyId : null,
    ...{ startsOn: facts.starts_on, endsOn: facts.ends_on, jobsCount: facts.jobs, deliveredQuantities: facts.delivered },
    ...{ friendlyOrderIds: facts.order_ids, quantitiesPerUom: facts.quantities },
    ...{ invoicesTotalAmount: new Decimal(facts.total), invoicesTaxTotalAmount: facts.tax === null ? null : new Decimal(facts.tax) },
    adjustmentsTotalAmount: new Decimal(facts.adjustments),
  });
  tx.em.persist(settlement);
  emitEvent(tx, 'settlement.created', settlement);
  return settlement;
}

/** Sets the options of printing. Absent fields stay; null is the default. */
export function formOf({ settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf }: SettlementForm): Partial<Settlement> {
  return {
    ...(settlementLineItemType === undefined ? {} : { settlementLineItemType: settlementLineItemType ?? 'order' }),
    ...(settlementLineItemGroupings === undefined ? {} : { settlementLineItemGroupings: [...new Set(settlementLineItemGroupings ?? [])] }),
    ...(includeLoadsInPdf === undefined ? {} : { includeLoadsInPdf: includeLoadsInPdf ?? false }),
  };
}
