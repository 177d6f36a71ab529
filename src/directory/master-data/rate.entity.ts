import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, stringEnum, Text, Uuids, Whole } from '../../platform/model/columns.ts';
import { Computed, Many, Tenant } from '../../platform/model/decorators.ts';
import { Account, AccountType } from '../accounts/account.entity.ts';
import { Company } from '../companies/company.entity.ts';
import { Equipment } from '../equipment/equipment.entity.ts';
import { EquipmentType } from '../equipment/equipment-type.entity.ts';
import { User } from '../people/user.entity.ts';
import { Service, ServiceClass } from './named.entities.ts';
import { RateType } from './units.ts';

export const RateOwnerType = stringEnum('RateOwnerType', ['customer', 'vendor', 'driver']);
export type RateOwnerType = keyof typeof RateOwnerType;

/** Whether a minimum of minutes is for each job, or for all jobs of a driver and date that one side pays (BILLING B3). */
export const MinimumPer = stringEnum('MinimumPer', ['job', 'day']);
export type MinimumPer = keyof typeof MinimumPer;

/** Which time is paid by the hour: logged on the job, between the sites, away from the home base, or of the shift (BILLING B3 "time basis"). */
export const TimeBasis = stringEnum('TimeBasis', ['job', 'site', 'portal', 'shift']);
export type TimeBasis = keyof typeof TimeBasis;

/** Whether each part of what is hauled has the rate of its own band, or everything that of the band that is reached (BILLING B3 "tiers"). */
export const TierMode = stringEnum('TierMode', ['slab', 'volume']);
export type TierMode = keyof typeof TierMode;

/** Another rate from a quantity on. */
@ObjectType({ simpleResolvers: true })
export class RateTier {
  @Field(() => DecimalScalar, { description: 'Units that were hauled before, of one order.' }) from!: string;
  @Field(() => DecimalScalar) rate!: string;
}

/**
 * A rate card (DOMAIN 3.2). Which of the value columns are set follows from `type`. An empty dimension (account, driver, projects,
 * services, trucks, class, kind of truck) is for all of them; what it is for is its company's own affair.
 */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Rate extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Choice(() => RateType, { required: true }) type: RateType = 'RatePerHour';
  @Choice(() => RateOwnerType, { required: true }) ownerType: RateOwnerType = 'driver';
  /** The customer or vendor; null for all of them. */
  @One(() => Account) account?: Ref<Account> | null;
  /** The driver; null for all of them. */
  @One(() => User) driver?: Ref<User> | null;
  @One(() => ServiceClass) serviceClass?: Ref<ServiceClass> | null;
  @One(() => EquipmentType) equipmentType?: Ref<EquipmentType> | null;
  @Uuids({ hidden: true }) projectIds: string[] = [];
  @Uuids({ hidden: true }) serviceIds: string[] = [];
  @Uuids({ hidden: true }) equipmentIds: string[] = [];
  @Many(() => Service, { ids: 'serviceIds' }) services!: Service[];
  @Many(() => Equipment, { ids: 'equipmentIds' }) equipment!: Equipment[];
  /** Preferred to other rate cards that fit as well; one for each customer, vendor or driver. */
  @Flag({ required: true }) primary: boolean = false;
  @Flag({ required: true }) fuelSurchargeEnabled: boolean = false;
  /** Per hour or per day. */
  @Numeric() timeRate?: Decimal | null;
  @Whole() timeMinimumMinutes?: number | null;
  @Whole() timeIncrementMinutes?: number | null;
  @Choice(() => MinimumPer, { required: true, description: 'Of hourly rates: what minimum and increment are for.' })
  minimumPer: MinimumPer = 'job';
  @Choice(() => TimeBasis, { required: true, description: 'Of hourly rates: which time is paid.' }) timeBasis: TimeBasis = 'job';
  /** Per load, ton, tonne, yard or bushel. */
  @Numeric() unitRate?: Decimal | null;
  @Numeric() unitMinimum?: Decimal | null;
  @Numeric() unitIncrement?: Decimal | null;
  @Choice(() => TierMode, { description: 'Of rates by the unit or the load that change with how much of an order was hauled: how.' })
  tierMode?: TierMode | null;
  /** Ascending. */
  @Property({ type: 'json', columnType: 'jsonb' })
  @Field(() => [RateTier], { description: 'The rates that hold instead of `unitRate` from a quantity on.' })
  tiers: RateTier[] = [];
  @Whole() commissionPercentage?: number | null;
  @Numeric() commissionAmount?: Decimal | null;
  @Numeric() flatAmount?: Decimal | null;
  @Instant() discardedAt?: Date | null;

  /** As what the account is meant; null for drivers. */
  @Field(() => AccountType, { nullable: true })
  @Computed({ columns: ['ownerType'], compute: (row) => (row.ownerType === 'driver' ? null : row.ownerType) })
  accountType?: AccountType | null;
}
