import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Choice, Instant, Numeric, One, RecordBase, stringEnum, Text, Whole } from '../platform/database/columns.ts';
import type { Decimal } from '../platform/decimal.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { Company } from './company.entity.ts';
import { RateType } from './units.ts';

export const RateOwnerType = stringEnum('RateOwnerType', ['customer', 'vendor', 'driver']);
export type RateOwnerType = keyof typeof RateOwnerType;

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
  @Numeric() timeRate?: Decimal | null;
  /** Per load, ton, tonne, yard or bushel. */
  @Numeric() unitRate?: Decimal | null;
  @Whole() commissionPercentage?: number | null;
  @Numeric() commissionAmount?: Decimal | null;
  @Numeric() flatAmount?: Decimal | null;
  @Instant() discardedAt?: Date | null;
}
