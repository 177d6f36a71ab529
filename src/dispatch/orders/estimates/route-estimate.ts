import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { provided } from '../../../platform/application.ts';
import { viewerOf } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { type Decimal, DecimalScalar } from '../../../platform/decimal.ts';
import { Range } from '../../../platform/graphql/rules.ts';
import { About } from '../../../platform/model/about.ts';
import { stringEnum } from '../../../platform/model/columns.ts';
import { type Drive, greatCircle, type RoutePoint, type Router } from '../../../platform/routing.ts';

@InputType()
@About('RouteEstimate')
export class EstimateRouteInput {
  @Field(() => DecimalScalar) @Range(-90, 90) pickupSiteLat!: Decimal;
  @Field(() => DecimalScalar) @Range(-180, 180) pickupSiteLon!: Decimal;
  @Field(() => DecimalScalar) @Range(-90, 90) dropOffSiteLat!: Decimal;
  @Field(() => DecimalScalar) @Range(-180, 180) dropOffSiteLon!: Decimal;
}

export const RouteEstimateSource = stringEnum('RouteEstimateSource', ['roads', 'great_circle']);
export type RouteEstimateSource = keyof typeof RouteEstimateSource;

@ObjectType({ simpleResolvers: true })
export class RouteEstimate {
  @Field(() => Int) pickupToDropOffTimeMinutes!: number;
  @Field(() => Int) pickupToDropOffDistanceMeters!: number;
  @Field(() => RouteEstimateSource, {
    description:
      '`great_circle` is a straight line times a road factor. It is used if no routing service is configured, if the service does not answer, or if it knows no road.',
  })
  source!: RouteEstimateSource;
}

export interface Routing {
  /** Undefined without a routing service. */
  router?: Router;
  onFailure?: (error: unknown) => void;
}

/** Roads are longer than the straight line between two places by this factor, which is usual in haulage planning. */
const DETOUR = 1.3;
/** Metres a minute of a loaded truck, stops and turns included: 60 km/h. */
const METRES_A_MINUTE = 1_000;

/** The routing service of the application. */
export const routing = provided<Routing>('routing');

/**
 * Returns the distance and time between two places for a loaded truck. They come from the routing service if one is configured, otherwise
 * from the great circle times a road factor. Nothing is stored, and the service is called outside of any transaction.
 */
export async function estimateRoute(ctx: Context, input: EstimateRouteInput): Promise<RouteEstimate> {
  viewerOf(ctx);
  const { from, to } = placesOf(input);
  const { metres, seconds, source } = await roadBetween(ctx, from, to);
  return { pickupToDropOffDistanceMeters: Math.round(metres), pickupToDropOffTimeMinutes: Math.ceil(seconds / 60), source };
}

/** Returns how far a loaded truck drives between two places, and for how long, as `estimateRoute` does. */
export async function roadBetween(ctx: Context, from: RoutePoint, to: RoutePoint): Promise<Drive & { source: RouteEstimateSource }> {
  const drive = await onRoads(routing.of(ctx.em), { from, to });
  if (drive) return { ...drive, source: 'roads' };
  const metres = Math.round(greatCircle(from, to) * DETOUR);
  return { metres, seconds: (metres * 60) / METRES_A_MINUTE, source: 'great_circle' };
}

interface Places {
  from: RoutePoint;
  to: RoutePoint;
}

const placesOf = ({ pickupSiteLat, pickupSiteLon, dropOffSiteLat, dropOffSiteLon }: EstimateRouteInput): Places => ({
  from: { lat: Number(pickupSiteLat), lon: Number(pickupSiteLon) },
  to: { lat: Number(dropOffSiteLat), lon: Number(dropOffSiteLon) },
});

/** Returns undefined if the service fails, because a rough estimate is better than none. The failure is logged for the operator. */
async function onRoads({ router, onFailure }: Routing, { from, to }: Places): Promise<Drive | undefined> {
  try {
    return await router?.drive(from, to);
  } catch (error) {
    onFailure?.(error);
    return undefined;
  }
}
