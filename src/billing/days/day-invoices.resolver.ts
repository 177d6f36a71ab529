import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { type InvoiceSide } from '../invoices/invoice-enums.ts';
import { mayReadInvoices, READERS, readLiveInvoice } from '../invoices/read-invoice.ts';

/** The pay for the days of drivers (BILLING B3 "driver day pay"). */
@Resolver()
export class DayInvoiceResolver {
  @Query(() => Invoice, { description: 'The pay of the driver for a day. Days that are paid by their jobs have none.' })
  @Requires(...READERS)
  async driverDayPayable(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice> {
    mayReadInvoices(ctx);
    const day = await find(ctx, DriverDay, id, { companyId });
    return readLiveInvoice(ctx, info, { driverDay: day.id, side: 'payable' }, companyId);
  }

  @Query(() => [Invoice], { description: 'The invoices of what is owed to the driver for a day: the payable, and those that were voided.' })
  @Requires(...READERS)
  driverDayPayables(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice[]> {
    return invoicesOfDay(ctx, info, { id, companyId, side: 'payable' });
  }

  @Query(() => [Invoice], { description: 'The invoices of what customers owe for a day. They are billed for jobs, so there is none yet.' })
  @Requires(...READERS)
  driverDayReceivables(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Invoice[]> {
    return invoicesOfDay(ctx, info, { id, companyId, side: 'receivable' });
  }
}

interface Asked {
  id: string;
  companyId?: string | undefined;
  side: InvoiceSide;
}

async function invoicesOfDay(ctx: Context, info: GraphQLResolveInfo, { id, companyId, side }: Asked): Promise<Invoice[]> {
  mayReadInvoices(ctx);
  const day = await find(ctx, DriverDay, id, { companyId });
  const where = [
    {
      key: `${side} of day`,
      sql: (t: string, p: string) => `${t}.driver_day_id = ${p} and ${t}.side = '${side}'`,
      cast: 'uuid',
      value: day.id,
    },
  ];
  return ctx.read.list(Invoice, info, { companyId: day.company.id, where });
}
