import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Day, Instant, Numeric, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

/** A published series of fuel prices, such as the weekly diesel price of a region (BILLING B6). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class FuelPriceIndex extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Instant() discardedAt?: Date | null;
}

/** What fuel costs from a day on, until the index has a later price. */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class FuelPrice extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @One(() => FuelPriceIndex, { required: true }) fuelPriceIndex!: Ref<FuelPriceIndex>;
  @Day({ required: true }) date!: string;
  /** Money for the index's unit, usually a gallon or a litre. */
  @Numeric({ required: true }) price!: Decimal;
  @Instant() discardedAt?: Date | null;
}
