import { Field, ObjectType } from 'type-graphql';
import { stringEnum } from '../../platform/model/columns.ts';
import { DateTime } from '../../platform/scalars.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';

export const GpsState = stringEnum('GpsState', ['online', 'offline', 'idle', 'no_signal']);
export type GpsState = keyof typeof GpsState;

const MINUTE = 60_000;

/** Whether a driver's telephone is heard from. Thresholds: DOMAIN section 4. */
@ObjectType({ simpleResolvers: true })
export class GpsStatus {
  @Field(() => GpsState) status!: GpsState;
  @Field(() => DateTime, { nullable: true }) lastPingAt!: string | null;

  /**
   * @param lastPingAt ISO 8601 instant of the newest position, null when there was none.
   * @param stillSince since when they have not moved without a job, null when they move.
   */
  static of(lastPingAt: string | null, stillSince: string | null = null, now = presentTime().getTime()): GpsStatus {
    const age = lastPingAt === null ? Number.POSITIVE_INFINITY : now - Date.parse(lastPingAt);
    const idle = stillSince !== null && now - Date.parse(stillSince) >= 10 * MINUTE;
    const status = age > 24 * 60 * MINUTE ? 'no_signal' : age > 5 * MINUTE ? 'offline' : idle ? 'idle' : 'online';
    return { status, lastPingAt };
  }
}
