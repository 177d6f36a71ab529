import { Entity } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { GeofenceTag } from '../../directory/sites/geofence.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { WaypointType } from '../../dispatch/model/states.ts';
import type { Decimal } from '../../platform/decimal.ts';
import { Choice, Coordinate, Instant, Numeric, One, RecordBase, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Computed, Tenant } from '../../platform/model/decorators.ts';
import { defineSorts } from '../../platform/read/grammar.ts';
import { GeofenceTriggerType } from './find-triggers.ts';
import { undoableSql } from './undoable.ts';

export const FenceAssetType = stringEnum('FenceAssetType', ['driver', 'equipment'], 'The things that enter and leave geofences.');
export type FenceAssetType = keyof typeof FenceAssetType;
export const GeofenceTriggerState = stringEnum(
  'GeofenceTriggerState',
  ['applied', 'skipped', 'superseded', 'proposed'],
  'The outcome of an entry or exit: it changed the work, it changed nothing, later positions disprove it, or a person has to decide.',
);
export type GeofenceTriggerState = keyof typeof GeofenceTriggerState;

/** Somebody entered or left a geofence. Found again and again from the same positions, so that no audit row repeats it. */
@Entity()
@Tenant()
@ObjectType({ simpleResolvers: true, description: 'A truck entered or left a geofence.' })
export class GeofenceTrigger extends RecordBase {
  /** The company of the job; without one, the driver's. */
  @Uuid({ required: true, hidden: true }) companyId!: string;
  @Choice(() => FenceAssetType, { required: true, description: 'The thing that entered or left.' }) assetType!: FenceAssetType;
  @Uuid({ required: true, description: 'The driver or the piece of equipment that entered or left.' }) assetId!: string;
  @Uuid({ required: true, description: 'The geofence, or the site around which a circle was drawn for want of one.' }) fenceId!: string;
  @Uuid({ description: 'The site of the geofence.' }) siteId?: string | null;
  @Choice(() => GeofenceTag) tag?: GeofenceTag | null;
  @Choice(() => WaypointType, { description: "The job's activity there." }) waypointType?: WaypointType | null;
  @Choice(() => GeofenceTriggerType, { required: true, description: 'Whether it was entered or left.' })
  geofenceTriggerType!: GeofenceTriggerType;
  @Instant({ required: true }) occurredAt!: Date;
  @Instant({ required: true, description: 'When it was certain.' }) confirmedAt!: Date;
  @Uuid({ required: true, hidden: true }) locationId!: string;
  @Coordinate({ required: true }) lat!: Decimal;
  @Coordinate({ required: true }) lon!: Decimal;
  @One(() => Job) job?: Ref<Job> | null;
  @Uuid({ description: 'The load that was under way.' }) loadId?: string | null;
  @Text({ required: true, hidden: true }) strategy: string = 'live';
  @Choice(() => GeofenceTriggerState, { required: true }) state!: GeofenceTriggerState;
  @Text({ description: 'Why it changed nothing.' }) skipReason?: string | null;
  @Numeric({ required: true, description: 'How certain it is, from 0 to 1.' }) confidence!: Decimal;
  /** `fence`: a moving geofence left a truck that stayed. */
  @Text({ required: true, hidden: true }) causedBy: string = 'asset';
  @Uuid({ description: 'The event of the job that came of it.' }) jobEventId?: string | null;

  @Field(() => Boolean, { description: 'The event that came of it can be undone: for an hour, as long as nothing else happened.' })
  @Computed({ sql: undoableSql })
  undoable!: boolean;
}

export const geofenceTriggerSorts = defineSorts(GeofenceTrigger, {
  occurredAt: { sql: (t) => `${t}.occurred_at`, cast: 'timestamptz' },
});
