import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { SEES_FUEL } from '../fuel/fuel-rate.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceWarning } from '../invoices/invoice-enums.ts';

const RATES = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'];

/** What somebody should look at before an invoice is approved. */
@Resolver(() => Invoice)
export class InvoiceWarningsResolver {
  @FieldResolver(() => [InvoiceWarning], {
    description:
      'What should be looked at: a thin margin by those who see the rates of all sides, and the fuel by those who see what it costs. It keeps nothing from being approved.',
  })
  warnings(@Root() { companyId, thinMargin, fuelWarnings }: Invoice & { companyId: string }, @Ctx() ctx: Context): InvoiceWarning[] {
    const viewer = viewerOf(ctx);
    // What is left of it is the affair of the company whose books they are.
    if (!viewer.companyIds.includes(companyId)) return [];
    const seesAll = RATES.every((permission) => viewer.can(permission));
    return [...(seesAll && thinMargin ? (['thin_margin'] as const) : []), ...(viewer.can(SEES_FUEL) ? fuelWarnings : [])];
  }
}

export const warningsOfInvoices = extendEntity(Invoice, { warnings: { columns: ['companyId', 'thinMargin', 'fuelWarnings'] } });
