import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { type Decimal, DecimalScalar, DecimalType } from '../../platform/decimal.ts';
import { Choice, One, RecordBase, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

export const TravelledDistanceType = stringEnum('TravelledDistanceType', ['off_job', 'unloaded', 'loaded']);
export type TravelledDistanceType = keyof typeof TravelledDistanceType;

export const TravellerType = stringEnum('TravellerType', ['DriverDay', 'Job', 'Load']);
export type TravellerType = keyof typeof TravellerType;

/** The distance of a truck in one state or province on a day, for a job or for a load. A worker measures it from positions. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'The distance of a truck in one state or province on a day, for a job or for a load.' })
export class TravelledDistance extends RecordBase {
  /** Of the driver. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Choice(() => TravellerType, { required: true, hidden: true }) travellerType!: TravellerType;
  @Uuid({ required: true, hidden: true }) travellerId!: string;
  @Uuid({ required: true, hidden: true }) driverDayId!: string;
  @Uuid({ hidden: true }) jobId?: string | null;
  @Uuid({ hidden: true }) orderId?: string | null;
  @Text({ required: true, description: 'The name of a state or province of the United States or Canada, or Unknown.' })
  administrativeArea!: string;
  @Choice(() => TravelledDistanceType, { required: true, description: 'Whether there was a job, and the load on the truck.' })
  travelledDistanceType!: TravelledDistanceType;
  @One(() => Equipment) equipment?: Ref<Equipment> | null;
  @Property({ type: new DecimalType(12, 1) }) @Field(() => DecimalScalar) travelledDistanceMeters!: Decimal;
}
