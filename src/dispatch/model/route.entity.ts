import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { ObjectType } from 'type-graphql';
import { Contact } from '../../directory/contacts/contact.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { Choice, One, RecordBase, Uuid, Whole } from '../../platform/model/columns.ts';
import { WaypointType } from './states.ts';

/**
 * A stop of a route. A route is only an id, shared by its waypoints. An order's jobs and loads hold the order's `routeId` until one of them
 * changes its route; then it gets a copy under a new id. So a hundred thousand loads share a handful of waypoint rows.
 */
@Entity()
@ObjectType({ simpleResolvers: true })
export class Waypoint extends RecordBase {
  @Uuid({ required: true, hidden: true }) routeId!: string;
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Choice(() => WaypointType, { required: true }) type!: WaypointType;
  @Whole({ required: true }) ordinality!: number;
  @One(() => Site, { required: true }) site!: Ref<Site>;
  @One(() => Contact) contact?: Ref<Contact> | null;
}
