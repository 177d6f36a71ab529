import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { RecordBase, Uuid, Whole } from '../../platform/model/columns.ts';

/** A site that is where a piece of equipment is, such as a paver. */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class MovingSite extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Uuid({ required: true }) siteId!: string;
  @Uuid({ required: true }) equipmentId!: string;
  /** Seconds between two questions where it is. */
  @Whole({ required: true }) pollingIntervalSeconds: number = 60;
}
