import { Field, ID, ObjectType } from 'type-graphql';
import { GeofenceAreaTag, GeofenceTag, GeofenceType, LatLon } from '../../directory/sites/geofence.entity.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { DateTime, Json } from '../../platform/scalars.ts';
import type { FenceRow } from '../fences/fence-rows.ts';
import { GeofenceTriggerType } from '../fences/find-triggers.ts';

const optional = { nullable: true } as const;

@ObjectType({ simpleResolvers: true, description: 'The person whose telephone crossed a geofence.' })
export class TriggeringDriver {
  @Field(() => ID) id!: string;
  @Field() firstName!: string;
  @Field() lastName!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The piece of equipment that crossed a geofence.' })
export class TriggeringEquipment {
  @Field(() => ID) id!: string;
  @Field() name!: string;
  @Field(() => String, optional) externalId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The order that was hauled.' })
export class TriggeringOrder {
  @Field(() => ID) id!: string;
  @Field({ description: 'Friendly number.' }) orderId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The job that was hauled.' })
export class TriggeringJob {
  @Field(() => ID) id!: string;
  @Field({ description: 'Friendly number.' }) jobId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The position with which a geofence was entered or left.' })
export class TriggeringLocation {
  @Field(() => ID) id!: string;
  @Field(() => TriggeringDriver, optional) driver?: TriggeringDriver | null;
  @Field(() => TriggeringEquipment, optional) equipment?: TriggeringEquipment | null;
  @Field(() => TriggeringOrder, optional) order?: TriggeringOrder | null;
  @Field(() => TriggeringJob, optional) job?: TriggeringJob | null;
  @Field(() => DecimalScalar) lat!: Decimal | string;
  @Field(() => DecimalScalar) lon!: Decimal | string;
  @Field(() => DateTime) occurredAt!: Date | string;
}

@ObjectType({ simpleResolvers: true, description: 'The area of a geofence, as it is stored or was sent.' })
export class TriggeredShape {
  @Field(() => ID, optional) id?: string | null;
  @Field() name!: string;
  @Field(() => GeofenceType) type!: GeofenceType;
  @Field(() => Json, optional) geojson?: unknown;
  @Field(() => LatLon, optional) circleCenter?: LatLon | null;
  @Field(() => DecimalScalar, optional) circleRadius?: number | null;
  @Field(() => GeofenceAreaTag, optional) tag?: GeofenceAreaTag | null;
}

@ObjectType({ simpleResolvers: true, description: 'A geofence that was entered or left, as it is stored or was sent.' })
export class TriggeredGeofence {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => TriggeredShape, optional) geofence?: TriggeredShape | null;
  @Field(() => Boolean) movingGeofence!: boolean;
  @Field(() => GeofenceTag, optional) tag?: GeofenceTag | null;
  @Field(() => GeofenceType, optional) geofenceType?: GeofenceType | null;
}

/** An entry or exit that was worked out, or is stored. */
@ObjectType({ simpleResolvers: true, description: 'An entry into a geofence or an exit from it, as it was worked out.' })
export class FoundGeofenceTrigger {
  @Field(() => GeofenceTriggerType, { description: 'Whether it was entered or left.' }) geofenceTriggerType!: GeofenceTriggerType;
  @Field(() => TriggeringLocation, { description: 'The first position on that side.' }) triggeredLocation!: TriggeringLocation;
  @Field(() => TriggeredGeofence) geofence!: TriggeredGeofence;
  @Field(() => DateTime, { description: 'When it was certain.' }) confirmedAt!: Date | string;
  @Field(() => DecimalScalar, { description: 'How certain it is, from 0 to 1.' }) confidence!: number;
}

/** A geofence as answers have it. */
export const answeredFence = ({ id, shape, moving, tag, geofenceType }: FenceRow): TriggeredGeofence => ({
  id,
  geofence: shape,
  movingGeofence: moving,
  tag,
  geofenceType,
});
