import { ref } from '@mikro-orm/core';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { Conflict, type ErrorItem, Invalid } from '../../../platform/errors.ts';
import { isUuid } from '../../../platform/ids.ts';
import { booksOfInvoice } from '../comparing/bills-of-jobs.ts';
import { beginPart } from '../following/follow-work.ts';
import { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { isSupplement } from '../invoice.machine.ts';
import { lockInvoice, refresh, refuseUneditable } from '../invoice-commands.ts';
import { sameWork } from './refuse-supplemented.ts';

const model = 'Invoice';

/**
 * Takes loads off a pending invoice and makes a part of their own of them, so that the rest can be approved (BILLING B15 "partial approval"). What was
 * edited of their lines stays. If the part is voided, the first one has its loads again as long as it is pending.
 * @returns the new part
 * @throws Missing, Denied; Conflict unless it is billed by the load; Invalid unless it is pending, and naming each load that it does not have by its place
 */
export function splitInvoice(ctx: Context, path: RecordPath, loadIds: readonly string[]): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    await refuseUneditable(tx, invoice);
    const items = await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false } });
    if (!invoice.job || isSupplement(invoice) || items.length === 0 || items.some(({ load }) => !load))
      throw new Conflict([{ model, field: 'loadIds', key: 'not_by_load' }]);
    const named = checked(loadIds, new Set(items.map(({ load }) => load!.id)));
    const made = await partOf(tx, invoice, named);
    if (invoice.loadIds.length > 0) invoice.loadIds = invoice.loadIds.filter((id) => !named.has(id));
    const moved = items.filter(({ load }) => named.has(load!.id));
    for (const item of moved) item.invoice = ref(made);
    await tx.em.flush();
    await refresh(tx, invoice);
    return { id: made.id };
  });
}

function checked(loadIds: readonly string[], own: ReadonlySet<string>): Set<string> {
  const named = new Set(loadIds.map((id) => id.toLowerCase()));
  const items = loadIds.flatMap((id, i): ErrorItem[] => {
    if (!isUuid(id)) return [{ model, field: `loadIds.${i}`, key: 'not_a_uuid' }];
    return own.has(id.toLowerCase()) ? [] : [{ model, field: `loadIds.${i}`, key: 'must_exist' }];
  });
  if (named.size === 0) items.push({ model, field: 'loadIds', key: 'required' });
  else if (items.length === 0 && named.size === own.size) items.push({ model, field: 'loadIds', key: 'all_loads_split' });
  if (items.length > 0) throw new Invalid(items);
  return named;
}

/** A part for loads, at the rate of the invoice that they are taken from until somebody sets another one on it. */
async function partOf(tx: TxContext, invoice: Invoice, loads: ReadonlySet<string>): Promise<Invoice> {
  const { job, order, company, currency, serviceDate } = invoice;
  const [last] = await tx.em.find(Invoice, sameWork(invoice), { filters: { tenant: false }, orderBy: { part: 'desc' }, limit: 1 });
  const made = await beginPart(
    tx,
    { id: job!.id, orderId: order!.id, companies: [{ id: company.id, currency, serviceDate }] },
    booksOfInvoice(invoice),
    { part: last!.part + 1, reason: 'partial', parentInvoice: ref(invoice) },
  );
  return Object.assign(made, { loadIds: [...loads] });
}
