import { JobLocationsResolver } from './job-locations.resolver.ts';
import { locationHistoryAccess } from './location-history.access.ts';
import { LocationHistory } from './location-history.entity.ts';
import { PositionResolver } from './position.resolver.ts';

/** The entities of the room. */
export const entities = [LocationHistory];

/** Who sees the room's records: one access for each entity. */
export const access = [locationHistoryAccess];

/** The fields of the room's interface. */
export const resolvers: Function[] = [PositionResolver, JobLocationsResolver];
