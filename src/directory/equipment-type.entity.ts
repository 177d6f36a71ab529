import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text } from '../platform/database/columns.ts';
import type { Decimal } from '../platform/decimal.ts';
import { Tenant } from '../platform/read/decorators.ts';
import { Company } from './company.entity.ts';
import { UnitOfMeasure } from './units.ts';

/** A kind of truck or machine. Capacity and its unit live on the type, not on the truck (SPEC). */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true })
export class EquipmentType extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Flag({ required: true }) system: boolean = false;
  @Text() externalId?: string | null;
  @Text() accountingId?: string | null;
  @Numeric() grossCapacity?: Decimal | null;
  @Choice(() => UnitOfMeasure) grossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  @Instant() discardedAt?: Date | null;
}
