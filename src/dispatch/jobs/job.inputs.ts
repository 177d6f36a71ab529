import { Field, ID, InputType, Int } from 'type-graphql';
import { ContactInput } from '../../directory/contacts/contact.inputs.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { SUPPLEMENT } from '../checks/supplements.ts';
import { MOST_PEOPLE, MOST_STOPS, MOST_TRUCKS } from '../fields/limits.ts';
import { CreateWaypointInput, UpdateWaypointInput } from '../fields/part.inputs.ts';

const optional = { nullable: true };
const TEXT = 10_000;

/** Sent by a driver's telephone, perhaps late: the telephone's id of the event, and when it really happened (DOMAIN 1.0). */
@InputType()
export class JobEventInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => DateTime, optional) occurredAt?: Date | null;
}

@InputType()
@About('Job')
export class RejectJobInput {
  @Field(() => String, optional) @Length(0, 500) rejectReason?: string | null;
}

@InputType()
@About('Job')
export class AssignVendorInput {
  @Field(() => ID) vendorId!: string;
  @Field(() => Boolean, optional) complianceOverride?: boolean | null;
}

@InputType()
export class UpdateJobAssignmentInput {
  @Field(() => ID, optional) rateId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) rateValue?: Decimal | null;
  @Field(() => RateType, optional) rateType?: RateType | null;
}

@InputType()
export class CreateJobAssignmentInput extends UpdateJobAssignmentInput {
  @Field(() => ID) vendorAccountId!: string;
}

@InputType()
export class MaterialRateAssignmentInput {
  @Field(() => DecimalScalar, optional) @Range(0) sellPrice?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0) buyPrice?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => ID, optional) siteId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The vendor who sells it at the buy price.' }) supplierAccountId?: string | null;
}

@InputType()
export class UpdateJobInput {
  @Field(() => DateTime, optional) jobStartAt?: Date | null;
  @Field(() => String, optional) @Length(0, TEXT) notes?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => UnitOfMeasure, optional) loadUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => [UpdateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: UpdateWaypointInput[] | null;
  @Field(() => ContactInput, optional) salesContact?: ContactInput | null;
  @Field(() => ContactInput, optional) foremanContact?: ContactInput | null;
  @Field(() => ContactInput, optional) supervisorContact?: ContactInput | null;
  @Field(() => ContactInput, optional) collaboratorContact?: ContactInput | null;
  /** A driver assigns the job, null unassigns it. */
  @Field(() => ID, optional) driverId?: string | null;
  @Field(() => Int, optional) @Range(0, 1_000_000) priority?: number | null;
  @Field(() => ID, optional) customerRateId?: string | null;
  @Field(() => ID, optional) vendorRateId?: string | null;
  @Field(() => ID, optional) driverRateId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0, 100_000) billableHours?: Decimal | null;
  @Field(() => [ID], optional) @AtMost(MOST_TRUCKS) additionalEquipmentIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) foremanIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) salespersonIds?: string[] | null;
  @Field(() => ID, optional) serviceClassId?: string | null;
  @Field(() => RateType, optional) haulerRateType?: RateType | null;
  @Field(() => DecimalScalar, optional) @Range(0) driverRateValue?: Decimal | null;
  @Field(() => RateType, optional) driverRateType?: RateType | null;
  @Field(() => DecimalScalar, optional) @Range(0) customerRateValue?: Decimal | null;
  @Field(() => RateType, optional) customerRateType?: RateType | null;
  @Field(() => DecimalScalar, optional) @Range(0) vendorRateValue?: Decimal | null;
  @Field(() => RateType, optional) vendorRateType?: RateType | null;
  @Field(() => ID, optional) phaseId?: string | null;
  @Field(() => Int, optional) @Range(1, 25) requestedLoadsCount?: number | null;
  @Field(() => String, optional) @Length(0, 200) requestedEquipmentTypeName?: string | null;
  @Field(() => String, optional) @Length(0, 200) requestedEquipmentTypeAccountingId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) equipmentTypeGrossCapacity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) equipmentTypeGrossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => Boolean, optional) recurringLoads?: boolean | null;
  @Field(() => MaterialRateAssignmentInput, optional) materialRateAssignment?: MaterialRateAssignmentInput | null;
  @Field(() => Int, optional) @Range(0) jobTime?: number | null;
  @Field(() => Boolean, optional) complianceOverride?: boolean | null;
  /** The version that the client has read. If the database has another one, the answer is a conflict. */
  @Field(() => Int, optional) version?: number | null;
  @Field(() => Boolean, { nullable: true, description: `Of the billable hours, if nothing else changes: ${SUPPLEMENT}` }) supplement?:
    | boolean
    | null;
}

@InputType()
export class CreateLoadInput {
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => ID, optional) phaseId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => [CreateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: CreateWaypointInput[] | null;
  @Field(() => String, optional) @Length(0, TEXT) notes?: string | null;
  @Field(() => MaterialRateAssignmentInput, optional) materialRateAssignment?: MaterialRateAssignmentInput | null;
}

@InputType()
export class UpdateLoadInput {
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => ID, optional) phaseId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => [UpdateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: UpdateWaypointInput[] | null;
  @Field(() => String, optional) @Length(0, TEXT) notes?: string | null;
  @Field(() => MaterialRateAssignmentInput, optional) materialRateAssignment?: MaterialRateAssignmentInput | null;
}
