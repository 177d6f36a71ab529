import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Site } from '../../directory/sites/site.entity.ts';
import { Audited } from '../../platform/commands/audit.ts';
import { Choice, One, RecordBase, Uuid } from '../../platform/model/columns.ts';
import { WaypointType } from './states.ts';

/** A site that forms offer first for a stop of an order or of a project's orders. */
@Entity()
@Audited()
export class DefaultSite extends RecordBase {
  @Uuid({ required: true, hidden: true }) companyId!: string;
  /** Belongs to an order or to a project, never to both. */
  @Uuid({ hidden: true }) orderId?: string | null;
  @Uuid({ hidden: true }) projectId?: string | null;
  @Choice(() => WaypointType, { required: true, hidden: true }) waypointType!: WaypointType;
  @One(() => Site, { required: true, hidden: true }) site!: Ref<Site>;
}
