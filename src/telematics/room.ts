import { JobLocationsResolver } from './job-locations.resolver.ts';
import { locationHistoryAccess } from './location-history.access.ts';
import { LocationHistory, locationHistorySorts } from './location-history.entity.ts';
import { positionMessages } from './position.messages.ts';
import { PositionResolver } from './position.resolver.ts';

/** The entities of the room. */
export const entities = [LocationHistory];

/** Who sees the room's records: one access for each entity. */
export const access = [locationHistoryAccess];

/** The filters, sorts and searches of the room's lists. */
export const lists = [locationHistorySorts];

/** The room's messages. */
export const messages = [positionMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [PositionResolver, JobLocationsResolver];
