import { find } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { mayReadInvoices } from '../invoices/read-invoice.ts';
import { Settlement } from './settlement.entity.ts';

/** Finds a settlement in the viewer's own books, for what is not passed on to the customer's company with it. @throws Missing, Denied */
export async function findOwn(ctx: Context, id: string, companyId?: string | null): Promise<Settlement> {
  mayReadInvoices(ctx);
  return find(ctx, Settlement, id, { companyId });
}
