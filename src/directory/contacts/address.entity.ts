import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Coordinate, RecordBase, Text, Uuid } from '../../platform/model/columns.ts';

/** A postal address; coordinates in WGS 84 degrees. */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Address extends RecordBase {
  /** Tenant of the record that has this address; addresses are only reached through that record. */
  @Uuid({ hidden: true }) companyId?: string | null;
  @Text() thoroughfare?: string | null;
  @Text() premise?: string | null;
  @Text() locality?: string | null;
  @Text() administrativeArea?: string | null;
  @Text() postalCode?: string | null;
  /** ISO 3166-1 alpha-2. */
  @Text() country?: string | null;
  @Coordinate() lat?: Decimal | null;
  @Coordinate() lon?: Decimal | null;
  @Text() placeId?: string | null;
}
