import { travelledDistanceAccess } from './distances/travelled-distance.access.ts';
import { TravelledDistance } from './distances/travelled-distance.entity.ts';
import { TravelledDistanceResolver } from './distances/travelled-distance.resolver.ts';
import { FENCES } from './fences/fence-purpose.ts';
import { fenceMessages } from './fences/fences.messages.ts';
import { FenceResolver, GeofenceTriggerMutations } from './fences/fences.resolver.ts';
import { geofenceTriggerAccess } from './fences/geofence-trigger.access.ts';
import { GeofenceTrigger, geofenceTriggerSorts } from './fences/geofence-trigger.entity.ts';
import { JobLocationsResolver } from './positions/job-locations.resolver.ts';
import { LatestLocationsResolver } from './positions/latest-locations.resolver.ts';
import { locationHistoryAccess } from './positions/location-history.access.ts';
import { LocationHistory, locationHistorySorts } from './positions/location-history.entity.ts';
import { positionMessages } from './positions/position.messages.ts';
import { PositionResolver } from './positions/position.resolver.ts';
import { POSITION_TASKS } from './positions/position-tasks.ts';

/** The entities of the room. */
export const entities = [TravelledDistance, LocationHistory, GeofenceTrigger];

/** Who sees the room's records: one access for each entity. */
export const access = [travelledDistanceAccess, locationHistoryAccess, geofenceTriggerAccess];

/** The filters, sorts and searches of the room's lists. */
export const lists = [locationHistorySorts, geofenceTriggerSorts];

/** Tasks across companies. */
export const purposes = [POSITION_TASKS, FENCES];

/** The room's messages. */
export const messages = [positionMessages, fenceMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  LatestLocationsResolver,
  TravelledDistanceResolver,
  PositionResolver,
  JobLocationsResolver,
  FenceResolver,
  ...GeofenceTriggerMutations,
];
