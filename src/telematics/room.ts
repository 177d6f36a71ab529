import { JobLocationsResolver } from './job-locations.resolver.ts';
import { LocationHistory } from './location-history.entity.ts';
import { PositionResolver } from './position.resolver.ts';
import './partner-fields.ts';

/** The entities of the room. */
export const entities = [LocationHistory];

/** The fields of the room's interface. */
export const resolvers: Function[] = [PositionResolver, JobLocationsResolver];
