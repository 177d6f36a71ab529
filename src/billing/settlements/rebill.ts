import { ref } from '@mikro-orm/core';
import { allow, find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { actOnBehalfOf } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Decimal, decimalText } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { isSupplement } from '../invoices/invoice.machine.ts';
import { typeOf } from '../invoices/lines/edits-of-lines.ts';
import { priceAt } from '../invoices/price-at.ts';
import { placesOf, printed, rateOf } from '../invoices/write-price.ts';
import { chargesOf, copyCharges, sumCharges } from './charges-of-settlement.ts';
import { settle } from './create-settlement.ts';
import { Settlement } from './settlement.entity.ts';
import type { RebillRateInput } from './settlement.inputs.ts';
import { lockSettlement, mustBeEditable } from './settlement-commands.ts';

const model = 'Settlement';

/**
 * Makes a new settlement of the invoices and charges of a voided one; what it comes to is the same until other rates are set (BILLING B9).
 * @throws Missing, Denied, Invalid unless it is voided, has not been billed anew, and its invoices are free
 */
export function rebillSettlement(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const original = await lockSettlement(tx, path, 'void_settlement');
    allow(tx, 'create_settlement');
    const refuse = (key: string) => new Invalid([{ model, field: 'state', key, params: { state: original.state } }]);
    if (original.state !== 'voided') throw refuse('settlement_not_voided');
    if ((await tx.em.count(Settlement, { originalSettlement: original.id })) > 0) throw refuse('already_rebilled');
    const invoiceIds = (await invoicesOf(tx, original.id)).map(({ id }) => id);
    const { settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf } = original;
    // What counts in a closed period is billed anew in the open one.
    const form = { invoiceIds, settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf, inOpenPeriod: true };
    const settlement = await settle(tx, form, [original.company.id], (made) => copyCharges(tx, original, made));
    settlement.originalSettlement = ref(original);
    await sumRebill(tx, settlement);
    return settlement;
  });
}

/**
 * Sets the rates at which invoices of a settlement that is billed anew are charged; null keeps that of the invoice.
 * @throws Missing, Denied, Invalid naming every problem by its place in the list
 */
export function setRebillRates(ctx: Context, path: RecordPath, changes: readonly RebillRateInput[]): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'edit_settlement');
    if (!settlement.originalSettlement) throw new Invalid([{ model, field: 'originalSettlement', key: 'not_a_rebill' }]);
    mustBeEditable(settlement);
    const known = new Map((await invoicesOf(tx, settlement.id)).map((one) => [one.id, one.owner_id]));
    checkChanges(changes, known);
    for (const { invoiceId, rebillRateValue } of changes) {
      actOnBehalfOf(known.get(invoiceId.toLowerCase())!);
      const invoice = await find(tx, Invoice, invoiceId, { companyId: settlement.company.id });
      if (rebillRateValue != null && isSupplement(invoice))
        throw new Invalid([{ model, field: 'data', key: 'supplement_not_rebilled', params: { invoice: invoice.invoiceId } }]);
      const rebilled = rebillRateValue == null ? null : await pricedAt(tx, invoice, rebillRateValue);
      await queryIn(tx.em, SET_RATE, [
        settlement.id,
        invoice.id,
        rebilled?.rate ?? null,
        rebilled?.total ?? null,
        rebilled?.tax ?? null,
        rebilled?.lines ?? null,
      ]);
    }
    await sumRebill(tx, settlement);
    emitEvent(tx, 'settlement.updated', settlement);
    return settlement;
  });
}

/** The most rates that are set at once. */
const MOST = 1_000;

function checkChanges(changes: readonly RebillRateInput[], known: ReadonlyMap<string, string>): void {
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

interface Rebilled {
  rate: string;
  total: string;
  tax: string | null;
  /** What its lines come to, by type, load and part. */
  lines: Record<string, string>;
}

/** What an invoice would come to at another value of its rate, which is one for all of it; its minimum, increment and charges stay. */
async function pricedAt(tx: TxContext, invoice: Invoice, value: Decimal): Promise<Rebilled> {
  const rate = decimalText(value);
  const { tiers: _tiers, tierMode: _mode, ...terms } = rateOf(invoice).terms ?? {};
  const { priced } = await priceAt(tx, invoice, { ...rateOf(invoice), value: rate, terms });
  if (!priced) throw new Invalid([{ model, field: 'data', key: 'must_exist' }]);
  const keyOf = placesOf();
  const lines = Object.fromEntries(
    printed(priced.lines, invoice.materialRateItemized).map((line) => [keyOf(typeOf(line), line.loadId), decimalText(line.amount.value)]),
  );
  return { rate, total: decimalText(priced.total.value), tax: priced.tax ? decimalText(priced.tax.value) : null, lines };
}

const SET_RATE = `update settlement_invoice set rebill_rate_value = $3, rebill_total_amount = $4, rebill_tax_total_amount = $5, rebill_lines = $6
  where settlement_id = $1 and invoice_id = $2`;
const INVOICES = `select i.id, coalesce(j.company_id, d.company_id) as owner_id from settlement_invoice x join invoice i on i.id = x.invoice_id
    left join job j on j.id = i.job_id left join driver_day d on d.id = i.driver_day_id
  where x.settlement_id = $1 order by i.id`;
const TOTALS = `select sum(coalesce(x.rebill_total_amount, i.total_amount))::text as total,
    sum(case when x.rebill_rate_value is null then i.tax_total_amount else x.rebill_tax_total_amount end)::text as tax
  from settlement_invoice x join invoice i on i.id = x.invoice_id where x.settlement_id = $1`;

const invoicesOf = (tx: TxContext, id: string) => queryIn<{ id: string; owner_id: string }>(tx.em, INVOICES, [id]);

async function sumRebill(tx: TxContext, settlement: Settlement): Promise<void> {
  const [totals] = await queryIn<{ total: string; tax: string | null }>(tx.em, TOTALS, [settlement.id]);
  settlement.rebillInvoicesTotalAmount = new Decimal(totals!.total);
  settlement.rebillInvoicesTaxTotalAmount = totals!.tax === null ? null : new Decimal(totals!.tax);
  sumCharges(settlement, await chargesOf(tx, settlement));
}
