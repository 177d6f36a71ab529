import { Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import type { Context } from '../../platform/context.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { DateTime } from '../../platform/scalars.ts';
import { DeliveredQuantity } from '../model/delivered.ts';
import { DriverDay } from '../model/driver-day.entity.ts';
import { DriverDayException } from '../shifts/exceptions.ts';
import { type DayFigures, dayFigures, LiveMinutes, MaterialDeliveredQuantity } from './driver-day-figures.ts';

const optional = { nullable: true };
type Answer<T> = Promise<T>;

/** The figures of a day, batched for all days of an answer. What is counted are jobs that the viewer sees. */
@Resolver(() => DriverDay)
export class DriverDayFiguresResolver {
  @FieldResolver(() => Int, { description: 'Jobs that were not canceled.' })
  jobsCount(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<number> {
    return figure(ctx, day, 'jobsCount');
  }

  @FieldResolver(() => Int, { description: 'Completed loads.' })
  loadsCount(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<number> {
    return figure(ctx, day, 'loadsCount');
  }

  @FieldResolver(() => Int, { description: 'Tickets; voided ones are not counted.' })
  ticketsCount(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<number> {
    return figure(ctx, day, 'ticketsCount');
  }

  @FieldResolver(() => DateTime, optional)
  firstGeofenceEntryAt(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string | null> {
    return figure(ctx, day, 'firstGeofenceEntryAt');
  }

  @FieldResolver(() => DateTime, optional)
  lastGeofenceExitAt(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string | null> {
    return figure(ctx, day, 'lastGeofenceExitAt');
  }

  @FieldResolver(() => DateTime, optional)
  firstTicketAt(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string | null> {
    return figure(ctx, day, 'firstTicketAt');
  }

  @FieldResolver(() => DateTime, optional)
  lastTicketAt(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string | null> {
    return figure(ctx, day, 'lastTicketAt');
  }

  @FieldResolver(() => Int)
  totalGpsMinutes(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<number> {
    return figure(ctx, day, 'totalGpsMinutes');
  }

  @FieldResolver(() => [MaterialDeliveredQuantity])
  totalDeliveredQuantities(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<MaterialDeliveredQuantity[]> {
    return figure(ctx, day, 'totalDeliveredQuantities');
  }

  @FieldResolver(() => [DeliveredQuantity])
  deliveredQuantities(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<DeliveredQuantity[]> {
    return figure(ctx, day, 'deliveredQuantities');
  }

  @FieldResolver(() => [String], { description: 'External ids of the trucks, in the order of their first use.' })
  equipmentExternalIds(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string[]> {
    return figure(ctx, day, 'equipmentExternalIds');
  }

  @FieldResolver(() => DecimalScalar, optional)
  travelledDistanceMeters(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string | null> {
    return figure(ctx, day, 'travelledDistanceMeters');
  }

  @FieldResolver(() => DecimalScalar, {
    nullable: true,
    description:
      'Meters as the crow flies between positions that nothing is measured between: over gaps, or too fast. For the own company.',
  })
  unmeasuredDistanceMeters(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<string | null> {
    return figure(ctx, day, 'unmeasuredDistanceMeters');
  }

  @FieldResolver(() => [DriverDayException], { description: 'Why somebody should look at the day; only for the company of the driver.' })
  exceptions(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<DriverDayException[]> {
    return figure(ctx, day, 'exceptions');
  }

  @FieldResolver(() => LiveMinutes, { description: 'Minutes up to now, with the span that lasts.' })
  liveMinutes(@Ctx() ctx: Context, @Root() day: DriverDay): Answer<LiveMinutes> {
    return figure(ctx, day, 'live');
  }

  @FieldResolver(() => Int, { nullable: true, description: 'Minutes on duty; null while the shift lasts.' })
  async totalOnDutyMinutes(@Ctx() ctx: Context, @Root() day: DriverDay): Promise<number | null> {
    return (await figure(ctx, day, 'totals')).onDuty;
  }

  @FieldResolver(() => Int, { nullable: true, description: 'Minutes of finished breaks.' })
  async totalBreakMinutes(@Ctx() ctx: Context, @Root() day: DriverDay): Promise<number | null> {
    return (await figure(ctx, day, 'totals')).break;
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'Minutes on duty and on breaks, with the adjustment; null while the shift lasts.',
  })
  async totalShiftMinutes(@Ctx() ctx: Context, @Root() day: DriverDay): Promise<number | null> {
    return (await figure(ctx, day, 'totals')).shift;
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'The minutes that are paid: on duty, on breaks where the company pays for them, and the adjustment; only for the company of the driver.',
  })
  async payableMinutes(@Ctx() ctx: Context, @Root() day: DriverDay): Promise<number | null> {
    return (await figure(ctx, day, 'totals')).payable;
  }
}

const figure = async <K extends keyof DayFigures>(ctx: Context, { id }: DriverDay, name: K): Promise<DayFigures[K]> =>
  (await dayFigures(ctx).load(id))[name];
