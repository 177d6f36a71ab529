import { Field, ID, InputType, Int } from 'type-graphql';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Length, OneOf, Range } from '../../platform/graphql/rules.ts';
import { Json } from '../../platform/scalars.ts';
import { GeofenceAreaTag, GeofenceTag, GeofenceType } from './geofence.entity.ts';

const optional = { nullable: true };
/** Metres of the narrowest circle, and of the widest. */
export const NARROWEST = 1;
export const WIDEST = 20_000;

@InputType()
class GeoJsonInput {
  @Field(() => String) @OneOf(['Polygon']) type!: string;
  @Field(() => Json, { description: 'One closed ring of [longitude, latitude] corners (RFC 7946) that does not cross itself.' })
  coordinates!: unknown;
}

@InputType()
class CircleCenterInput {
  @Field(() => DecimalScalar) @Range(-90, 90) lat!: Decimal;
  @Field(() => DecimalScalar) @Range(-180, 180) lon!: Decimal;
}

@InputType()
export class GeofenceInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => String, { nullable: true, description: "By default, the site's name." }) @Length(1, 255) name?: string | null;
  @Field(() => String, { nullable: true, description: '`circle` or `polygon`; by default, the shape that was sent.' })
  @OneOf(['circle', 'polygon'])
  type?: 'circle' | 'polygon' | null;
  @Field(() => GeoJsonInput, optional) geojson?: GeoJsonInput | null;
  @Field(() => CircleCenterInput, { nullable: true, description: "By default, the site's coordinates." })
  circleCenter?: CircleCenterInput | null;
  @Field(() => DecimalScalar, { nullable: true, description: "In metres; by default, the company's `site_radius`." })
  @Range(NARROWEST, WIDEST)
  circleRadius?: Decimal | null;
  @Field(() => String, optional)
  @OneOf(Object.keys(GeofenceAreaTag))
  tag?: GeofenceAreaTag | null;
}

/** A geofence of a site; with an `id` the one to change. */
@InputType()
export class RoutingGeofenceInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => GeofenceInput, optional) geofence?: GeofenceInput | null;
  @Field(() => Boolean, { nullable: true, description: "True if it follows the equipment of the site's `moving_site`." })
  movingGeofence?: boolean | null;
  @Field(() => GeofenceTag, { nullable: true, description: 'The activity inside the geofence; by default, `site`.' })
  tag?: GeofenceTag | null;
  @Field(() => GeofenceType, { nullable: true, description: 'By default derived from the shape of the geofence.' })
  geofenceType?: GeofenceType | null;
  /** 1 removes it. */
  @Field(() => Int, optional) _destroy?: number | null;
}

/** Which truck a moving site follows. */
@InputType()
export class MovingSiteInput {
  @Field(() => ID, optional) id?: string | null;
  @Field(() => ID, optional) equipmentId?: string | null;
  @Field(() => Int, { nullable: true, description: '10 to 86400; by default, 60.' }) @Range(10, 86_400) pollingIntervalSeconds?:
    | number
    | null;
  /** 1 removes it. */
  @Field(() => Int, optional) _destroy?: number | null;
}
