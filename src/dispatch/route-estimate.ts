import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { viewerOf } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { Range } from '../platform/graphql/rules.ts';

@InputType()
export class EstimateRouteInput {
  @Field(() => Float) @Range(-90, 90) pickupSiteLat!: number;
  @Field(() => Float) @Range(-180, 180) pickupSiteLon!: number;
  @Field(() => Float) @Range(-90, 90) dropOffSiteLat!: number;
  @Field(() => Float) @Range(-180, 180) dropOffSiteLon!: number;
}

@ObjectType({ simpleResolvers: true })
export class RouteEstimate {
  @Field(() => Int) pickupToDropOffTimeMinutes!: number;
  @Field(() => Int) pickupToDropOffDistanceMeters!: number;
}

const EARTH_METRES = 6_371_008.8;
/** Roads are longer than the line between two places: the usual factor of haulage planning. */
const DETOUR = 1.3;
/** Metres a minute of a loaded truck, stops and turns included: 60 km/h. */
const METRES_A_MINUTE = 1_000;

/** Distance and time between two places without a road network: the great circle times a road factor. Stores nothing. */
export function estimateRoute(ctx: Context, input: EstimateRouteInput): RouteEstimate {
  viewerOf(ctx);
  const metres = Math.round(greatCircle(input) * DETOUR);
  return { pickupToDropOffDistanceMeters: metres, pickupToDropOffTimeMinutes: Math.ceil(metres / METRES_A_MINUTE) };
}

function greatCircle({ pickupSiteLat, pickupSiteLon, dropOffSiteLat, dropOffSiteLon }: EstimateRouteInput): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (a: number, b: number) => Math.sin(radians(b - a) / 2) ** 2;
  const h =
    half(pickupSiteLat, dropOffSiteLat) +
    Math.cos(radians(pickupSiteLat)) * Math.cos(radians(dropOffSiteLat)) * half(pickupSiteLon, dropOffSiteLon);
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}
