import { travelledDistanceAccess } from './distances/travelled-distance.access.ts';
import { TravelledDistance } from './distances/travelled-distance.entity.ts';
import { TravelledDistanceResolver } from './distances/travelled-distance.resolver.ts';
import { EtaResolver } from './eta/eta.resolver.ts';
import { FENCES } from './fences/fence-purpose.ts';
import { fenceMessages } from './fences/fences.messages.ts';
import { FenceResolver, GeofenceTriggerMutations } from './fences/fences.resolver.ts';
import { geofenceTriggerAccess } from './fences/geofence-trigger.access.ts';
import { GeofenceTrigger, geofenceTriggerSorts } from './fences/geofence-trigger.entity.ts';
import { fleetMessages } from './fleets/fleet.messages.ts';
import {
  TelematicsFleetMutations,
  TelematicsFleetResolver,
  TelematicsRemoteVehicleMutations,
  telematicsFleetExtension,
} from './fleets/fleet.resolver.ts';
import { FLEETS } from './fleets/fleet-purpose.ts';
import { TELEMATICS_SECRETS, telematicsSecretReserved } from './fleets/fleet-secrets.ts';
import { failingFleetMails } from './fleets/fleet-worker.ts';
import { remoteVehicleEquipmentKey, remoteVehicleSearch, TelematicsRemoteVehicle } from './fleets/remote-vehicle.entity.ts';
import { TelematicsFleet } from './fleets/telematics-fleet.entity.ts';
import { JobLocationsResolver } from './positions/job-locations.resolver.ts';
import { LatestLocationsResolver } from './positions/latest-locations.resolver.ts';
import { locationHistoryAccess } from './positions/location-history.access.ts';
import { LocationHistory, locationHistoryFilters, locationHistorySorts } from './positions/location-history.entity.ts';
import { positionMessages } from './positions/position.messages.ts';
import { PositionResolver } from './positions/position.resolver.ts';
import { POSITION_TASKS } from './positions/position-tasks.ts';
import { RETENTION } from './positions/retention.ts';
import { matchesOfTickets, TICKET_MATCHES } from './ticket-matches/match-tasks.ts';

/** The entities of the room. */
export const entities = [TravelledDistance, LocationHistory, GeofenceTrigger, TelematicsFleet, TelematicsRemoteVehicle];

/** The accesses to the room's records: one for each entity. */
export const access = [travelledDistanceAccess, locationHistoryAccess, geofenceTriggerAccess];

/** The filters, sorts and searches of the room's lists. */
export const lists = [locationHistoryFilters, locationHistorySorts, geofenceTriggerSorts, remoteVehicleSearch];

/** The fields that unique rules and checks of the database are about. */
export const constraints = [remoteVehicleEquipmentKey];

/** The fields that the room adds to its entities by resolvers. */
export const extensions = [telematicsFleetExtension];

/** Tasks across companies. */
export const purposes = [POSITION_TASKS, RETENTION, FENCES, TELEMATICS_SECRETS, telematicsSecretReserved, FLEETS, TICKET_MATCHES];

/** The consequences of changes of lower rooms, in the same transaction. */
export const consequences = [matchesOfTickets];

/** The composers of the mails of the room. */
export const composers = [failingFleetMails];

/** The room's messages. */
export const messages = [positionMessages, fenceMessages, fleetMessages];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  LatestLocationsResolver,
  TravelledDistanceResolver,
  PositionResolver,
  EtaResolver,
  JobLocationsResolver,
  FenceResolver,
  ...GeofenceTriggerMutations,
  TelematicsFleetResolver,
  ...TelematicsFleetMutations,
  ...TelematicsRemoteVehicleMutations,
];
