import { ref } from '@mikro-orm/core';
import { lockAroundDays, lockAroundJobs } from '../../dispatch/checks/lock-around.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { allow, readableBy, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { daysToCompare } from '../days/day-tasks.ts';
import { compareRebilled } from '../invoices/following/compare-again.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { isSupplement } from '../invoices/invoice.machine.ts';
import { invoicesToCompare } from '../invoices/invoice-tasks.ts';
import { typeOf } from '../invoices/lines/edits-of-lines.ts';
import { supplementsOfAll, workOfSide } from '../invoices/parts/refuse-supplemented.ts';
import { priceAnew } from '../invoices/price-at.ts';
import { isAboveAll, sideOfRates, WHOLE } from '../invoices/rate-by-hand.ts';
import { placesOf, printed } from '../invoices/write-price.ts';
import type { Priced } from '../pricing/price.ts';
import { chargesOf, copyCharges, sumCharges } from './charges-of-settlement.ts';
import { problemsOfNamed } from './correcting/named-invoices.ts';
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
    await lockWork(tx, original, await changedSince(tx, original));
    const { settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf } = original;
    // Invoices of a closed period are billed anew in the open one.
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
    const places = changes.map((change, at) => ({
      at,
      value: change.rebillRateValue ?? null,
      of: known.get(change.invoiceId.toLowerCase())!,
    }));
    const locked = await lockWork(
      tx,
      settlement,
      places.map(({ of }) => of),
    );
    const asked = places.map(({ at, value, of }) => ({ at, value, invoice: locked.get(of.id)!, isRebilled: of.rate !== null }));
    const supplements = await supplementsOfAll(
      tx,
      asked.map(({ invoice }) => invoice),
    );
    const items = asked.flatMap((one): ErrorItem[] => {
      const problem = problemOf(one, supplements.get(workOfSide(one.invoice)));
      return problem ? [{ model, ...problem, field: problem.field ?? `data.${one.at}.rebillRateValue` }] : [];
    });
    if (items.length > 0) throw new Invalid(items);
    await setRates(tx, settlement, asked);
    invoicesToCompare.note(
      tx,
      places.flatMap(({ of }) => of.job_id ?? []),
    );
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
  const items = problemsOfNamed(changes, 'data', known);
  if (items.length > 0) throw new Invalid(items);
}

type Problem = Pick<ErrorItem, 'key' | 'params'> & { field?: string };

/** An invoice that is billed anew at another value, or at its own (null). */
interface Asked {
  invoice: Invoice;
  value: Decimal | null;
  isRebilled: boolean;
}

/** Why an invoice is not billed anew at another value. What a supplement bills is the difference to what is billed now, which would change below it. */
function problemOf({ invoice, value, isRebilled }: Asked, supplement: Invoice | undefined): Problem | undefined {
  if (value === null && !isRebilled) return undefined;
  if (invoice.ofMaterial) return { key: 'material_has_no_rate' };
  if (isSupplement(invoice)) return { field: 'data', key: 'supplement_not_rebilled', params: { invoice: invoice.invoiceId } };
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

const LOCK_JOBS = 'select from job where id = any($1::uuid[]) order by id for update';
const LOCK_DAYS = 'select from driver_day where id = any($1::uuid[]) order by id for update';
const LOCK_INVOICES = 'select from invoice where id = any($1::uuid[]) order by id for update';

/**
 * Locks the work of invoices and then the invoices, so that nobody makes a supplement of them meanwhile, all in the order in which everybody does.
 * @returns the invoices by their ids
 * @throws Missing
 */
async function lockWork(tx: TxContext, { company }: Settlement, of: readonly InvoiceOfSettlement[]): Promise<Map<string, Invoice>> {
  if (of.length === 0) return new Map();
  const [ids, jobs, days] = [
    of.map(({ id }) => id),
    of.flatMap(({ job_id }) => job_id ?? []),
    of.flatMap((one) => one.driver_day_id ?? []),
  ];
  for (const { owner_id } of of) actOnBehalfOf(owner_id);
  // A vendor's day has jobs of the owners of its work.
  for (const { company: owner } of days.length === 0 ? [] : await tx.em.find(Job, { driverDayId: { $in: days } })) actOnBehalfOf(owner.id);
  await lockAroundJobs(tx, jobs);
  if (days.length > 0) {
    await lockAroundDays(tx, days);
    await queryIn(tx.em, LOCK_DAYS, [days]);
  }
  await queryIn(tx.em, LOCK_JOBS, [jobs]);
  await queryIn(tx.em, LOCK_INVOICES, [ids]);
  const seen = { tenant: readableBy(viewerOf(tx), { companyIds: [company.id], personId: undefined }) };
  const found = await tx.em.find(Invoice, { id: { $in: ids } }, { filters: seen as never, refresh: true });
  if (found.length < ids.length) throw new Missing();
  return new Map(found.map((invoice) => [invoice.id, invoice]));
}

interface Rebilled {
  total: string;
  tax: string | null;
  /** The totals of its lines, by type, load and part. */
  lines: Record<string, string>;
  /** The amounts of its charges, by their keys. */
  charges: Record<string, string>;
}

/** Returns the price of an invoice at another value of its rate. */
function rebilled(invoice: Invoice, priced: Priced): Rebilled {
  const keyOf = placesOf();
  const lines = printed(priced.lines, invoice.materialRateItemized).map((line) => [keyOf(typeOf(line), line.loadId), line.amount.value]);
  const charges = priced.charges.map(({ id, amount }) => [id!, amount.value]);
  const texts = (of: unknown[][]) => Object.fromEntries(of.map(([key, amount]) => [key, decimalText(amount as Decimal)]));
  return {
    ...{ total: decimalText(priced.total.value), tax: priced.tax ? decimalText(priced.tax.value) : null },
    ...{ lines: texts(lines), charges: texts(charges) },
  };
}

const SET_RATES = `update settlement_invoice x set rebill_rate_value = v.value, rebill_total_amount = v.total, rebill_tax_total_amount = v.tax,
    rebill_lines = v.lines, rebill_charges = v.charges
  from jsonb_to_recordset($2::jsonb) as v (id uuid, value numeric, total numeric, tax numeric, lines jsonb, charges jsonb)
  where x.settlement_id = $1 and x.invoice_id = v.id`;

/** Bills locked invoices of a settlement anew: their work is read in sets, and what they come to is written in one statement. */
async function setRates(tx: TxContext, { id }: Settlement, asked: readonly Omit<Asked, 'isRebilled'>[]): Promise<void> {
  if (asked.length === 0) return;
  const valued = asked.flatMap(({ invoice, value }) => (value === null ? [] : [{ invoice, value }]));
  const priced = await priceAnew(tx, valued);
  const rows = asked.map(({ invoice, value }) => {
    if (value === null) return { id: invoice.id };
    const price = priced.get(invoice.id);
    if (!price) throw new Invalid([{ model, field: 'data', key: 'must_exist' }]);
    return { id: invoice.id, value: decimalText(value), ...rebilled(invoice, price) };
  });
  await queryIn(tx.em, SET_RATES, [id, JSON.stringify(rows)]);
}

// A supplement that was made since bills the difference to the invoice itself.
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
  const kept = new Map(changed.flatMap(({ id, rate }) => (anew.includes(id) ? [] : [[id, new Decimal(rate!)] as const])));
  const invoices = kept.size === 0 ? [] : await tx.em.find(Invoice, { id: { $in: [...kept.keys()] } }, { filters: { tenant: false } });
  await setRates(
    tx,
    to,
    invoices.map((invoice) => ({ invoice, value: kept.get(invoice.id)! })),
  );
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
