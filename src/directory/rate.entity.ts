import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, Float, ObjectType } from 'type-graphql';
import { Choice, Instant, One, RecordBase, stringEnum, Text, Whole } from '../platform/database/columns.ts';
import { type Decimal, DecimalType } from '../platform/decimal.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { Company } from './company.entity.ts';
import { RateType } from './units.ts';

export const RateOwnerType = stringEnum('RateOwnerType', ['customer', 'vendor', 'driver']);
export type RateOwnerType = keyof typeof RateOwnerType;

/** A decimal column that the contract answers as a number (SPEC "Rate ref": `time_rate` (number)). */
const RateValue = (): PropertyDecorator => (target, key) => {
  Property({ type: DecimalType, nullable: true })(target, key as string);
  Field(() => Float, { nullable: true })(target, key);
};

/** A rate card (DOMAIN 3.2). Which of the value columns is set follows from `type`. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class Rate extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Choice(() => RateType, { required: true }) type: RateType = 'RatePerHour';
  @Choice(() => RateOwnerType, { required: true }) ownerType: RateOwnerType = 'driver';
  /** Per hour or per day. */
  @RateValue() timeRate?: Decimal | null;
  /** Per load, ton, tonne, yard or bushel. */
  @RateValue() unitRate?: Decimal | null;
  @Whole() commissionPercentage?: number | null;
  @RateValue() commissionAmount?: Decimal | null;
  @RateValue() flatAmount?: Decimal | null;
  @Instant() discardedAt?: Date | null;
}
