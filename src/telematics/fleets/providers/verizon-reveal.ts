import { type Answer, basic, bodyOf, jsonOf, objectsOf, ProviderError } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { readXml, XmlError } from '../../../platform/xml.ts';
import { addPosition, fromKilometresPerHour, fromMilesPerHour, numberOf, textOf } from './fields.ts';
import { emptyPage, type FleetCall, type FleetConnection, type FleetPage, type FleetProvider, type RemoteVehicle } from './provider.ts';

/** Vehicles of one page: each is a request. */
const MOST_VEHICLES = 25;

/**
 * Verizon Connect Reveal. It sends positions to us (`readPushed`); with credentials, each vehicle is asked as well. The cursor is the number of
 * vehicles that were asked, and null before the first one.
 */
export const verizonReveal: FleetProvider = {
  server: 'https://fim.api.us.fleetmatics.com',
  requires: ['account', 'username', 'password'],
  pushes: true,
  seconds: { least: 60, usual: 120 },

  async read(connection, cursor, call) {
    call.listed ??= await listVehicles(connection, call);
    const vehicles = call.listed;
    const from = Number(cursor ?? 0);
    const page = emptyPage();
    page.vehicles = vehicles.slice(from, from + MOST_VEHICLES);
    for (const { key } of page.vehicles) {
      const answer = await ask(connection, call, `/rad/v1/vehicles/${encodeURIComponent(key)}/location`);
      if (isObject(answer)) addMessage(page, { ...answer, VehicleNumber: key });
    }
    const more = from + MOST_VEHICLES < vehicles.length;
    return { ...page, cursor: more ? String(from + MOST_VEHICLES) : null, more };
  },
};

async function listVehicles(connection: FleetConnection, call: FleetCall): Promise<RemoteVehicle[]> {
  const answer = await ask(connection, call, '/cmd/v1/vehicles');
  if (!Array.isArray(answer)) throw new ProviderError('the answer of the provider is no list of vehicles');
  const vehicles = objectsOf(answer).flatMap((one): RemoteVehicle[] => {
    const vehicle = isObject(one.Vehicle) ? one.Vehicle : one;
    const key = textOf(vehicle.VehicleNumber);
    const model = [textOf(vehicle.Make), textOf(vehicle.Model)].filter(Boolean).join(' ') || null;
    return key
      ? [{ key, name: textOf(vehicle.Name) ?? key, model, licensePlate: textOf(vehicle.PlateNumber), vin: textOf(vehicle.VIN) }]
      : [];
  });
  return vehicles.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Asks with the token of a log-in. One that has ended is renewed once. */
async function ask(connection: FleetConnection, call: FleetCall, path: string): Promise<unknown> {
  const known = call.session.value;
  try {
    return await withToken(known ?? (await logIn(connection, call)));
  } catch (error) {
    if (!(error instanceof ProviderError && error.refused && known)) throw error;
    call.session.value = undefined;
    return withToken(await logIn(connection, call));
  }

  async function withToken(token: string): Promise<unknown> {
    const headers = { Accept: 'application/json', Authorization: `Atmosphere atmosphere_app_id=${connection.account}, Bearer ${token}` };
    const response = await call.fetch(connection.server + path, { headers });
    // A vehicle without a position yet.
    return response.status === 204 || response.status === 404 ? undefined : jsonOf(response);
  }
}

async function logIn({ server, credentials }: FleetConnection, call: FleetCall): Promise<string> {
  const headers = { Authorization: basic(credentials.username ?? '', credentials.password ?? '') };
  const token = (await bodyOf(await call.fetch(`${server}/token`, { headers }))).trim();
  if (!/^[\w.~+/=-]{1,4000}$/.test(token)) throw new ProviderError('the provider does not log us in');
  call.session.value = token;
  return token;
}

/**
 * Reads what the provider sends: one position or a list in JSON, or `UnitMessage` elements in XML or JSON as its older feed has them.
 * @throws ProviderError for a text that is neither
 */
export function readPushed(text: string): FleetPage {
  const page = emptyPage();
  const keys = new Map<string, RemoteVehicle>();
  for (const message of messagesOf(text)) {
    const key = addMessage(page, message);
    const name = textOf(field(message, 'VehicleName', 'VehicleTag'));
    if (key) keys.set(key, { key, name });
  }
  page.vehicles = [...keys.values()];
  return page;
}

function addMessage(page: FleetPage, message: Answer): string | null {
  const key = textOf(field(message, 'VehicleNumber', 'UnitId', 'VehicleId'));
  const miles = numberOf(field(message, 'SpeedMph'));
  const speed = miles === null ? speedOf(message) : fromMilesPerHour(miles);
  const [time, bearing] = [field(message, 'UpdateUtc', 'UpdateUTC', 'Time', 'DateTimeUtc'), field(message, 'Heading', 'Direction')];
  addPosition(page, { key, time, lat: field(message, 'Latitude'), lon: field(message, 'Longitude'), speed, bearing: numberOf(bearing) });
  return key;
}

/** Miles an hour, unless the message says kilometres. */
function speedOf(message: Answer): number | null {
  const speed = numberOf(field(message, 'Speed'));
  return /^k/i.test(textOf(field(message, 'SpeedUnit')) ?? '') ? fromKilometresPerHour(speed) : fromMilesPerHour(speed);
}

/** The first of the fields that a message has, in whatever case. */
function field(message: Answer, ...names: string[]): unknown {
  const wanted = names.map((name) => name.toLowerCase());
  return Object.entries(message).find(([name]) => wanted.includes(name.toLowerCase()))?.[1];
}

function messagesOf(text: string): Answer[] {
  try {
    if (text.trimStart().startsWith('<')) {
      const root = readXml(text);
      const report: Answer = Object.values(root as Answer).find(isObject) ?? {};
      return [report.unitmessage ?? root.unitmessage].flat().filter(isObject);
    }
    const value: unknown = JSON.parse(text);
    const inner = isObject(value) ? (field(value, 'UnitMessage', 'DataFeedReport', 'data', 'events') ?? value) : value;
    if (isObject(value) || Array.isArray(value))
      return [isObject(inner) ? (field(inner, 'UnitMessage') ?? inner) : inner].flat().filter(isObject);
  } catch (error) {
    if (!(error instanceof XmlError || error instanceof SyntaxError)) throw error;
  }
  throw new ProviderError('positions are neither JSON nor XML');
}
