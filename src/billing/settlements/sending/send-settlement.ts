import { LockMode } from '@mikro-orm/core';
import { Account } from '../../../directory/accounts/account.entity.ts';
import { partnerOf } from '../../../directory/accounts/connections.ts';
import { find } from '../../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { Invalid } from '../../../platform/errors.ts';
import { Invoice } from '../../invoices/invoice.entity.ts';
import { type InvoiceEvent, invoiceMachine } from '../../invoices/invoice.machine.ts';
import { lockSent } from '../../invoices/sending/sent-records.ts';
import { Settlement } from '../settlement.entity.ts';
import { settlementMachine } from '../settlement.machine.ts';
import { lockSettlement } from '../settlement-commands.ts';

type Changed = Promise<{ id: string }>;

/**
 * Sends an approved receivable to the company of its customer, which then reads it with its invoices and charges (BILLING B9). Invoices that
 * the customer has already stay as they are.
 * @throws Missing, Denied; Invalid if it is a payable, or the customer is not connected; Conflict
 */
export function sendSettlement(ctx: Context, path: RecordPath): Changed {
  return transact(ctx, async (tx) => {
    const settlement = await lockSettlement(tx, path, 'edit_settlement');
    const refuse = (key: string) => new Invalid([{ model: 'Settlement', field: 'customerAccountId', key }]);
    if (settlement.side !== 'receivable') throw refuse('not_a_receivable');
    const account = settlement.customerAccount && (await find(tx, Account, settlement.customerAccount.id));
    const customer = account ? await partnerOf(tx, account) : null;
    if (!customer) throw refuse('customer_not_connected');
    settlementMachine.fire(tx, settlement, 'send_settlement');
    const invoices = await lockInvoicesOf(tx, settlement);
    const fresh = invoices.filter(({ sentToCompanyId }) => !sentToCompanyId);
    const before = invoiceMachine.fireMany(() => tx.tx, fresh, 'send_invoice');
    await handOver(tx, settlement, fresh, customer);
    await queryIn(tx.em, KEEP_STATES, [settlement.id, fresh.map(({ id }) => id), before]);
    return settlement;
  });
}

/** The customer's company agrees to a settlement that was sent to it. @throws Missing, Denied also for the company that sent it, Conflict */
export const customerApproveSettlement = (ctx: Context, path: RecordPath): Changed =>
  answer(ctx, path, 'approve_settlement', 'customer_approve');

/** The customer's company reports that it has paid. @throws Missing, Denied also for the company that sent it, Conflict */
export const customerPaySettlement = (ctx: Context, path: RecordPath): Changed => answer(ctx, path, 'pay_settlement', 'customer_pay');

/**
 * The customer's company gives a settlement back that is wrong (BILLING B5): whoever sent it may change or void it, and send it again. Until
 * then the customer does not read it, nor those of its invoices that came with it.
 * @throws Missing, Denied also for the company that sent it, Conflict
 */
export const customerReleaseSettlement = (ctx: Context, path: RecordPath): Changed =>
  answer(ctx, path, 'approve_settlement', 'customer_release');

/** An answer of the customer's company to a settlement is one to its invoices, too. */
function answer(
  ctx: Context,
  path: RecordPath,
  permission: string,
  event: InvoiceEvent & ('customer_approve' | 'customer_pay' | 'customer_release'),
): Changed {
  return transact(ctx, async (tx) => {
    const settlement = await lockSent(tx, Settlement, path, permission);
    settlementMachine.fire(tx, settlement, event);
    const isBack = event === 'customer_release';
    const came = isBack ? new Set((await queryIn<{ id: string }>(tx.em, CAME_ALONG, [settlement.id])).map(({ id }) => id)) : undefined;
    const invoices = (await lockInvoicesOf(tx, settlement)).filter((one) => came?.has(one.id) ?? invoiceMachine.can(one, event));
    invoiceMachine.fireMany(() => tx.tx, invoices, event);
    if (isBack) await handOver(tx, settlement, invoices, null);
    return { id: settlement.id };
  });
}

const KEEP_STATES = `update settlement_invoice x set state_before_send = t.state from unnest($2::uuid[], $3::text[]) as t(id, state)
  where x.settlement_id = $1 and x.invoice_id = t.id`;
const CAME_ALONG = 'select invoice_id as id from settlement_invoice where settlement_id = $1 and state_before_send is not null';
const INVOICES = 'select invoice_id as id from settlement_invoice where settlement_id = $1';

/** Locks the invoices of a locked settlement, always in the same order. */
async function lockInvoicesOf(tx: TxContext, { id }: Settlement): Promise<Invoice[]> {
  const ids = (await queryIn<{ id: string }>(tx.em, INVOICES, [id])).map((row) => row.id);
  const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, filters: { tenant: false } } as const;
  return (await tx.em.find(Invoice, { id: { $in: ids } }, { ...locked, exclude: ['explain'] })) as Invoice[];
}

const LINES = 'update invoice_line_item set sent_to_company_id = $2 where invoice_id = any($1::uuid[])';
const CHARGES = 'update add_on_charge set sent_to_company_id = $2 where add_on_applicable_id = any($1::uuid[])';
const PLACES = 'update settlement_invoice set sent_to_company_id = $2 where settlement_id = $1';
const FORGET_STATES = 'update settlement_invoice set state_before_send = null where settlement_id = $1';

/** Lets the customer's company read a settlement with invoices, their lines and all charges; null: no more. */
async function handOver(tx: TxContext, settlement: Settlement, invoices: readonly Invoice[], customer: string | null): Promise<void> {
  const sent = { sentToCompanyId: customer, sentAt: customer ? tx.tx.now : null };
  for (const one of [settlement, ...invoices]) Object.assign(one, sent);
  const invoiceIds = invoices.map(({ id }) => id);
  await queryIn(tx.em, LINES, [invoiceIds, customer]);
  await queryIn(tx.em, CHARGES, [[...invoiceIds, settlement.id], customer]);
  await queryIn(tx.em, PLACES, [settlement.id, customer]);
  if (!customer) await queryIn(tx.em, FORGET_STATES, [settlement.id]);
}
