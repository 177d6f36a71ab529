import { Embeddable } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { Decimal } from '../../platform/decimal.ts';
import { Flag, Instant, Numeric, Whole } from '../../platform/model/columns.ts';
import { Computed } from '../../platform/model/decorators.ts';
import { DateTime } from '../../platform/scalars.ts';

/** The times of a load's cycle (DOMAIN section 4 "LoadSummary"). Minutes are whole, rounded down, and 0 if either time is missing. */
@Embeddable()
@ObjectType({ simpleResolvers: true })
export class LoadSummary {
  /** The id of the load, which has one summary. */
  @Field(() => ID) @Computed({ sql: (t) => `${t}.id` }) id!: string;
  @Field(() => DateTime) @Computed({ sql: (t) => `${t}.created_at` }) createdAt!: Date;
  @Field(() => DateTime) @Computed({ sql: (t) => `${t}.updated_at` }) updatedAt!: Date;
  @Instant() arrivedPickupAt?: Date | null;
  @Instant() loadedAt?: Date | null;
  @Instant() arrivedDropoffAt?: Date | null;
  @Instant() unloadedAt?: Date | null;
  @Instant() loadCompletedAt?: Date | null;
  @Whole({ required: true }) gpsMinutes: number = 0;
  @Flag({ required: true }) hasGpsData: boolean = false;
  @Numeric() travelledDistanceMeters?: Decimal | null;

  @Field(() => Int)
  @Computed({ columns: ['arrivedPickupAt', 'loadedAt'], compute: (row) => minutesBetween(row.arrivedPickupAt, row.loadedAt) })
  pickupTimeMinutes!: number;

  @Field(() => Int)
  @Computed({ columns: ['arrivedDropoffAt', 'unloadedAt'], compute: (row) => minutesBetween(row.arrivedDropoffAt, row.unloadedAt) })
  dropoffTimeMinutes!: number;

  /** Until the load is approved. */
  @Field(() => Boolean)
  @Computed({ sql: (t) => `(${t}.approved_at is null)` })
  editable!: boolean;
}

type SummarizedLoad = { id: string; createdAt: Date; updatedAt: Date; loadSummary: LoadSummary; approvedAt?: Date | null };

/** Returns the summary of a loaded record, as the planner would read it. */
export function summaryOf(load: SummarizedLoad): LoadSummary {
  const { loadSummary: stamps, approvedAt, id, createdAt, updatedAt } = load;
  return {
    ...{ ...stamps, id, createdAt, updatedAt },
    pickupTimeMinutes: minutesBetween(stamps.arrivedPickupAt?.toISOString(), stamps.loadedAt?.toISOString()),
    dropoffTimeMinutes: minutesBetween(stamps.arrivedDropoffAt?.toISOString(), stamps.unloadedAt?.toISOString()),
    editable: !approvedAt,
  };
}

const minutesBetween = (from: unknown, to: unknown): number =>
  from && to ? Math.max(0, Math.floor((Date.parse(String(to)) - Date.parse(String(from))) / 60_000)) : 0;
