import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { DateTime } from '../../platform/scalars.ts';
import { approvalsOfDay, type DayRow, DriverDayWarning, warningsOfDay } from './day-approvals.ts';

const STATUS = [
  'companyId',
  'billerApproved',
  'companyAdminApproved',
  'driverApproved',
  'foremanApproved',
  'billingApprovedAt',
  'fieldApprovedAt',
];

export const driverDayProofExtension = extendEntity(DriverDay, {
  approvalStatus: { columns: STATUS },
  approved: { columns: STATUS },
  approvable: { columns: [...STATUS, 'endedShiftAt'] },
  unapprovable: { columns: [...STATUS, 'invoiceHold'] },
  billingApprovedAt: { columns: STATUS },
  fieldApprovedAt: { columns: STATUS },
  warnings: { columns: STATUS },
});

export const signedDay = relatedFields(DriverDay, {
  hasDropoffSignature: {
    // By the key of signatures, which has an index: there is none by day, and most signatures are of loads.
    sql: (t) =>
      `exists (select 1 from signature s where s.signable_id = ${t}.id and s.signable_type = 'DriverDay' and s.type = 'DropoffSignature')`,
    type: () => Boolean,
    description: 'Somebody who received material signed for the day.',
  },
});

export const driverDayProofAccess = defineAccess(DriverDay, {
  partnerFields: { passed: ['hasDropoffSignature', 'approvalStatus', 'approved', 'approvable', 'unapprovable', 'warnings'] },
});

/** The fields that proof of work adds to a day. */
@Resolver(() => DriverDay)
export class DriverDayProofResolver {
  @FieldResolver(() => ApprovalStatus, { description: "The approvals by the viewer's company." })
  async approvalStatus(@Ctx() ctx: Context, @Root() day: DayRow): Promise<ApprovalStatus> {
    return { ...(await approvalsOfDay(ctx, day)), id: day.id };
  }

  @FieldResolver(() => Boolean, { description: 'Approved for billing.' })
  async approved(@Ctx() ctx: Context, @Root() day: DayRow): Promise<boolean> {
    return (await approvalsOfDay(ctx, day)).billingApprovedAt !== null;
  }

  @FieldResolver(() => Boolean, { description: 'The shift is over, and it is not approved for billing.' })
  async approvable(@Ctx() ctx: Context, @Root() day: DayRow): Promise<boolean> {
    return day.endedShiftAt !== null && (await approvalsOfDay(ctx, day)).billingApprovedAt === null;
  }

  @FieldResolver(() => Boolean, { description: 'Approved for billing, and no approved invoice rests on it.' })
  async unapprovable(@Ctx() ctx: Context, @Root() day: DayRow): Promise<boolean> {
    const { billingApprovedAt, invoiceHold } = await approvalsOfDay(ctx, day);
    return billingApprovedAt !== null && !invoiceHold;
  }

  @FieldResolver(() => DateTime, { nullable: true })
  async billingApprovedAt(@Ctx() ctx: Context, @Root() day: DayRow): Promise<string | null> {
    return (await approvalsOfDay(ctx, day)).billingApprovedAt;
  }

  @FieldResolver(() => DateTime, { nullable: true })
  async fieldApprovedAt(@Ctx() ctx: Context, @Root() day: DayRow): Promise<string | null> {
    return (await approvalsOfDay(ctx, day)).fieldApprovedAt;
  }

  @FieldResolver(() => [DriverDayWarning], {
    description: 'Jobs that were not finished when the day was approved, and loads that were open.',
  })
  warnings(@Ctx() ctx: Context, @Root() day: DayRow): Promise<DriverDayWarning[]> {
    return warningsOfDay(ctx, day);
  }
}
