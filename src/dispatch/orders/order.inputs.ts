import { Field, ID, InputType, Int } from 'type-graphql';
import { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { AtMost, Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { MOST_STOPS, TRUCKS_OF_ORDER } from '../fields/limits.ts';
import {
  CreateWaypointInput,
  DispatchNumberInput,
  PhaseInput,
  UpdateDispatchNumberInput,
  UpdateWaypointInput,
} from '../fields/part.inputs.ts';
import { TEXT, TermFields } from '../fields/work-terms.inputs.ts';
import { OrderState, RequestedQuantityType } from '../model/states.ts';

const optional = { nullable: true };

/** The common fields of creating and changing an order (SPEC "Request fields for creating an Order"). */
@InputType()
export abstract class OrderFields extends TermFields {
  @Field(() => String, optional) @Length(0, 200) name?: string | null;
  @Field(() => String, optional) @Length(0, 200) zone?: string | null;
  @Field(() => DecimalScalar, optional) @Range(0) quantity?: Decimal | null;
  @Field(() => Int, optional) @Range(1) trucksPerDelay?: number | null;
  @Field(() => UnitOfMeasure, optional) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => UnitOfMeasure, optional) materialRateUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => ID, optional) materialId?: string | null;
  @Field(() => ID, optional) projectId?: string | null;
  @Field(() => ID, optional) materialRateSiteId?: string | null;
  @Field(() => ID, { nullable: true, description: 'The vendor who sells the material at the buy price.' })
  materialRateSupplierAccountId?: string | null;
  @Field(() => DateTime, optional) jobStartAt?: Date | null;
  @Field(() => PhaseInput, { nullable: true, deprecationReason: 'Use phases with primary true.' }) phase?: PhaseInput | null;
  @Field(() => RequestedQuantityType, optional) requestedQuantityType?: RequestedQuantityType | null;
  @Field(() => Int, optional) @Range(0) pickupOnsiteMinutes?: number | null;
  @Field(() => Int, optional) @Range(0) dropoffOnsiteMinutes?: number | null;
  @Field(() => Int, optional) @Range(0) pickupToDropoffTimeMinutes?: number | null;
  @Field(() => DecimalScalar, optional) @Range(0) pickupToDropoffDistanceMeters?: Decimal | null;
  @Field(() => Int, optional) @Range(0) expectedTotalLoads?: number | null;
  @Field(() => Int, optional) @Range(0) cycleTimeMinutes?: number | null;
  @Field(() => Int, optional) @Range(0) geofenceDelaySeconds?: number | null;
  @Field(() => Boolean, optional) materialRateItemized?: boolean | null;
  @Field(() => DecimalScalar, optional) @Range(0) materialRateSellPrice?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Range(0) materialRateBuyPrice?: Decimal | null;
}

@InputType()
export class CreateOrderInput extends OrderFields {
  @Field(() => DateTime) loadAt!: Date;
  @Field(() => Int) @Range(1, TRUCKS_OF_ORDER) truckCount!: number;
  @Field(() => Int) @Range(0, 1440) truckDelay!: number;
  @Field(() => ID) accountId!: string;
  @Field(() => ID) serviceId!: string;
  @Field(() => [CreateWaypointInput]) @AtMost(MOST_STOPS) waypoints!: CreateWaypointInput[];
  /** The owning company; by default the one of the path, or the caller's own. */
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, optional) driverId?: string | null;
  @Field(() => ID, optional) vendorId?: string | null;
  @Field(() => OrderState, optional) state?: OrderState | null;
  @Field(() => DispatchNumberInput, optional) dispatchNumber?: DispatchNumberInput | null;
}

@InputType()
export class UpdateOrderInput extends OrderFields {
  @Field(() => DateTime, optional) loadAt?: Date | null;
  /** 0 is that of an order all of whose trucks were deleted, and is taken as it was read. */
  @Field(() => Int, optional) @Range(0, TRUCKS_OF_ORDER) truckCount?: number | null;
  @Field(() => Int, optional) @Range(0, 1440) truckDelay?: number | null;
  @Field(() => ID, optional) serviceId?: string | null;
  @Field(() => String, optional) @Length(0, TEXT) orderNotes?: string | null;
  @Field(() => UpdateDispatchNumberInput, optional) dispatchNumber?: UpdateDispatchNumberInput | null;
  @Field(() => [UpdateWaypointInput], optional) @AtMost(MOST_STOPS) waypoints?: UpdateWaypointInput[] | null;
  /** The version that the client has read. If the database has another one, the answer is a conflict. */
  @Field(() => Int, optional) version?: number | null;
}

@InputType()
@About('Order')
export class RejectOrderInput {
  @Field(() => String, optional) @Length(0, 100) rejectReason?: string | null;
}

@InputType()
@About('Order')
export class CopyOrderInput {
  @Field(() => String, { nullable: true, description: "YYYY-MM-DD; the new day in the company's time zone." }) date?: string | null;
  @Field(() => Int, optional) @Range(1, TRUCKS_OF_ORDER) truckCount?: number | null;
  @Field(() => Boolean, optional) includeAssignee?: boolean | null;
}
