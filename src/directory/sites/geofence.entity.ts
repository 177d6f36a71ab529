import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Ref } from '@mikro-orm/postgresql';
import { Field, ObjectType } from 'type-graphql';
import { Audited } from '../../platform/commands/audit.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { Choice, Flag, One, RecordBase, stringEnum, Text, Uuid } from '../../platform/model/columns.ts';
import { Json } from '../../platform/scalars.ts';
import { Company } from '../companies/company.entity.ts';

export const GeofenceType = stringEnum('GeofenceType', ['moving', 'circle', 'polygon']);
export const GeofenceTag = stringEnum('GeofenceTag', ['site', 'loading', 'unloading', 'scaling', 'check_in', 'ticketing']);
export type GeofenceTag = keyof typeof GeofenceTag;
/** The use of the area of a geofence, in the words in which it was drawn (SPEC: Geofence). */
export const GeofenceAreaTag = stringEnum('GeofenceAreaTag', [
  'pickup',
  'loading',
  'drop_off',
  'unloading',
  'check_in',
  'scaling',
  'ticketing',
]);
export type GeofenceAreaTag = keyof typeof GeofenceAreaTag;
export type GeofenceType = keyof typeof GeofenceType;

@ObjectType({ simpleResolvers: true })
export class LatLon {
  @Field(() => DecimalScalar) lat!: number;
  @Field(() => DecimalScalar) lon!: number;
}

/** A geofence in WGS 84 degrees; radius in metres. */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class Geofence extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  @Text({ required: true }) name!: string;
  @Choice(() => GeofenceType, { required: true }) type: GeofenceType = 'circle';
  @Property({ type: 'jsonb', nullable: true })
  @Field(() => Json, { nullable: true })
  geojson?: { type: string; coordinates: unknown[] } | null;
  @Property({ type: 'jsonb', nullable: true })
  @Field(() => LatLon, { nullable: true })
  circleCenter?: { lat: number; lon: number } | null;
  @Property({ type: 'double', nullable: true })
  @Field(() => DecimalScalar, { nullable: true })
  circleRadius?: number | null;
  @Choice(() => GeofenceAreaTag) tag?: GeofenceAreaTag | null;
}

/** The geofence that shows arrival at and departure from a site. */
@Entity()
@Audited()
@ObjectType({ simpleResolvers: true })
export class RoutingGeofence extends RecordBase {
  @One(() => Company, { required: true, hidden: true }) company!: Ref<Company>;
  /** The site of which it is an additional geofence; the main geofence is named by the site. */
  @Uuid({ hidden: true }) siteId?: string | null;
  @One(() => Geofence) geofence?: Ref<Geofence> | null;
  @Flag({ required: true }) movingGeofence: boolean = false;
  @Choice(() => GeofenceTag) tag?: GeofenceTag | null;
  @Choice(() => GeofenceType) geofenceType?: GeofenceType | null;
}
