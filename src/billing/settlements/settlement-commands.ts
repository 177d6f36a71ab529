import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { forgetExported, keepExported } from '../accounting/exports/exported-document.ts';
import { hasPushingSystem } from '../accounting/exports/pushing-system.ts';
import { withdrawExport } from '../accounting/exports/request-export.ts';
import { reverseExport, settleUncertain } from '../accounting/exports/reverse-export.ts';
import { compareRebilled } from '../invoices/following/compare-again.ts';
import { isClosed, openDayOf, postingDateOf, refuseClosed, shareBooks } from '../periods/books.ts';
import { giveBackInstallments } from './charges-of-settlement.ts';
import { formOf } from './create-settlement.ts';
import { forgetDocument, keepDocument } from './documents/kept-document.ts';
import { Settlement } from './settlement.entity.ts';
import type { UpdateSettlementInput, VoidSettlementInput } from './settlement.inputs.ts';
import { settlementMachine } from './settlement.machine.ts';

const model = 'Settlement';
type Changed = Promise<{ id: string }>;

/** Approves a settlement; its charges and its form stay as they are from now on. @throws Missing, Denied, Conflict */
export function approveSettlement(ctx: Context, path: RecordPath): Changed {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'approve_settlement');
    const total = settlement.rebillTotalAmount ?? settlement.totalAmount;
    // A payee may owe more than they get; a customer who is owed money is a matter for the administrator.
    if (settlement.side === 'receivable' && total.isNegative() && !viewerOf(tx).roles.includes('company_admin'))
      throw conflict(model, settlement, 'approve', 'negative_settlement');
    settlementMachine.fire(tx, settlement, 'approve');
    settlement.billingApprovedAt = tx.tx.now;
    // Drawn up before whoever closes the books has to wait for it.
    await keepDocument(tx, settlement);
    settlement.postingDate = await postingDateOf(tx, settlement.company.id, await lastDayOf(tx, settlement));
    return settlement;
  });
}

const LAST_DAY = `select greatest(max(i.posting_date), (select max(o.reversal_date) from settlement o where o.id = any(array(
      select s.original_settlement_id from settlement s where s.id = $1
      union select y.settlement_id from settlement_invoice x join settlement_invoice y on y.invoice_id = x.invoice_id where x.settlement_id = $1))))::text as day
  from settlement_invoice x join invoice i on i.id = x.invoice_id where x.settlement_id = $1`;

/** The last day on which one of its invoices counts, or on which what had them before is taken back: both count in one period. */
async function lastDayOf(tx: TxContext, { id, endsOn }: Settlement): Promise<string> {
  const [found] = await queryIn<{ day: string | null }>(tx.em, LAST_DAY, [id]);
  return found!.day ?? endsOn;
}

/** Takes the approval of a settlement back. If accounting did not take it, nobody wants it there any more. @throws Missing, Denied, Conflict */
export function unapproveSettlement(ctx: Context, path: RecordPath): Changed {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'approve_settlement');
    refuseUncertain(settlement, 'unapprove');
    await refuseClosed(tx, model, settlement, 'unapprove');
    settlementMachine.fire(tx, settlement, 'unapprove');
    await withdrawExport(tx, settlement);
    settlement.billingApprovedAt = null;
    settlement.postingDate = null;
    await forgetDocument(tx, settlement);
    return settlement;
  });
}

/** A document that may be in the books is neither changed nor taken back until somebody knows. @throws Conflict */
function refuseUncertain(settlement: Settlement, event: string): void {
  if (settlement.exportState === 'uncertain') throw conflict(model, settlement, event, 'settlement_export_uncertain');
}

const LET_GO = 'update settlement_invoice set live = false where settlement_id = $1';

/**
 * Voids a settlement: its invoices are free for another one and stay approved, and installments are given back (BILLING B9). What accounting has got
 * is taken back there by a reversal. Of an exported one, and of a closed period, it counts as before, and is taken back on the day of the voiding (B5).
 * @throws Missing, Denied, Conflict
 */
export function voidSettlement(ctx: Context, path: RecordPath, { voidReason }: VoidSettlementInput): Changed {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'void_settlement');
    refuseUncertain(settlement, 'void');
    settlementMachine.fire(tx, settlement, 'void');
    // A settlement that accounting or a closed period has stays as it is there, and is taken back today.
    if (settlement.exportedAt || (await isClosed(tx, settlement))) settlement.reversalDate = await openDayOf(tx, settlement.company.id);
    if (settlement.exportedAt) await reverseExport(tx, settlement);
    else await withdrawExport(tx, settlement);
    settlement.voidReason = voidReason?.trim() || null;
    settlement.voidedAt = tx.tx.now;
    await giveBackInstallments(tx, settlement);
    await queryIn(tx.em, LET_GO, [settlement.id]);
    await compareRebilled(tx, settlement.id);
    return settlement;
  });
}

/**
 * Changes how a pending settlement is printed, or notes when an approved one was entered in an accounting system.
 * @throws Missing, Denied, Invalid
 */
export function updateSettlement(ctx: Context, path: RecordPath, input: UpdateSettlementInput): Changed {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'edit_settlement');
    const form = formOf(input);
    if (Object.keys(form).length > 0) mustBeEditable(settlement);
    Object.assign(settlement, form);
    // A settlement that is sent back as it was read says nothing of an export, unless it is uncertain whether there was one.
    const isSame = input.exportedAt?.getTime() === settlement.exportedAt?.getTime() && settlement.exportState !== 'uncertain';
    if (input.exportedAt !== undefined && !isSame) await noteExport(tx, settlement, input.exportedAt);
    emitEvent(tx, 'settlement.updated', settlement);
    return settlement;
  });
}

/** @throws Invalid if the time is still to come, a linked system exports, or the settlement is not approved */
async function noteExport(tx: TxContext, settlement: Settlement, exportedAt: Date | null): Promise<void> {
  await shareBooks(tx, settlement.company.id);
  const refuse = (key: string) => new Invalid([{ model, field: 'exportedAt', key, params: { state: settlement.state } }]);
  if (settlement.state === 'pending' || settlement.state === 'voided') throw refuse('settlement_not_exportable');
  if (exportedAt && exportedAt > tx.tx.now) throw refuse('in_the_future');
  // Somebody has looked whether the system has what it did not answer.
  if (settlement.exportState === 'uncertain') return settleUncertain(tx, settlement, exportedAt);
  // A system notes itself that it has got a settlement, also when it is linked no more.
  if (['pending', 'exported'].includes(settlement.exportState)) throw refuse('exported_by_linked_account');
  if (await hasPushingSystem(tx, settlement.company.id)) throw refuse('exported_by_linked_account');
  if (exportedAt && !settlement.exportedAt) {
    settlement.exportedBeforePay = false;
    await keepExported(tx, settlement);
  }
  if (!exportedAt) await forgetExported(tx, settlement);
  settlement.exportedAt = exportedAt;
}

/** @throws Invalid unless the settlement is pending */
export function mustBeEditable({ state }: Settlement): void {
  if (state !== 'pending') throw new Invalid([{ model, field: 'state', key: 'settlement_not_editable', params: { state } }]);
}

/** Locks a settlement for a caller who may change it. @throws Missing, Denied */
export async function lockSettlement(tx: TxContext, { id, companyId }: RecordPath, permission: string): Promise<Settlement> {
  await find(tx, Settlement, id, { companyId });
  allow(tx, permission);
  return find(tx, Settlement, id, { companyId, lock: true });
}
