import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Day, Instant, Numeric, One, RecordBase, Text, Whole } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';

/** A published series of fuel prices, such as the weekly diesel price of a region (BILLING B6). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class FuelPriceIndex extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Text({ description: 'The series that it follows, of the source of prices of the installation; null if people enter its prices.' })
  series?: string | null;
  @Instant({ description: 'When its series was last read; null until then.' }) pricesReadAt?: Date | null;
  @Text({
    description: 'Why its series could not be read last, or which of its prices stay otherwise; null if all is as it was published.',
  })
  lastError?: string | null;
  @Instant({ hidden: true }) nextReadAt?: Date | null;
  @Whole({ required: true, hidden: true }) readAttempts: number = 0;
  @Instant() discardedAt?: Date | null;
}

/** The price of fuel from a day on, until the index has a later one. */
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
  @Text({ description: 'The source that it was read from, such as `eia`; null if somebody entered it.' }) source?: string | null;
  @Numeric({
    description: 'The price that the source has published for that day, also if somebody entered another one; null if it has none.',
  })
  publishedPrice?: Decimal | null;
  @Instant() discardedAt?: Date | null;
}
