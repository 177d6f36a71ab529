import { type Answer, authorizationOf, bodyOf, ProviderError, sameServer } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { readXml, XmlError } from '../../../platform/xml.ts';
import { addPosition, textOf } from './fields.ts';
import { emptyPage, type FleetPage, type FleetProvider } from './provider.ts';

/**
 * ISO 15143-3 (AEMP 2.0), as manufacturers of machines serve it, in XML or JSON: a snapshot of the fleet in pages. The cursor is the next
 * page of a snapshot, and null before its first one.
 */
export const iso15143: FleetProvider = {
  requires: [],
  either: [['token'], ['username', 'password']],
  // Servers answer each address once in 15 minutes.
  seconds: { least: 900, usual: 900 },

  async read(connection, cursor, call) {
    const url = cursor ?? firstPage(connection.server);
    const headers = { Accept: 'application/xml, application/json;q=0.9', ...authorizationOf(connection.credentials) };
    const fleet = fleetOf(await bodyOf(await call.fetch(url, { headers })));
    const page = emptyPage();
    for (const machine of listOf(fleet.equipment)) addMachine(page, machine);
    const named = linkOf(fleet, 'next');
    const next = named && sameServer(named, url);
    // Some manufacturers' last page leads to itself, and to the first of their only page.
    const more = next !== null && next !== url && next !== linkOf(fleet, 'self') && next !== firstPage(connection.server);
    return { ...page, cursor: more ? next : null, more };
  },
};

const firstPage = (server: string): string => (/\/Fleet(\/\d+)?$/i.test(server) ? server : `${server}/Fleet/1`);

function addMachine(page: FleetPage, machine: Answer): void {
  const header = isObject(machine.equipmentheader) ? machine.equipmentheader : {};
  const [oem, model, id, serial, pin] = ['oemname', 'model', 'equipmentid', 'serialnumber', 'pin'].map((name) => textOf(header[name]));
  const local = serial ?? id;
  const key = pin ?? (local && [oem, local].filter(Boolean).join(' '));
  if (!key) return;
  page.vehicles.push({ key, name: id ?? serial, model: [oem, model].filter(Boolean).join(' ') || null, vin: pin ?? serial });
  // A machine that never reported has none.
  if (!isObject(machine.location)) return;
  const { latitude: lat, longitude: lon, datetime: time } = machine.location;
  addPosition(page, { key, time, lat, lon, speed: null });
}

function linkOf(fleet: Answer, wanted: string): string | null {
  const link = listOf(fleet.links).find(({ rel }) => textOf(rel)?.toLowerCase() === wanted);
  return link ? textOf(link.href) : null;
}

const listOf = (value: unknown): Answer[] => [value].flat().filter(isObject);

/** The fleet of an answer, with the names of its fields in small letters. @throws ProviderError */
function fleetOf(text: string): Answer {
  try {
    const root = text.trimStart().startsWith('<') ? readXml(text) : lowered(JSON.parse(text));
    const fleet = isObject(root) && isObject(root.fleet) ? root.fleet : root;
    if (isObject(fleet) && ('equipment' in fleet || 'links' in fleet || fleet !== root)) return fleet;
  } catch (error) {
    if (!(error instanceof XmlError || error instanceof SyntaxError)) throw error;
  }
  throw new ProviderError('the answer of the provider is no fleet of ISO 15143-3');
}

/** The same value with the names of all fields in small letters. */
function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.replace(/^@/, '').toLowerCase(), lowered(one)]));
}
