import { Field, InputType, Int } from 'type-graphql';
import { RoutingGeofenceInput } from '../../directory/sites/geofence.inputs.ts';
import { AtMost, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import { DateTime } from '../../platform/scalars.ts';

/** Geofences of one calculation: each is measured against every position. */
const MOST_FENCES = 20;
/** Seconds of a day. */
const DAY = 86_400;

export const GeofenceTriggerStrategy = stringEnum(
  'GeofenceTriggerStrategy',
  ['historical', 'naive', 'accuracy_strict'],
  'Whether entries and exits are those that were stored, or worked out anew: from each position alone, or from accurate ones only.',
);
export type GeofenceTriggerStrategy = keyof typeof GeofenceTriggerStrategy;

@InputType({ description: 'The time and the geofences for which entries and exits are worked out.' })
@About('GeofenceTrigger')
export class CalculateTriggersInput {
  @Field(() => DateTime, { description: 'From when on positions are looked at.' }) startAt!: Date;
  @Field(() => DateTime, { description: 'Until when, at most seven days later.' }) endAt!: Date;
  @Field(() => [RoutingGeofenceInput], { description: 'Geofences by their shape, or known ones by their id.' })
  @AtMost(MOST_FENCES)
  geofences!: RoutingGeofenceInput[];
}

@InputType({ description: 'How entries and exits of a job are found.' })
@About('GeofenceTrigger')
export class CalculateJobTriggersInput {
  @Field(() => GeofenceTriggerStrategy, { nullable: true, description: 'By default `historical`: what was stored.' })
  strategy?: GeofenceTriggerStrategy | null;
  @Field(() => Int, {
    nullable: true,
    description: 'Seconds inside before a truck has entered, and outside before it has left; required unless `historical`.',
  })
  @Range(0, DAY)
  delaySeconds?: number | null;
  @Field(() => [RoutingGeofenceInput], { nullable: true, description: "By default the geofences of the job's sites." })
  @AtMost(MOST_FENCES)
  geofences?: RoutingGeofenceInput[] | null;
}
