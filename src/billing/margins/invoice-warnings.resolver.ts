import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { SEES_FUEL } from '../fuel/fuel-rate.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { type InvoiceSide, InvoiceWarning } from '../invoices/invoice-enums.ts';
import { sideOfRates } from '../invoices/rate-by-hand.ts';

const RATES = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'];

type Warned = Invoice & { companyId: string; side: InvoiceSide; payeeDriverId: string | null };

/** The points that somebody should look at before an invoice is approved. */
@Resolver(() => Invoice)
export class InvoiceWarningsResolver {
  @FieldResolver(() => [InvoiceWarning], {
    description:
      'Points to look at: a thin margin by those who see the rates of all sides, tickets that contradict something else by those who see the rates of its side, and the fuel by those who see what it costs. It keeps nothing from being approved, unless the company chose that of tickets.',
  })
  warnings(@Root() invoice: Warned, @Ctx() ctx: Context): InvoiceWarning[] {
    const { companyId, side, payeeDriverId, thinMargin, ticketConflict, fuelWarnings } = invoice;
    const viewer = viewerOf(ctx);
    // The margin is the affair of the company whose books they are.
    if (!viewer.companyIds.includes(companyId)) return [];
    const seesAll = RATES.every((permission) => viewer.can(permission));
    const ofSide = `view_${sideOfRates(side, payeeDriverId ? { id: payeeDriverId } : null)}_rates`;
    return [
      ...(seesAll && thinMargin ? (['thin_margin'] as const) : []),
      ...(ticketConflict && viewer.can(ofSide) ? (['ticket_conflict'] as const) : []),
      ...(viewer.can(SEES_FUEL) ? fuelWarnings : []),
    ];
  }
}

export const warningsOfInvoices = extendEntity(Invoice, {
  warnings: { columns: ['companyId', 'side', 'payeeDriverId', 'thinMargin', 'ticketConflict', 'fuelWarnings'] },
});
