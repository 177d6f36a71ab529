import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { Decimal, DecimalScalar } from '../../../platform/decimal.ts';
import { Invalid } from '../../../platform/errors.ts';
import { Range } from '../../../platform/graphql/rules.ts';
import { About } from '../../../platform/model/about.ts';

/** A week: no job and no round trip takes longer. */
const MOST_MINUTES = 7 * 24 * 60;
const MOST = 2 ** 31 - 1;

@InputType()
@About('OrderEstimate')
export class EstimateOrderInput {
  @Field(() => Int, { nullable: true }) @Range(1) totalLoads?: number | null;
  @Field(() => Int, { nullable: true }) @Range(1) truckQuantity?: number | null;
  @Field(() => Int, { nullable: true }) @Range(1) totalUnits?: number | null;
  /** The number of units that a truck carries. */
  @Field(() => DecimalScalar) equipmentCapacity!: Decimal;
  @Field(() => Int) @Range(1, MOST_MINUTES) jobDurationMinutes!: number;
  @Field(() => Int) @Range(1, MOST_MINUTES) cycleTimeMinutes!: number;
}

/** The trucks that an amount of work takes, or the work that a number of trucks gets done. Whole numbers, as trucks are. */
@ObjectType({ simpleResolvers: true })
export class OrderEstimate {
  @Field(() => Int) truckQuantity!: number;
  @Field(() => Int) loadsPerTruck!: number;
  @Field(() => Int) totalLoads!: number;
  @Field(() => Int) deliveredPerTruck!: number;
  @Field(() => Int) totalUnits!: number;
  @Field(() => Int) unitsPerHour!: number;
}

/**
 * Returns the results of the formulas of DOMAIN 1.1 "Estimate"; stores nothing.
 * @throws Invalid unless exactly one of total_loads, truck_quantity and total_units is sent, and on figures beyond 32 bits
 */
export function estimateOrder(ctx: Context, input: EstimateOrderInput): OrderEstimate {
  viewerOf(ctx);
  const invalid = (field: string, key: string) => new Invalid([{ model: 'OrderEstimate', field, key }]);
  const { totalLoads, truckQuantity, totalUnits } = input;
  if ([totalLoads, truckQuantity, totalUnits].filter((given) => typeof given === 'number').length !== 1) {
    throw invalid('totalLoads', 'estimate_needs_one');
  }
  const capacity = new Decimal(input.equipmentCapacity);
  if (!capacity.greaterThan(0)) throw invalid('equipmentCapacity', 'greater_than_zero');
  const loadsPerTruck = Math.max(1, Math.floor(input.jobDurationMinutes / input.cycleTimeMinutes));
  const loads = totalLoads ?? (totalUnits ? new Decimal(totalUnits).div(capacity).ceil().toNumber() : truckQuantity! * loadsPerTruck);
  const trucks = truckQuantity ?? Math.ceil(loads / loadsPerTruck);
  const whole = (figure: Decimal) => figure.round().toNumber();
  const estimate: OrderEstimate = {
    truckQuantity: trucks,
    loadsPerTruck,
    totalLoads: loads,
    deliveredPerTruck: whole(capacity.times(loadsPerTruck)),
    totalUnits: whole(capacity.times(loads)),
    unitsPerHour: whole(capacity.times(trucks).times(60).div(input.cycleTimeMinutes)),
  };
  if (Object.values(estimate).some((figure) => figure > MOST)) throw invalid('equipmentCapacity', 'decimal_out_of_range');
  return estimate;
}
