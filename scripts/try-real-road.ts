import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entities, published, registerRooms } from '../src/app/rooms.ts';
import { startEmbeddedPostgres } from '../src/platform/database/embedded.ts';
import { createOrm, migrate } from '../src/platform/database/orm.ts';
import { poolOf } from '../src/platform/database/sql.ts';
import { greatCircle, type RoutePoint } from '../src/platform/routing.ts';
import { closing, startProduct } from './bench/start.ts';
import { type Quarry, readRows, type ScaleLoad } from './real/files.ts';
import { haulsOf } from './real/hauls.ts';
import { reviewHauls } from './real/reviews.ts';
import { type Ping, visitsOf } from './real/visits.ts';
import { administratorOf, makeRoads, send } from './road/roads.ts';

/**
 * Real input: positions of a city's trucks through the positions endpoint, the country's quarries as geofences, and what the product says of
 * visits next to what a slow reference says; then loads of a city's scale as tickets of loads whose trucks crossed geofences, and what their
 * reviews find. `npm run try:real:road -- FOLDER` with `truck-positions.csv`, `aggregate-sites.csv` and `scale-loads.csv`
 */
const folder = process.argv[2];
if (!folder) {
  process.stderr.write('usage: npm run try:real:road -- FOLDER_WITH_CSV_FILES\n');
  process.exit(2);
}

/** Metres of each geofence. The trucks salt streets, and none of them stops for long. */
const RADIUS = 1_000;
/** For which all trucks are on duty before now: longer than the eight hours of the scale, and not so long that a shift counts as forgotten. */
const MINUTES = 11 * 60;
/** The most geofences of one calculation. */
const FENCES = 20;

interface Row {
  asset: string;
  time: string;
  lat: string;
  lon: string;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const placeOf = ({ lat, lon }: { lat: string; lon: string }): RoutePoint => ({ lat: Number(lat), lon: Number(lon) });
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

async function main(): Promise<boolean> {
  const rows = readRows<Row>(folder!, 'truck-positions.csv');
  // Several operations are at the same pit; one of each square kilometre or so is enough.
  const located = readRows<Quarry>(folder!, 'aggregate-sites.csv').filter(({ lat }) => lat !== '');
  const quarries = [...new Map(located.map((one) => [`${Number(one.lat).toFixed(2)} ${Number(one.lon).toFixed(2)}`, one])).values()];
  const center = { lat: mean(rows.map(({ lat }) => Number(lat))), lon: mean(rows.map(({ lon }) => Number(lon))) };
  const nearest = Math.min(...quarries.map((one) => greatCircle(placeOf(one), center)));
  // No quarry of the list is in the city: the trucks keep their ways and times of day, and are moved to where quarries are.
  const around = (place: RoutePoint) =>
    quarries
      .map((one) => ({ one, metres: greatCircle(placeOf(one), place) }))
      .sort((a, b) => a.metres - b.metres)
      .slice(0, FENCES);
  const there = quarries.map(placeOf).reduce((best, place) => (around(place).at(-1)!.metres < around(best).at(-1)!.metres ? place : best));
  const fences = around(there).map(({ one }) => one);
  const wider = Math.cos((center.lat * Math.PI) / 180) / Math.cos((there.lat * Math.PI) / 180);
  const later = Date.now() - 60_000 - Math.max(...rows.map(({ time }) => Date.parse(time)));
  const ways = Map.groupBy(rows, ({ asset }) => asset);
  say(
    `${rows.length} positions of ${ways.size} trucks; the nearest quarry is ${Math.round(nearest / 1000)} km from the middle of the city, so they are moved to ${fences.length} quarries`,
  );

  const data = mkdtempSync(join(tmpdir(), 'haulgate-real-road-'));
  closing.push(() => rmSync(data, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({ dataDir: data });
  closing.push(() => postgres.stop());
  registerRooms();
  const orm = await createOrm({ url: postgres.url, entities });
  closing.push(() => orm.close(true));
  await migrate(orm, published);
  const { url } = await startProduct(postgres.url, data, 'all');
  const hauls = haulsOf(readRows<ScaleLoad>(folder!, 'scale-loads.csv'));
  const trucks = await makeRoads(orm, new URL(url!).origin, ways.size + hauls.length, MINUTES);
  const pings = [...ways.values()].map((way) =>
    way.map((row): Ping => {
      const { lat, lon } = placeOf(row);
      return { at: Date.parse(row.time) + later, lat: there.lat + lat - center.lat, lon: there.lon + (lon - center.lon) * wider };
    }),
  );
  for (const [i, way] of pings.entries()) {
    const locations = way.map(({ at, lat, lon }) => ({
      occurred_at: new Date(at).toISOString(),
      lat: lat.toFixed(9),
      lon: lon.toFixed(9),
      job_id: null,
    }));
    // As they are in the file, which is out of order, and twice.
    for (let times = 0; times < 2; times++)
      if ((await send(url!, trucks[i]!, locations)) !== 204) throw new Error('positions were refused');
  }
  const office = await administratorOf(orm);
  const shapes = fences.map((one) => ({
    geofence: { name: one.mine_id, type: 'circle', circle_center: placeOf(one), circle_radius: RADIUS },
  }));
  const times = pings.flat().map(({ at }) => at);
  const response = await fetch(`${url}/v1/companies/${office.companyId}/drivers/geofence_triggers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ start_at: new Date(Math.min(...times)), end_at: new Date(Math.max(...times) + 1), geofences: shapes }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { data: found } = (await response.json()) as {
    data: {
      geofence_trigger_type: string;
      triggered_location: { driver: { id: string }; occurred_at: string };
      geofence: { geofence: { name: string } };
    }[];
  };
  let [agree, visits] = [0, 0];
  for (const [i, asset] of [...ways.keys()].entries()) {
    const product = found
      .filter((one) => one.triggered_location.driver.id === trucks[i]!.driverId)
      .map(
        (one) => `${one.geofence.geofence.name} ${one.geofence_trigger_type} ${new Date(one.triggered_location.occurred_at).toISOString()}`,
      );
    const reference = fences.flatMap((one) =>
      visitsOf(pings[i]!, placeOf(one), RADIUS, office.delaySeconds).map(
        ({ type, at }) => `${one.mine_id} ${type} ${new Date(at).toISOString()}`,
      ),
    );
    const same = product.toSorted().join() === reference.toSorted().join();
    if (same) agree++;
    visits += product.filter((one) => one.includes(' enter ')).length;
    if (product.length > 0 || !same)
      say(
        `${asset}: ${product.filter((one) => one.includes(' enter ')).length} visits${same ? '' : `, DIFFERENT from the reference:\n  ${product.join(', ')}\n  ${reference.join(', ')}`}`,
      );
  }
  say(`${visits} visits; ${agree} of ${ways.size} trucks agree with the reference`);
  const reviewed = await reviewHauls({ url: url!, office, pool: await poolOf(orm.em), trucks: trucks.slice(ways.size), hauls, say });
  return agree === ways.size && reviewed;
}

let agreed = false;
try {
  agreed = await main();
} finally {
  for (const close of closing.reverse()) await close();
}
process.exit(agreed ? 0 : 1);
