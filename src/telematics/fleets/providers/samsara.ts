import { type Answer, authorizationOf, jsonOf, objectsOf, ProviderError } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { addPosition, fromMilesPerHour, numberOf, textOf } from './fields.ts';
import { emptyPage, type FleetCall, type FleetConnection, type FleetProvider, type RemoteVehicle } from './provider.ts';

/** Pages of vehicles that are read at most, of 512 each. */
const MOST_PAGES = 40;

/** Samsara: `GET /fleet/vehicles/stats/feed`, with a cursor that goes on where the last answer ended. */
export const samsara: FleetProvider = {
  server: 'https://api.samsara.com',
  requires: ['token'],
  // The provider wants at least five seconds between two polls.
  seconds: { least: 5, usual: 15 },

  async read(connection, cursor, call) {
    const answer = await ask(connection, call, '/fleet/vehicles/stats/feed', { types: 'gps', after: cursor });
    const page = emptyPage();
    for (const vehicle of objectsOf(answer.data)) {
      const key = textOf(vehicle.id);
      if (!key) continue;
      page.vehicles.push({ key, name: textOf(vehicle.name) });
      for (const gps of [vehicle.gps].flat().filter(isObject)) {
        const speed = fromMilesPerHour(numberOf(gps.speedMilesPerHour));
        addPosition(page, { key, time: gps.time, lat: gps.latitude, lon: gps.longitude, speed, bearing: gps.headingDegrees });
      }
    }
    const { endCursor, hasNextPage } = paging(answer);
    return { ...page, cursor: endCursor ?? cursor, more: hasNextPage && endCursor !== null && endCursor !== cursor };
  },

  async vehicles(connection, call) {
    const vehicles: RemoteVehicle[] = [];
    let after: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const answer = await ask(connection, call, '/fleet/vehicles', { limit: '512', after });
      vehicles.push(...objectsOf(answer.data).flatMap(vehicleOf));
      const { endCursor, hasNextPage } = paging(answer);
      if (!hasNextPage || !endCursor || endCursor === after) break;
      after = endCursor;
    }
    return vehicles;
  },
};

async function ask(connection: FleetConnection, call: FleetCall, path: string, query: Record<string, string | null>): Promise<Answer> {
  const url = new URL(connection.server + path);
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value);
  const answer = await jsonOf(
    await call.fetch(url, { headers: { Accept: 'application/json', ...authorizationOf(connection.credentials) } }),
  );
  if (!isObject(answer) || !Array.isArray(answer.data)) throw new ProviderError('the answer of the provider has no data');
  return answer;
}

function paging(answer: Answer): { endCursor: string | null; hasNextPage: boolean } {
  const given = isObject(answer.pagination) ? answer.pagination : {};
  return {
    endCursor: typeof given.endCursor === 'string' && given.endCursor ? given.endCursor : null,
    hasNextPage: given.hasNextPage === true,
  };
}

function vehicleOf(vehicle: Answer): RemoteVehicle[] {
  const key = textOf(vehicle.id);
  if (!key) return [];
  const model = [textOf(vehicle.make), textOf(vehicle.model)].filter(Boolean).join(' ') || null;
  return [{ key, name: textOf(vehicle.name), model, licensePlate: textOf(vehicle.licensePlate), vin: textOf(vehicle.vin) }];
}
