import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { DispatchNumber } from '../../dispatch/model/dispatch-number.entity.ts';
import { JobAssignment } from '../../dispatch/model/job-assignment.entity.ts';
import { LoadState } from '../../dispatch/model/states.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import { Choice, Coordinate, Flag, Instant, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Computed, Single, Tenant } from '../../platform/model/decorators.ts';
import { byCreation, defineFilters, defineSorts } from '../../platform/read/grammar.ts';

export const PositionSource = stringEnum('PositionSource', ['phone', 'telematics']);
export type PositionSource = keyof typeof PositionSource;

/** A circle around a site. */
@ObjectType({ simpleResolvers: true, description: 'A circle around a site.' })
export class SiteRadius {
  @Field(() => ID, { description: 'The id of the geofence.' }) id!: string;
  @Field(() => DecimalScalar, { description: 'In metres.' }) radiusMeters!: number;
  @Field(() => ID, { nullable: true }) siteId!: string | null;
}

/**
 * Where a telephone, or a vehicle that a provider of telematics follows, was at a moment. Written once, many at a time, and never changed:
 * measurements, which no audit row repeats. The table is divided by month.
 */
@Entity({ tableName: 'location_history' })
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'The position of a telephone or a vehicle at a moment.' })
export class LocationHistory {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @Instant({ required: true, description: 'When it arrived.' }) createdAt: Date = new Date();
  /** Of the person, or of the vehicle. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  /** The person whose telephone it was; null for vehicles. */
  @Uuid({ hidden: true }) userId?: string | null;
  /** The telephone's id of itself; of a vehicle, where it is followed. */
  @Property({ type: 'text' })
  @Field(() => String, { nullable: true, description: "The device's id of itself; null for partners." })
  deviceId!: string;
  @Choice(() => PositionSource, { required: true, hidden: true }) source: PositionSource = 'phone';
  /** The provider's name of the vehicle. */
  @Text({ hidden: true }) providerKey?: string | null;
  @Instant({ required: true }) occurredAt!: Date;
  /** Degrees, WGS 84. */
  @Coordinate({ required: true }) lat!: Decimal;
  @Coordinate({ required: true }) lon!: Decimal;
  /** Metres within which it lies, as the device thinks. */
  @Property({ type: 'double', nullable: true }) accuracy?: number | null;
  @Computed({ sql: (t) => `${t}.accuracy::text` })
  @Field(() => DecimalScalar, { nullable: true, description: 'Metres within which it lies, as the device thinks; null for partners.' })
  accuracyMeters?: string | null;
  @Property({ type: 'double', nullable: true, fieldName: 'speed_meters_per_second' }) speed?: number | null;
  @Computed({ sql: (t) => `${t}.speed_meters_per_second::text` })
  @Field(() => DecimalScalar, { nullable: true, description: 'Metres per second.' })
  speedMetersPerSecond?: string | null;

  /** Clockwise from north. */
  @Property({ type: 'double', nullable: true }) bearingDegrees?: number | null;
  @Computed({ sql: (t) => `${t}.bearing_degrees::text` })
  @Field(() => DecimalScalar, { nullable: true, description: 'Degrees clockwise from north.' })
  bearing?: string | null;
  /** The job that was hauled, as the telephone said, or else the one that was under way. */
  @Uuid({ description: 'The job that was hauled.' }) jobId?: string | null;
  /** The truck the person had when it arrived here, or the vehicle itself. */
  @Uuid({ hidden: true }) equipmentId?: string | null;
  /** Arrived so late that the telephone was without a network. */
  @Flag({ required: true }) offlineMode: boolean = false;

  /** The load that was under way then: the newest one that an event of the job had named. */
  @Computed({ sql: (t) => loadThen(t, 'e.load_id') })
  @Field(() => ID, { nullable: true, description: 'The load that was under way then.' })
  loadId?: string | null;
  @Computed({ sql: (t) => loadThen(t, '(select l.state from load l where l.id = e.load_id)') })
  @Field(() => LoadState, { nullable: true, description: 'The present state of that load.' })
  loadState?: LoadState | null;

  @Computed({ sql: (t) => `(select o.order_id from job j join orders o on o.id = j.order_id where j.id = ${t}.job_id)` })
  @Field(() => String, { nullable: true, description: 'The friendly number of the order of the job.' })
  orderNumber?: string | null;
  @Computed({ sql: radiiSql })
  @Field(() => [SiteRadius], { nullable: true, description: 'The circles around the sites of the job.' })
  radii?: SiteRadius[] | null;
  @Single(() => DispatchNumber, {
    on: (d, h) =>
      `${d}.id in (select o.dispatch_number_id from job j join orders o on o.id = j.order_id where j.id = ${h}.job_id offset 0)`,
  })
  dispatchNumber?: DispatchNumber | null;
  // An id of a subselect is a row to join with: compared by `=`, people would be read whole for each position, since such a comparison is not leakproof.
  @Single(() => User, {
    on: (u, h) => `${u}.id in (select coalesce(${h}.user_id, (select j.driver_id from job j where j.id = ${h}.job_id)) offset 0)`,
  })
  driver?: User | null;
  @Single(() => Equipment, { on: (e, h) => `${e}.id = ${h}.equipment_id` })
  equipment?: Equipment | null;
  /** The link by which the viewer's company passed the job on. */
  @Single(() => JobAssignment, { on: (a, h, companies) => `${a}.job_id = ${h}.job_id and ${a}.customer_company_id = any(${companies})` })
  vendorJobAssignment?: JobAssignment | null;
}

export const locationHistoryFilters = defineFilters(LocationHistory, byCreation);
export const locationHistorySorts = defineSorts(LocationHistory, { occurredAt: { sql: (t) => `${t}.occurred_at`, cast: 'timestamptz' } });

function loadThen(t: string, value: string): string {
  return `(select ${value} from job_event e where e.job_id = ${t}.job_id and e.occurred_at <= ${t}.occurred_at and e.load_id is not null and e.undone_at is null
    order by e.occurred_at desc, e.id desc limit 1)`;
}

/** The main geofences of the sites of the job, those that are circles. */
function radiiSql(t: string): string {
  return `(select json_agg(json_build_object('id', g.id, 'radiusMeters', g.circle_radius, 'siteId', s.id) order by w.ordinality, g.id)
    from job j join waypoint w on w.route_id = j.route_id join site s on s.id = w.site_id
      join routing_geofence r on r.id = s.routing_geofence_id join geofence g on g.id = r.geofence_id
    where j.id = ${t}.job_id and g.type = 'circle' and g.circle_radius is not null)`;
}
