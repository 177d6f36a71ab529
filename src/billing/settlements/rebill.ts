import { ref } from '@mikro-orm/core';
import { lockAroundJobs } from '../../dispatch/checks/lock-around.ts';
import { allow, find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { AddOnCharge } from '../charges/add-on-charge.entity.ts';
import { daysToCompare } from '../days/day-tasks.ts';
import { compareRebilled } from '../invoices/following/compare-again.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { isSupplement } from '../invoices/invoice.machine.ts';
import { lockWithWork } from '../invoices/invoice-commands.ts';
import { invoicesToCompare } from '../invoices/invoice-tasks.ts';
import { typeOf } from '../invoices/lines/edits-of-lines.ts';
import { supplementsOf } from '../invoices/parts/refuse-supplemented.ts';
import { priceAnew } from '../invoices/price-at.ts';
import { isAboveAll, sideOfRates, WHOLE } from '../invoices/rate-by-hand.ts';
import { placesOf, printed } from '../invoices/write-price.ts';
import { chargesOf, copyCharges, sumCharges } from './charges-of-settlement.ts';
import { settle } from './create-settlement.ts';
import { Settlement } from './settlement.entity.ts';
import type { RebillRateInput } from './settlement.inputs.ts';
import { lockSettlement, mustBeEditable } from './settlement-commands.ts';

const model = 'Settlement';

/**
 * Makes a new settlement of the invoices and charges of a voided one, at the rates at which that one billed them; what it comes to is the same until
 * other rates are set (BILLING B9).
 * @throws Missing, Denied, Invalid unless it is voided, has not been billed anew, and its invoices are free
 */
export function rebillSettlement(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const original = await lockSettlement(tx, path, 'void_settlement');
    allow(tx, 'create_settlement');
    const refuse = (key: string) => new Invalid([{ model, field: 'state', key, params: { state: original.state } }]);
    if (original.state !== 'voided') throw refuse('settlement_not_voided');
    if ((await tx.em.count(Settlement, { originalSettlement: original.id })) > 0) throw refuse('already_rebilled');
    const invoices = await invoicesOf(tx, original.id);
    // Work is locked before its invoices are settled.
    for (const one of await changedSince(tx, original)) await lockWork(tx, original, one);
    const { settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf } = original;
    // What counts in a closed period is billed anew in the open one.
    const invoiceIds = invoices.map(({ id }) => id);
    const form = { invoiceIds, settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf, inOpenPeriod: true };
    const settlement = await settle(tx, form, [original.company.id], (made, loads) => copyCharges(tx, original, made, loads));
    settlement.originalSettlement = ref(original);
    await keepRates(tx, original, settlement);
    return settlement;
  });
}

/**
 * Sets the rates at which invoices of a settlement that is billed anew are charged; null keeps that of the invoice.
 * @throws Missing, Denied, also for callers who may not see the rates of its side; Invalid naming every problem by its place in the list
 */
export function setRebillRates(ctx: Context, path: RecordPath, changes: readonly RebillRateInput[]): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'edit_settlement');
    allow(tx, `view_${sideOfRates(settlement.side, settlement.driver)}_rates`);
    if (!settlement.originalSettlement) throw new Invalid([{ model, field: 'originalSettlement', key: 'not_a_rebill' }]);
    mustBeEditable(settlement);
    const known = new Map((await invoicesOf(tx, settlement.id)).map((one) => [one.id, one]));
    checkChanges(changes, known);
    const items: ErrorItem[] = [];
    const places = [...changes.entries()].map(([at, change]) => ({ at, change, of: known.get(change.invoiceId.toLowerCase())! }));
    const jobs = places.flatMap(({ of }) => of.job_id ?? []);
    await lockAroundJobs(tx, jobs);
    // In the order in which everybody locks jobs.
    places.sort((a, b) => (workOf(a.of) < workOf(b.of) ? -1 : 1));
    for (const { at, change, of } of places) {
      const invoice = await lockWork(tx, settlement, of);
      const value = change.rebillRateValue ?? null;
      const problem = await problemOf(tx, invoice, value, of.rate !== null);
      if (problem) items.push({ model, ...problem, field: problem.field ?? `data.${at}.rebillRateValue` });
      else if (items.length === 0) await setRate(tx, settlement, invoice, value);
    }
    if (items.length > 0) throw new Invalid(items);
    invoicesToCompare.note(tx, jobs);
    daysToCompare.note(
      tx,
      places.flatMap(({ of }) => of.driver_day_id ?? []),
    );
    await sumRebill(tx, settlement);
    emitEvent(tx, 'settlement.updated', settlement);
    return settlement;
  });
}

/** The most rates that are set at once. */
const MOST = 1_000;

function checkChanges(changes: readonly RebillRateInput[], known: ReadonlyMap<string, unknown>): void {
  if (changes.length > MOST) throw new Invalid([{ model, field: 'data', key: 'too_many_items', params: { max: MOST } }]);
  const items: ErrorItem[] = [];
  const named = new Set<string>();
  for (const [index, { invoiceId }] of changes.entries()) {
    const field = `data.${index}.invoiceId`;
    const id = invoiceId.toLowerCase();
    if (!isUuid(invoiceId)) items.push({ model, field, key: 'not_a_uuid' });
    else if (!known.has(id)) items.push({ model, field, key: 'must_exist' });
    else if (named.has(id)) items.push({ model, field, key: 'given_twice' });
    named.add(id);
  }
  if (items.length > 0) throw new Invalid(items);
}

type Problem = Pick<ErrorItem, 'key' | 'params'> & { field?: string };

/** Why an invoice is not billed anew at another value. What a supplement bills is the difference to what is billed now, which would change below it. */
async function problemOf(tx: TxContext, invoice: Invoice, value: Decimal | null, isRebilled: boolean): Promise<Problem | undefined> {
  if (value === null && !isRebilled) return undefined;
  const params = { invoice: invoice.invoiceId };
  if (invoice.ofMaterial) return { key: 'material_has_no_rate' };
  if (isSupplement(invoice)) return { field: 'data', key: 'supplement_not_rebilled', params };
  const [supplement] = await supplementsOf(tx, invoice);
  if (supplement) return { key: 'has_supplements', params: { invoice: supplement.invoiceId } };
  return value && isAboveAll(invoice.rateType, value) ? { key: 'out_of_range', params: { min: 0, max: WHOLE } } : undefined;
}

interface InvoiceOfSettlement {
  id: string;
  /** The owner of its work. */
  owner_id: string;
  /** The job or the day. */
  job_id: string | null;
  driver_day_id: string | null;
  /** At which it is billed anew. */
  rate: string | null;
}
const workOf = ({ job_id, driver_day_id, id }: InvoiceOfSettlement): string => `${job_id ?? driver_day_id} ${id}`;

/** Locks the work of an invoice and then the invoice, so that nobody makes a supplement of it meanwhile. */
async function lockWork(tx: TxContext, { company }: Settlement, { id, owner_id }: InvoiceOfSettlement): Promise<Invoice> {
  actOnBehalfOf(owner_id);
  return lockWithWork(tx, await find(tx, Invoice, id, { companyId: company.id }));
}

interface Rebilled {
  total: string;
  tax: string | null;
  /** What its lines come to, by type, load and part. */
  lines: Record<string, string>;
  /** What its charges come to, by what they are known by. */
  charges: Record<string, string>;
}

/** What an invoice would come to at another value of its rate. */
async function pricedAt(tx: TxContext, invoice: Invoice, value: Decimal): Promise<Rebilled> {
  const copies = await tx.em.find(AddOnCharge, { addOnApplicableId: invoice.id }, { filters: { tenant: false } });
  const priced = await priceAnew(tx, invoice, value, copies);
  if (!priced) throw new Invalid([{ model, field: 'data', key: 'must_exist' }]);
  const keyOf = placesOf();
  const lines = printed(priced.lines, invoice.materialRateItemized).map((line) => [keyOf(typeOf(line), line.loadId), line.amount.value]);
  const charges = priced.charges.map(({ id, amount }) => [id!, amount.value]);
  const texts = (of: unknown[][]) => Object.fromEntries(of.map(([key, amount]) => [key, decimalText(amount as Decimal)]));
  return {
    ...{ total: decimalText(priced.total.value), tax: priced.tax ? decimalText(priced.tax.value) : null },
    ...{ lines: texts(lines), charges: texts(charges) },
  };
}

const SET_RATE = `update settlement_invoice set rebill_rate_value = $3, rebill_total_amount = $4, rebill_tax_total_amount = $5, rebill_lines = $6,
    rebill_charges = $7
  where settlement_id = $1 and invoice_id = $2`;

async function setRate(tx: TxContext, settlement: Settlement, invoice: Invoice, value: Decimal | null): Promise<void> {
  const rebilled = value === null ? null : await pricedAt(tx, invoice, value);
  const { total = null, tax = null, lines = null, charges = null } = rebilled ?? {};
  await queryIn(tx.em, SET_RATE, [settlement.id, invoice.id, value === null ? null : decimalText(value), total, tax, lines, charges]);
}

// What a supplement bills that was made since is the difference to the invoice itself.
const KEPT = `select f.invoice_id from settlement_invoice f join invoice i on i.id = f.invoice_id
  where f.settlement_id = $1 and f.rebill_rate_value is not null and not exists (select from invoice s where (s.job_id = i.job_id or s.driver_day_id = i.driver_day_id)
    and s.company_id = i.company_id and s.side = i.side and s.job_assignment_id is not distinct from i.job_assignment_id
    and s.of_material = i.of_material and (not i.of_material or s.vendor_account_id = i.vendor_account_id)
    and s.reason in ('late_ticket', 'correction') and s.state <> 'voided' and s.created_at > $2)`;
const OF_SETTLEMENT = `select i.id, coalesce(j.company_id, d.company_id) as owner_id, i.job_id, i.driver_day_id, x.rebill_rate_value::text as rate
  from settlement_invoice x join invoice i on i.id = x.invoice_id left join job j on j.id = i.job_id left join driver_day d on d.id = i.driver_day_id
  where x.settlement_id = $1`;
const CHANGED = `${OF_SETTLEMENT} and i.id in (${KEPT}) and (i.billing_approved_at is null or i.billing_approved_at >= $2)
  order by coalesce(i.job_id, i.driver_day_id), i.id`;
const COPY_RATES = `update settlement_invoice x set rebill_rate_value = f.rebill_rate_value, rebill_total_amount = f.rebill_total_amount,
    rebill_tax_total_amount = f.rebill_tax_total_amount, rebill_lines = f.rebill_lines, rebill_charges = f.rebill_charges
  from settlement_invoice f
  where f.settlement_id = $1 and x.settlement_id = $3 and x.invoice_id = f.invoice_id and f.invoice_id in (${KEPT}) and f.invoice_id <> all($4::uuid[])`;

/** The invoices that a voided settlement has billed anew and that were approved again since. */
const changedSince = (tx: TxContext, { id, voidedAt }: Settlement): Promise<InvoiceOfSettlement[]> =>
  withPartnerVisibility(() => queryIn<InvoiceOfSettlement>(tx.em, CHANGED, [id, voidedAt]));

/**
 * Bills invoices anew at the rates at which a voided settlement has billed them, and sums the new one up.
 * @param anew invoices whose own rate was changed since, which counts
 */
export async function keepRates(tx: TxContext, from: Settlement, to: Settlement, anew: readonly string[] = []): Promise<void> {
  const changed = await changedSince(tx, from);
  await queryIn(tx.em, COPY_RATES, [from.id, from.voidedAt, to.id, [...anew, ...changed.map(({ id }) => id)]]);
  for (const { id, rate } of changed.filter((one) => !anew.includes(one.id)))
    await setRate(tx, to, await tx.em.findOneOrFail(Invoice, { id }, { filters: { tenant: false } }), new Decimal(rate!));
  await compareRebilled(tx, to.id);
  await sumRebill(tx, to);
}

const TOTALS = `select sum(coalesce(x.rebill_total_amount, i.total_amount))::text as total,
    sum(case when x.rebill_rate_value is null then i.tax_total_amount else x.rebill_tax_total_amount end)::text as tax
  from settlement_invoice x join invoice i on i.id = x.invoice_id where x.settlement_id = $1`;

const invoicesOf = (tx: TxContext, id: string) =>
  withPartnerVisibility(() => queryIn<InvoiceOfSettlement>(tx.em, `${OF_SETTLEMENT} order by i.id`, [id]));

async function sumRebill(tx: TxContext, settlement: Settlement): Promise<void> {
  const [totals] = await queryIn<{ total: string; tax: string | null }>(tx.em, TOTALS, [settlement.id]);
  settlement.rebillInvoicesTotalAmount = new Decimal(totals!.total);
  settlement.rebillInvoicesTaxTotalAmount = totals!.tax === null ? null : new Decimal(totals!.tax);
  sumCharges(settlement, await chargesOf(tx, settlement));
}
