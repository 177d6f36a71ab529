import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { RecordBase, Text, Uuid } from '../../platform/model/columns.ts';

/** Somebody to call; not a user. */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Contact extends RecordBase {
  /** Tenant of the record that has this contact; contacts are only reached through that record. */
  @Uuid({ hidden: true }) companyId?: string | null;
  /** The site it is a contact of. */
  @Uuid({ hidden: true }) siteId?: string | null;
  @Text() name?: string | null;
  @Text() email?: string | null;
  /** E.164. */
  @Text() phone?: string | null;
}
