import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { DailyExport, sheetUrlOf } from './daily-export.entity.ts';

@Resolver()
export class DailyExportResolver {
  @Query(() => DailyExport, {
    description: "The tickets made on one day of the company, in its time zone, as a sheet: the list's, voided ones too.",
  })
  @AnySignedIn()
  dailyTicketExport(
    @Ctx() ctx: Context,
    @Arg('date', () => LocalDate) day: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): DailyExport {
    return { day, createdAt: new Date(), fileUrl: sheetUrlOf(companyOf(ctx, companyId), day) };
  }
}
