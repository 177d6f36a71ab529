import { Field, ID, InputType, Int } from 'type-graphql';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { MOST_PEOPLE, MOST_STOPS } from '../fields/limits.ts';
import { CreateWaypointInput } from '../fields/part.inputs.ts';

const optional = { nullable: true };

@InputType()
@About('Job')
export class DriverAssignmentInput {
  @Field(() => ID) driverId!: string;
  @Field(() => ID) jobId!: string;
}

@InputType()
@About('Job')
export class BulkAssignVendorInput {
  @Field(() => ID) vendorAccountId!: string;
  @Field(() => [ID]) jobIds!: string[];
}

@InputType()
@About('Job')
export class BulkCopyAssignmentsInput {
  /** The order whose unassigned jobs are assigned. */
  @Field(() => ID) orderId!: string;
  /** The jobs whose drivers and vendors are copied. */
  @Field(() => [ID]) jobIds!: string[];
  @Field(() => Boolean, { nullable: true, description: 'Copies trucks, rates and notes, too.' }) deepCopy?: boolean | null;
}

@InputType()
export class BulkUpdateLoadInput {
  /** Applies to every load that is not finished. */
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal;
}

/** A change of many jobs at once; absent fields are kept (`Job-Bulk-Update` of the contract). */
@InputType()
@About('Job')
export class BulkUpdateJobInput {
  @Field(() => String, optional) @Length(0, 10_000) notes?: string | null;
  @Field(() => DateTime, optional) jobStartAt?: Date | null;
  @Field(() => Int, optional) @Range(1, 25) requestedLoadsCount?: number | null;
  @Field(() => String, optional) @Length(0, 200) requestedEquipmentTypeName?: string | null;
  @Field(() => BulkUpdateLoadInput, optional) load?: BulkUpdateLoadInput;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) equipmentTypeGrossCapacity?: Decimal | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) foremanIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) collaboratorIds?: string[] | null;
  @Field(() => [ID], optional) @AtMost(MOST_PEOPLE) salespersonIds?: string[] | null;
  @Field(() => [CreateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: CreateWaypointInput[] | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => DecimalScalar, optional) @Range(0) driverRateValue?: Decimal | null;
  @Field(() => RateType, optional) driverRateType?: RateType | null;
  @Field(() => DecimalScalar, optional) @Range(0) vendorRateValue?: Decimal | null;
  @Field(() => RateType, optional) vendorRateType?: RateType | null;
  @Field(() => Boolean, optional) recurringLoads?: boolean | null;
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
}
