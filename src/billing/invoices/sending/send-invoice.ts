import { Account } from '../../../directory/accounts/account.entity.ts';
import { partnerOf } from '../../../directory/accounts/connections.ts';
import { find } from '../../../platform/authz/authorization.ts';
import { transact } from '../../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../../platform/context.ts';
import { Invalid } from '../../../platform/errors.ts';
import { AddOnCharge } from '../../charges/add-on-charge.entity.ts';
import { compareStale } from '../following/compare-again.ts';
import { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { type InvoiceEvent, invoiceMachine } from '../invoice.machine.ts';
import { lockInvoice } from '../invoice-commands.ts';
import { refuseSentSettled, refuseSettled } from '../refuse-settled.ts';
import { lockSent } from './sent-records.ts';

/**
 * Sends an approved receivable to the company of its customer, which then reads it with its lines and charges (BILLING B2.1, B8).
 * @throws Missing, Denied; Invalid if it is a payable, or the customer is not connected; Conflict
 */
export function sendInvoice(ctx: Context, path: RecordPath): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockInvoice(tx, path, 'edit_invoice');
    const refuse = (key: string) => new Invalid([{ model: 'Invoice', field: 'customerAccountId', key }]);
    if (invoice.side !== 'receivable') throw refuse('not_a_receivable');
    const account = invoice.customerAccount && (await find(tx, Account, invoice.customerAccount.id));
    const customer = account ? await partnerOf(tx, account) : null;
    if (!customer) throw refuse('customer_not_connected');
    await refuseSettled(tx, invoice, 'send_invoice');
    invoiceMachine.fire(tx, invoice, 'send_invoice');
    Object.assign(invoice, { sentToCompanyId: customer, sentAt: tx.tx.now });
    await compareStale(tx, [invoice.id]);
    for (const line of await tx.em.find(InvoiceLineItem, { invoice: invoice.id }, { filters: { tenant: false } }))
      line.sentToCompanyId = customer;
    for (const charge of await tx.em.find(AddOnCharge, { addOnApplicableId: invoice.id }, { filters: { tenant: false } }))
      charge.sentToCompanyId = customer;
    return { id: invoice.id };
  });
}

/** The customer's company agrees to an invoice that was sent to it. @throws Missing, Denied also for the company that sent it, Conflict */
export const customerApproveInvoice = (ctx: Context, path: RecordPath): Promise<{ id: string }> =>
  answer(ctx, path, { permission: 'approve_invoice', event: 'customer_approve' });

/** The customer's company reports that it has paid. @throws Missing, Denied also for the company that sent it, Conflict */
export const customerPayInvoice = (ctx: Context, path: RecordPath): Promise<{ id: string }> =>
  answer(ctx, path, { permission: 'pay_settlement', event: 'customer_pay' });

function answer(
  ctx: Context,
  path: RecordPath,
  { permission, event }: { permission: string; event: InvoiceEvent },
): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const invoice = await lockSent(tx, Invoice, path, permission);
    await refuseSentSettled(tx, invoice, event);
    invoiceMachine.fire(tx, invoice, event);
    return { id: invoice.id };
  });
}
