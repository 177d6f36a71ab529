import { JobLocationsResolver } from './positions/job-locations.resolver.ts';
import { locationHistoryAccess } from './positions/location-history.access.ts';
import { LocationHistory, locationHistorySorts } from './positions/location-history.entity.ts';
import { positionMessages } from './positions/position.messages.ts';
import { PositionResolver } from './positions/position.resolver.ts';
import { POSITION_TASKS } from './positions/position-tasks.ts';

/** The entities of the room. */
export const entities = [LocationHistory];

/** Who sees the room's records: one access for each entity. */
export const access = [locationHistoryAccess];

/** The filters, sorts and searches of the room's lists. */
export const lists = [locationHistorySorts];

/** Tasks across companies. */
export const purposes = [POSITION_TASKS];

/** The room's messages. */
export const messages = [positionMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [PositionResolver, JobLocationsResolver];
