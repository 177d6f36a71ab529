import { type Answer, authorizationOf, jsonOf, ProviderError, sameServer } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { addPosition, fromKilometresPerHour, fromMilesPerHour, numberOf, textOf } from './fields.ts';
import { emptyPage, type FleetProvider, type Mapping } from './provider.ts';

const SPEED = {
  meters_per_second: (speed: number | null) => speed,
  kilometers_per_hour: fromKilometresPerHour,
  miles_per_hour: fromMilesPerHour,
};

/**
 * Any source that lists positions in JSON, by a mapping. With `cursorParameter` the cursor goes on from poll to poll; otherwise each poll
 * begins anew, and goes on by the addresses of further pages.
 */
export const httpJson: FleetProvider = {
  requires: ['mapping'],
  seconds: { least: 10, usual: 60 },

  async read(connection, cursor, call) {
    const { server, mapping } = connection;
    if (!mapping) throw new ProviderError('the fleet has no mapping');
    const url = addressOf(server, mapping, cursor);
    const answer = await jsonOf(
      await call.fetch(url, { headers: { Accept: 'application/json', ...authorizationOf(connection.credentials) } }),
    );
    const items = mapping.items ? at(answer, mapping.items) : answer;
    if (!Array.isArray(items)) throw new ProviderError('the answer of the provider has no list where the mapping says');
    const page = emptyPage();
    const of = (item: Answer, path: string | null | undefined) => (path ? at(item, path) : undefined);
    for (const item of items.filter(isObject)) {
      const key = textOf(of(item, mapping.key));
      if (key) {
        const [name, model, licensePlate, vin] = (['name', 'model', 'licensePlate', 'vin'] as const).map((field) =>
          textOf(of(item, mapping[field])),
        );
        page.vehicles.push({ key, name, model, licensePlate, vin });
      }
      const speed = SPEED[mapping.speedUnit ?? 'meters_per_second'](numberOf(of(item, mapping.speed)));
      const [time, lat, lon] = [of(item, mapping.time), of(item, mapping.lat), of(item, mapping.lon)];
      addPosition(page, { key, time, lat, lon, speed, bearing: of(item, mapping.bearing) });
    }
    const next = mapping.next ? textLong(at(answer, mapping.next)) : null;
    if (mapping.cursorParameter) return { ...page, cursor: next ?? cursor, more: next !== null && next !== cursor && items.length > 0 };
    const follows = next === null ? null : sameServer(next, server);
    const more = follows !== null && follows !== url;
    return { ...page, cursor: more ? follows : null, more };
  },
};

function addressOf(server: string, { cursorParameter }: Mapping, cursor: string | null): string {
  if (cursor === null) return server;
  if (!cursorParameter) return cursor;
  const url = new URL(server);
  url.searchParams.set(cursorParameter, cursor);
  return url.href;
}

const textLong = (value: unknown): string | null =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : null;

/** Returns the value at `a.b.0.c` of an answer. */
const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (here, name) => (typeof here === 'object' && here !== null && Object.hasOwn(here, name) ? (here as Answer)[name] : undefined),
      value,
    );
