import { type Answer, jsonOf, objectsOf, ProviderError } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { addPosition, fromKilometresPerHour, numberOf, textOf } from './fields.ts';
import { emptyPage, type FleetCall, type FleetConnection, type FleetProvider, type RemoteVehicle } from './provider.ts';

/** Rows of one answer; the provider allows 50,000, which would be longer than what we read. */
const MOST_ROWS = 5_000;
/** The error of the provider for credentials and sessions that it does not know. */
const UNKNOWN_USER = 'InvalidUserException';

/** Geotab: JSON-RPC with a session, `GetFeed` of log records, which have neither bearing nor accuracy. */
export const geotab: FleetProvider = {
  server: 'https://my.geotab.com',
  requires: ['account', 'username', 'password'],
  seconds: { least: 10, usual: 30 },

  async read(connection, cursor, call) {
    // Without a version the feed would begin with the first record that the provider has.
    const from = cursor ? { fromVersion: cursor } : { search: { fromDate: call.now.toISOString() } };
    const result = await ask(connection, call, 'GetFeed', { typeName: 'LogRecord', resultsLimit: MOST_ROWS, ...from });
    if (!isObject(result) || !Array.isArray(result.data)) throw new ProviderError('the answer of the provider has no data');
    const page = emptyPage();
    const seen = new Set<string>();
    for (const record of objectsOf(result.data)) {
      const key = textOf(isObject(record.device) ? record.device.id : record.device);
      if (key) seen.add(key);
      const speed = fromKilometresPerHour(numberOf(record.speed));
      addPosition(page, { key, time: record.dateTime, lat: record.latitude, lon: record.longitude, speed });
    }
    const version = textOf(result.toVersion) ?? cursor;
    page.vehicles = [...seen].map((key) => ({ key }));
    return { ...page, cursor: version, more: result.data.length >= MOST_ROWS && version !== cursor };
  },

  async vehicles(connection, call) {
    const result = await ask(connection, call, 'Get', { typeName: 'Device', resultsLimit: MOST_ROWS });
    return objectsOf(result).flatMap(vehicleOf);
  },
};

function vehicleOf(device: Answer): RemoteVehicle[] {
  const key = textOf(device.id);
  if (!key) return [];
  const vin = textOf(device.vehicleIdentificationNumber);
  return [
    {
      key,
      name: textOf(device.name),
      licensePlate: textOf(device.licensePlate),
      vin: vin?.startsWith('@') ? null : vin,
      model: textOf(device.deviceType),
    },
  ];
}

interface Session {
  /** Where the provider wants to be asked from now on. */
  server: string;
  credentials: Answer;
}

/** Calls a method with the session. One that has ended is renewed once: the provider locks out who logs in again and again. */
async function ask(connection: FleetConnection, call: FleetCall, method: string, params: Answer): Promise<unknown> {
  const known = call.session.value;
  try {
    return await withSession(known ? (JSON.parse(known) as Session) : await logIn(connection, call));
  } catch (error) {
    if (!(error instanceof ProviderError && error.refused && known)) throw error;
    call.session.value = undefined;
    return withSession(await logIn(connection, call));
  }

  function withSession({ server, credentials }: Session): Promise<unknown> {
    return post(call, server, method, { ...params, credentials });
  }
}

async function logIn(connection: FleetConnection, call: FleetCall): Promise<Session> {
  const { username: userName, password } = connection.credentials;
  const result = await post(call, connection.server, 'Authenticate', { database: connection.account, userName, password });
  if (!isObject(result) || !isObject(result.credentials)) throw new ProviderError('the provider does not log us in');
  const session = { server: serverOf(connection.server, textOf(result.path)), credentials: result.credentials };
  call.session.value = JSON.stringify(session);
  return session;
}

/**
 * The server of a database, as the answer to a log-in names it. @throws ProviderError for one outside of the domain of the first server: it gets
 * the session
 */
function serverOf(first: string, path: string | null): string {
  if (!path || path === 'ThisServer') return first;
  const { protocol, hostname } = new URL(first);
  const named = URL.canParse(`${protocol}//${path}`) ? new URL(`${protocol}//${path}`) : undefined;
  const domain = hostname.slice(hostname.indexOf('.'));
  if (
    !named ||
    named.username ||
    named.pathname !== '/' ||
    !(named.hostname === hostname || (!/^[\d.]+$/.test(hostname) && named.hostname.endsWith(domain)))
  )
    throw new ProviderError('the provider leads to another server');
  return named.origin;
}

async function post(call: FleetCall, server: string, method: string, params: Answer): Promise<unknown> {
  const answer = await jsonOf(
    await call.fetch(`${server}/apiv1`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ method, params }),
    }),
  );
  if (!isObject(answer)) throw new ProviderError('the answer of the provider is no JSON object');
  if (isObject(answer.error)) {
    const name = textOf(objectsOf(answer.error.errors)[0]?.name) ?? textOf(answer.error.name) ?? 'an error';
    throw name === UNKNOWN_USER
      ? new ProviderError('the provider refuses the credentials', true)
      : new ProviderError(`the provider answers ${name}`);
  }
  return answer.result;
}
