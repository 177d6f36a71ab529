import { FieldResolver, Resolver, Root } from 'type-graphql';
import { ApprovalStatus } from '../../dispatch/model/approval.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { DateTime } from '../../platform/scalars.ts';

const STATUS = ['billerApproved', 'companyAdminApproved', 'driverApproved', 'foremanApproved', 'billingApprovedAt', 'fieldApprovedAt'];

export const driverDayProofExtension = extendEntity(DriverDay, {
  hasDropoffSignature: {
    sql: (t) => `exists (select 1 from signature s where s.driver_day_id = ${t}.id and s.type = 'DropoffSignature')`,
  },
  approvalStatus: { columns: STATUS },
  approved: { columns: STATUS },
  approvable: { columns: [...STATUS, 'endedShiftAt'] },
  unapprovable: { columns: STATUS },
  billingApprovedAt: { columns: STATUS },
  fieldApprovedAt: { columns: STATUS },
});

export const driverDayProofAccess = defineAccess(DriverDay, {
  partnerFields: { passed: ['hasDropoffSignature', 'approvalStatus', 'approved', 'approvable', 'unapprovable'] },
});

/** The fields that proof of work adds to a day. */
@Resolver(() => DriverDay)
export class DriverDayProofResolver {
  @FieldResolver(() => Boolean, { description: 'Somebody who received material signed for the day.' })
  hasDropoffSignature(@Root() day: DriverDay & { hasDropoffSignature: boolean }): boolean {
    return day.hasDropoffSignature;
  }

  @FieldResolver(() => ApprovalStatus, { description: "The approvals by the viewer's company." })
  approvalStatus(@Root() day: DriverDay): ApprovalStatus {
    return day as object as ApprovalStatus;
  }

  @FieldResolver(() => Boolean, { description: 'Approved for billing.' })
  approved(@Root() day: DriverDay): boolean {
    return day.billingApprovedAt !== null;
  }

  @FieldResolver(() => Boolean, { description: 'The shift is over, and nobody has approved it for billing.' })
  approvable(@Root() day: DriverDay): boolean {
    return day.billingApprovedAt === null && day.endedShiftAt !== null;
  }

  @FieldResolver(() => Boolean)
  unapprovable(@Root() day: DriverDay): boolean {
    return day.billingApprovedAt !== null;
  }

  @FieldResolver(() => DateTime, { nullable: true })
  billingApprovedAt(@Root() day: DriverDay): Date | null {
    return day.billingApprovedAt ?? null;
  }

  @FieldResolver(() => DateTime, { nullable: true })
  fieldApprovedAt(@Root() day: DriverDay): Date | null {
    return day.fieldApprovedAt ?? null;
  }
}
