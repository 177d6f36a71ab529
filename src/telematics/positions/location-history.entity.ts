import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { LoadState } from '../../dispatch/model/states.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import { Choice, Coordinate, Flag, Instant, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { defineSorts } from '../../platform/read/grammar.ts';

export const PositionSource = stringEnum('PositionSource', ['phone', 'telematics']);
export type PositionSource = keyof typeof PositionSource;

/**
 * Where a telephone, or a vehicle that a provider of telematics follows, was at a moment. Written once, many at a time, and never changed:
 * measurements, which no audit row repeats. The table is divided by month.
 */
@Entity({ tableName: 'location_history' })
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'The position of a telephone or a vehicle at a moment.' })
export class LocationHistory {
  @PrimaryKey({ type: 'uuid' }) @Field(() => ID) id: string = newId();
  @Instant({ required: true, hidden: true }) createdAt: Date = new Date();
  /** Of the person, or of the vehicle. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  /** Whose telephone it was; null for vehicles. */
  @Uuid({ hidden: true }) userId?: string | null;
  /** The telephone's id of itself; of a vehicle, where it is followed. */
  @Text({ required: true, hidden: true }) deviceId!: string;
  @Choice(() => PositionSource, { required: true, hidden: true }) source: PositionSource = 'phone';
  /** What the provider calls the vehicle. */
  @Text({ hidden: true }) providerKey?: string | null;
  @Instant({ required: true }) occurredAt!: Date;
  /** Degrees, WGS 84. */
  @Coordinate({ required: true }) lat!: Decimal;
  @Coordinate({ required: true }) lon!: Decimal;
  /** Metres within which it lies, as the telephone thinks. */
  @Property({ type: 'double', nullable: true }) accuracy?: number | null;
  @Property({ type: 'double', nullable: true, fieldName: 'speed_meters_per_second' }) speed?: number | null;
  @Computed({ sql: (t) => `${t}.speed_meters_per_second::text` })
  @Field(() => String, { nullable: true, description: 'Metres per second, as text.' })
  speedMetersPerSecond?: string | null;

  /** Clockwise from north. */
  @Property({ type: 'double', nullable: true }) bearingDegrees?: number | null;
  /** The job that was hauled, as the telephone said, or by which the vehicle was under way. */
  @Uuid({ hidden: true }) jobId?: string | null;
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
}

export const locationHistorySorts = defineSorts(LocationHistory, { occurredAt: { sql: (t) => `${t}.occurred_at`, cast: 'timestamptz' } });

function loadThen(t: string, value: string): string {
  return `(select ${value} from job_event e where e.job_id = ${t}.job_id and e.occurred_at <= ${t}.occurred_at and e.load_id is not null
    order by e.occurred_at desc, e.id desc limit 1)`;
}
