import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { defineRowPolicy } from '../../platform/database/row-level-security.ts';
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

// A reader of a company reads its address too; the company's policy decides which companies those are.
defineRowPolicy('address', { readable: (t) => `exists (select 1 from company c where c.address_id = ${t}.id)` });
