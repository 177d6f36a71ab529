import type { Pool } from 'pg';
import { provided } from '../../platform/application.ts';
import type { Query } from '../../platform/database/sql.ts';
import { foldText } from '../../platform/fold.ts';
import type { Geocoder, Place } from '../../platform/geocoding.ts';

/** Addresses asked at a time. */
const SIDE_BY_SIDE = 4;
/** Milliseconds for all addresses of one batch; the others are geocoded with the next batch that names them. */
const LONGEST = 20_000;

/** Finds addresses; undefined: new sites with only an address stay unroutable. */
export const geocoder = provided<Geocoder | undefined>('geocoder');

const keyOf = (address: string): string => foldText(address.replace(/\s+/g, ' '));

/**
 * Looks addresses up and remembers the answers, for other companies too, because the place of an address is no secret. An answer "unknown"
 * is believed for a day. Never call it inside a transaction. A provider that fails leaves its addresses unknown; `report` gets the failure.
 */
export async function geocodeAll(
  finder: Geocoder,
  pool: Pool,
  addresses: readonly string[],
  report: (error: unknown) => void,
): Promise<void> {
  const asked = new Map(addresses.map((address) => [keyOf(address), address.trim()]));
  if (asked.size === 0) return;
  const { rows } = await pool.query<{ address: string }>(
    "select address from geocoded_address where address = any($1::text[]) and (lat is not null or asked_at > now() - interval '1 day')",
    [[...asked.keys()]],
  );
  for (const { address } of rows) asked.delete(address);
  const waiting = [...asked];
  const until = performance.now() + LONGEST;
  const work = async () => {
    for (let next = waiting.pop(); next && performance.now() < until; next = waiting.pop()) {
      const [key, address] = next;
      try {
        await remember(pool, key, await finder.find(address));
      } catch (error) {
        // An address that fails is looked up again with the next payload that names it; an outage is not waited out address by address.
        report(error);
        waiting.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
}

async function remember(pool: Pool, key: string, place: Place | undefined): Promise<void> {
  await pool.query(
    `insert into geocoded_address (address, lat, lon, asked_at) values ($1, $2, $3, now())
     on conflict (address) do update set lat = excluded.lat, lon = excluded.lon, asked_at = excluded.asked_at`,
    [key, place?.lat ?? null, place?.lon ?? null],
  );
}

/** Returns the places of addresses that were geocoded before, by address as it is written. */
export async function placesOf(query: Query, addresses: readonly string[]): Promise<(address: string) => Place | undefined> {
  if (addresses.length === 0) return () => undefined;
  const rows = await query<{ address: string; lat: string; lon: string }>(
    'select address, trim_scale(lat)::text as lat, trim_scale(lon)::text as lon from geocoded_address where address = any($1::text[]) and lat is not null',
    [[...new Set(addresses.map(keyOf))]],
  );
  const places = new Map(rows.map(({ address, lat, lon }) => [address, { lat, lon }]));
  return (address) => places.get(keyOf(address));
}
