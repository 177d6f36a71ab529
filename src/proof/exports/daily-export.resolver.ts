import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { DailyExport } from './daily-export.entity.ts';
import { sheetUrlOf } from './sheet-url.ts';

@Resolver()
export class DailyExportResolver {
  @Query(() => DailyExport, {
    description: "The tickets created on one day, in the company's time zone, as a sheet: those of the list, including voided ones.",
  })
  @AnySignedIn()
  dailyTicketExport(
    @Ctx() ctx: Context,
    @Arg('date', () => LocalDate) day: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): DailyExport {
    return { day, createdAt: new Date(), fileUrl: sheetUrlOf(ctx.em, viewerOf(ctx), { companyId: companyOf(ctx, companyId), day }) };
  }
}
