import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Flag, Instant, Numeric, One, RecordBase, Text } from '../../platform/model/columns.ts';
import { Tenant } from '../../platform/model/decorators.ts';
import { Company } from '../companies/company.entity.ts';
import { TicketSource } from '../master-data/source.ts';
import { UnitOfMeasure } from '../master-data/units.ts';

/** The capacity of a truck of a type in another unit. */
@ObjectType({ simpleResolvers: true })
export class GrossCapacity {
  @Field(() => DecimalScalar) capacity!: string;
  @Field(() => UnitOfMeasure) unitOfMeasure!: UnitOfMeasure;
}

/** A kind of truck or machine. Capacity and its unit live on the type, not on the truck (SPEC). */
@Entity()
@Tenant()
@Audited()
@ObjectType({ simpleResolvers: true })
export class EquipmentType extends RecordBase {
  @One(() => Company, { required: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Flag({ required: true }) system: boolean = false;
  @Text() externalId?: string | null;
  @Text() accountingId?: string | null;
  @Numeric() grossCapacity?: Decimal | null;
  @Choice(() => UnitOfMeasure) grossCapacityUnitOfMeasure?: UnitOfMeasure | null;
  /** The same truck in other units: 14 Ton are 10 Yard. Each unit once. */
  @Property({ type: 'json', columnType: 'jsonb' }) @Field(() => [GrossCapacity]) additionalGrossCapacities: GrossCapacity[] = [];
  @Choice(() => TicketSource, { required: true }) source: TicketSource = 'web';
  @Instant() discardedAt?: Date | null;
}
