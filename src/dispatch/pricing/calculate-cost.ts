import { Field, ObjectType } from 'type-graphql';
import { Rate, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { RateType } from '../../directory/master-data/units.ts';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import type { Context } from '../../platform/context.ts';
import { Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { convert, UNIT_OF_RATE } from '../model/units-of-rates.ts';
import type { CalculateCostInput } from './rate.inputs.ts';
import { rateKind } from './rate-values.ts';

@ObjectType({ description: "The earnings and costs of an order, in the company's currency with two decimals." })
export class RateCost {
  @Field(() => DecimalScalar) customerCost!: Decimal;
  @Field(() => DecimalScalar) vendorCost!: Decimal;
  /** The margin: customerCost less vendorCost. */
  @Field(() => DecimalScalar) costMargin!: Decimal;
}

/** The haul, as far as a rate card depends on it. */
export interface Haul {
  /** The hours of each truck. */
  hours: Decimal;
  trucks: number;
  quantity: Decimal;
  unit: CalculateCostInput['orderUnitOfMeasure'];
}

/**
 * Returns the cost of an order by two rate cards, before it is hauled.
 * @throws Denied unless the viewer sees both sides; Invalid for an unknown rate card or one of another side, and for units that do not convert
 */
export async function calculateCost(ctx: Context, input: CalculateCostInput, companyId?: string | null): Promise<RateCost> {
  allow(ctx, 'view_customer_rates');
  allow(ctx, 'view_vendor_rates');
  const items: ErrorItem[] = [];
  const specs = { customer: [Rate, 'customerRateId'], vendor: [Rate, 'vendorRateId'] } as const;
  const options = { model: 'Rate', items, ...(companyId ? { companyId: companyOf(ctx, companyId) } : {}) };
  const { customer, vendor } = await resolveReferences(ctx, input, specs, options);
  for (const [owner, rate] of Object.entries({ customer, vendor }) as [RateOwnerType, Rate | null | undefined][])
    if (rate && rate.ownerType !== owner) items.push({ model: 'Rate', field: `${owner}RateId`, key: 'not_a_rate_of', params: { owner } });
  if (items.length > 0 || !customer || !vendor) throw new Invalid(items);
  const haul: Haul = {
    hours: input.estimatedHours,
    trucks: input.truckCount ?? 1,
    quantity: input.orderQuantity,
    unit: input.orderUnitOfMeasure,
  };
  const customerCost = costOf(customer, haul);
  const vendorCost = costOf(vendor, haul, customer);
  return { customerCost, vendorCost, costMargin: customerCost.minus(vendorCost) };
}

/**
 * Returns the cost of a haul by a rate card, in cents: the sum of the lines of its invoices, each rounded by itself (DOMAIN 3.4, 3.9).
 * Minimum and increment of units apply to each load, but count once here, because loads are not known yet. A day is full from the rate card's
 * minimum on, and in proportion below it.
 * @param customer the rate card from which a commission is calculated
 * @throws Invalid if the haul's unit cannot be converted to the rate card's
 */
export function costOf(rate: Rate, haul: Haul, customer?: Rate): Decimal {
  const isShare = ['commission', 'flatCommission'].includes(rateKind(rate.type));
  const lines = linesOf((isShare && customer) || rate, haul);
  return lines.reduce((sum, line) => sum.plus(amountOf(rate, line, customer).mul(line.times)), new Decimal(0));
}

/** Equal lines: the quantity of one, and how many there are. */
interface Lines {
  times: Decimal.Value;
  quantity: Decimal;
  /** Of a unit or a load, in the band of the rate card. */
  unitRate?: Decimal;
}

/** Returns one line for each truck by time or flat, one for each load by loads, and otherwise one for all. */
function linesOf(rate: Rate, haul: Haul): Lines[] {
  const kind = rateKind(rate.type);
  if (kind === 'time') return [{ times: haul.trucks, quantity: timeOf(rate, haul) }];
  if (kind !== 'unit') return [{ times: haul.trucks, quantity: new Decimal(1) }];
  return bandsOf(rate, unitsOf(rate, haul)).flatMap(({ units, unitRate }) => {
    if (rate.type !== 'RatePerLoad') return [{ times: 1, quantity: units, unitRate }];
    const whole = units.floor();
    return [
      { times: whole, quantity: new Decimal(1), unitRate },
      { times: 1, quantity: units.minus(whole), unitRate },
    ];
  });
}

/** Returns how much of a quantity is paid at which rate of a rate card, as if all of its order were hauled (BILLING B3 "tiers"). */
function bandsOf({ unitRate, tierMode, tiers }: Rate, units: Decimal): { units: Decimal; unitRate: Decimal }[] {
  const bands = [
    { from: new Decimal(0), unitRate: unitRate ?? new Decimal(0) },
    ...tiers.map(({ from, rate }) => ({ from: new Decimal(from), unitRate: new Decimal(rate) })),
  ];
  if (tierMode !== 'slab') return [{ units, unitRate: bands.findLast(({ from }) => units.gte(from))!.unitRate }];
  return bands.map((band, i) => ({
    units: Decimal.max(0, Decimal.min(units, bands[i + 1]?.from ?? units).minus(band.from)),
    unitRate: band.unitRate,
  }));
}

/** Returns the rounded amount of a line; a commission is calculated from the customer's line as it is billed. */
function amountOf(rate: Rate, line: Lines, customer?: Rate): Decimal {
  const { quantity, unitRate } = line;
  const amounts: Record<ReturnType<typeof rateKind>, () => Decimal> = {
    time: () => quantity.mul(rate.timeRate ?? 0),
    unit: () => quantity.mul(unitRate ?? 0),
    commission: () =>
      customer
        ? amountOf(customer, line)
            .mul(rate.commissionPercentage ?? 0)
            .div(100)
        : new Decimal(0),
    flatCommission: () => (customer ? quantity.mul(rate.commissionAmount ?? 0) : new Decimal(0)),
    flat: () => quantity.mul(rate.flatAmount ?? 0),
  };
  return amounts[rateKind(rate.type)]().toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
}

/** Returns the hours or days of one truck. */
function timeOf(rate: Rate, { hours }: Haul): Decimal {
  // Hours such as 11.7667 mean 706 minutes, not the next increment.
  const minutes = hours.mul(60).toDecimalPlaces(2);
  const least = rate.timeMinimumMinutes ?? 0;
  if (minutes.isZero()) return new Decimal(0);
  if (rate.type === 'RatePerDay') return minutes.lt(least) ? minutes.div(least) : new Decimal(1);
  return roundedUp(Decimal.max(minutes, least), new Decimal(rate.timeIncrementMinutes ?? 0))
    .div(60)
    .toDecimalPlaces(4);
}

function unitsOf(rate: Rate, { quantity, unit }: Haul): Decimal {
  const counted = UNIT_OF_RATE[rate.type as RateType]!;
  const units = convert(quantity, unit, counted);
  if (!units) throw new Invalid([{ model: 'Rate', field: 'orderUnitOfMeasure', key: 'no_common_unit', params: { rate: rate.name } }]);
  return units.isZero() ? units : roundedUp(Decimal.max(units, rate.unitMinimum ?? 0), new Decimal(rate.unitIncrement ?? 0));
}

const roundedUp = (value: Decimal, step: Decimal): Decimal => (step.isZero() ? value : value.div(step).ceil().mul(step));
