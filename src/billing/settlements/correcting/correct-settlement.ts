import { ref } from '@mikro-orm/core';
import { allow } from '../../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Invalid } from '../../../platform/errors.ts';
import { approveInvoice, unapproveInvoice, updateInvoice } from '../../invoices/invoice-commands.ts';
import { changeInvoiceLines } from '../../invoices/lines/change-lines.ts';
import { saysRate } from '../../invoices/rate-by-hand.ts';
import { copyCharges } from '../charges-of-settlement.ts';
import { settle } from '../create-settlement.ts';
import { keepRates } from '../rebill.ts';
import { approveSettlement, lockSettlement, voidSettlement } from '../settlement-commands.ts';
import type { CorrectedInvoiceInput, CorrectSettlementInput } from './correct-settlement.inputs.ts';
import { problemsOfNamed } from './named-invoices.ts';

/** The permissions that a caller needs to correct a settlement, in addition to that of voiding it. */
const CORRECTS = ['create_settlement', 'edit_invoice', 'approve_invoice'] as const;

/**
 * Corrects invoices of a settlement: voids it, changes and approves them anew, and makes a settlement of the same invoices and charges, which is
 * approved if the other one was (BILLING B9). All of it happens, or nothing. Without changes, the same is settled anew.
 * @throws Missing, Denied; Invalid naming each problem by its place in the list of changes; Conflict if it is sent or paid, or an invoice
 * cannot be approved
 */
export function correctSettlement(ctx: Context, path: RecordPath, { reason, changes }: CorrectSettlementInput): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const original = await lockSettlement(tx, path, 'void_settlement');
    for (const permission of CORRECTS) allow(tx, permission);
    const { state, company, settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf } = original;
    const wasApproved = state === 'approved';
    if (wasApproved) allow(tx, 'approve_settlement');
    const invoiceIds = (await queryIn<{ id: string }>(tx.em, INVOICES, [original.id])).map(({ id }) => id);
    checkChanges(changes, new Set(invoiceIds));
    await voidSettlement(tx, { id: original.id, companyId: company.id }, { voidReason: reason });
    for (const [i, change] of changes.entries()) await within(`changes.${i}.`, () => correctInvoice(tx, company.id, change));
    const form = { invoiceIds, settlementLineItemType, settlementLineItemGroupings, includeLoadsInPdf, inOpenPeriod: true };
    const made = await settle(tx, form, [company.id], (settlement, loads) => copyCharges(tx, original, settlement, loads));
    made.originalSettlement = ref(original);
    if (original.rebillTotalAmount != null)
      await keepRates(
        tx,
        original,
        made,
        changes.filter(saysRate).map(({ invoiceId }) => invoiceId.toLowerCase()),
      );
    await tx.em.flush();
    if (wasApproved) await approveSettlement(tx, { id: made.id, companyId: company.id });
    return { id: made.id };
  });
}

const INVOICES = 'select invoice_id as id from settlement_invoice where settlement_id = $1 order by invoice_id';

function checkChanges(changes: readonly CorrectedInvoiceInput[], known: ReadonlySet<string>): void {
  const items = problemsOfNamed(changes, 'changes', known, ({ rateId, rateValue, rateType, invoiceLineItems }) =>
    [rateId, rateValue, rateType, invoiceLineItems].every((one) => one === undefined) ? 'nothing_corrected' : undefined,
  );
  if (items.length > 0) throw new Invalid(items);
}

/** Each step finds the invoice as the one before it has left it. */
async function correctInvoice(tx: TxContext, companyId: string, change: CorrectedInvoiceInput): Promise<void> {
  const { invoiceId: id, invoiceLineItems, rateId, rateValue, rateType } = change;
  const path = { id, companyId };
  const steps = [
    () => unapproveInvoice(tx, path),
    ...(saysRate(change) ? [() => updateInvoice(tx, path, { rateId, rateValue, rateType })] : []),
    ...(invoiceLineItems ? [() => changeInvoiceLines(tx, path, invoiceLineItems)] : []),
    () => approveInvoice(tx, path),
  ];
  await tx.em.flush();
  for (const step of steps) {
    await step();
    await tx.em.flush();
  }
}

/** Names problems by their place in the request. */
async function within(at: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new Invalid(error.items.map((item) => ({ ...item, field: `${at}${item.field}` })));
  }
}
