import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'csv-parse/sync';
import { Decimal } from '../src/platform/decimal.ts';
import { boot, call, tokenOf } from './real/product.ts';

/**
 * Real input: turns city scale loads and quarry sites into order payloads, sends them twice, and compares the product's figures with sums
 * computed directly from the files. `npm run try:real -- FOLDER [--url http://... --client-id ... --client-secret ...]`
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, 'client-id': { type: 'string' }, 'client-secret': { type: 'string' } },
});
const folder = positionals[0];
if (!folder) {
  process.stderr.write('usage: npm run try:real -- FOLDER_WITH_CSV_FILES\n');
  process.exit(2);
}

interface ScaleLoad {
  report_date: string;
  load_type: string;
  load_time: string;
  load_weight: string;
  dropoff_site: string;
}
interface Quarry {
  mine_id: string;
  name: string;
  status: string;
  state: string;
  street: string;
  city: string;
  zip: string;
  lat: string;
  lon: string;
}

const POUNDS_PER_TON = 2000;
const read = <T>(file: string): T[] => parse(readFileSync(join(folder, file)), { columns: true, skip_empty_lines: true }) as T[];

/** Returns one order for each service day and drop-off site; every line of the scale counts once, including exact duplicates. */
function payloads(loads: ScaleLoad[], quarries: Quarry[]): Record<string, unknown>[] {
  const groups = Map.groupBy(loads, (load) => `${load.report_date}|${load.dropoff_site}`);
  return [...groups].map(([key, group], i) => {
    const [day, site] = key.split('|') as [string, string];
    const quarry = quarries[i % quarries.length]!;
    return {
      external_id: `AUS-${day}-${site.replace(/\W+/g, '-')}`,
      load_at: `${day}T06:00:00`,
      customer: { external_id: 'AUS', name: 'City of Austin' },
      name: `${site} ${day}`,
      quantity: tons(group).toNumber(),
      unit_of_measure: 'Ton',
      truck_count: 1,
      loads_per_truck: 1,
      sites: [
        {
          waypoint: 'pickup',
          external_id: `MSHA-${quarry.mine_id}`,
          name: quarry.name,
          full_address: [quarry.street, quarry.city, quarry.state, quarry.zip].filter(Boolean).join(', '),
          ...(quarry.lat ? { lat: Number(quarry.lat), lon: Number(quarry.lon) } : {}),
        },
        { waypoint: 'drop_off', external_id: site, name: site, full_address: `${site}, Austin, TX` },
      ],
    };
  });
}

/** Returns the tons of an order's loads, rounded once and half up to the four decimals of quantities. */
const tons = (group: ScaleLoad[]): Decimal =>
  group
    .reduce((sum, load) => (load.load_weight === '' ? sum : sum.plus(load.load_weight)), new Decimal(0))
    .div(POUNDS_PER_TON)
    .toDecimalPlaces(4, Decimal.ROUND_HALF_UP);

/** Returns the sum of a site's orders, directly from the file. */
function tonsOfSite(loads: ScaleLoad[], site: string): Decimal {
  const days = Map.groupBy(
    loads.filter((load) => load.dropoff_site === site),
    (load) => load.report_date,
  );
  return [...days.values()].reduce((sum, day) => sum.plus(tons(day)), new Decimal(0));
}

async function main(): Promise<boolean> {
  const loads = read<ScaleLoad>('scale-loads.csv');
  const quarries = read<Quarry>('aggregate-sites.csv').filter((one) => one.state === 'Texas');
  const orders = payloads(loads, quarries);
  const unweighed = loads.filter((load) => load.load_weight === '').length;
  process.stdout.write(`${loads.length} loads (${unweighed} without a weight) at ${quarries.length} quarries -> ${orders.length} orders\n`);
  const product = values.url ? undefined : await boot();
  try {
    const url = values.url ?? product!.access.base_url;
    const token = await tokenOf(
      url,
      values['client-id'] ?? product!.access.client_id,
      values['client-secret'] ?? product!.access.client_secret,
    );
    const first = await pass(url, token, orders, 'first pass');
    const second = await pass(url, token, orders, 'second pass');
    const sums = await sumsBySite(url, token);
    return report(loads, orders.length, first, second, sums);
  } finally {
    await product?.stop();
  }
}

type Tally = Record<string, number>;

async function pass(url: string, token: string, orders: unknown[], title: string): Promise<Tally> {
  const started = performance.now();
  const ids: string[] = [];
  for (let at = 0; at < orders.length; at += 100) {
    const { records } = await call<{ records: { id: string }[] }>(url, token, 'POST', '/ingest/orders', {
      orders: orders.slice(at, at + 100),
    });
    ids.push(...records.map((one) => one.id));
  }
  const tally: Tally = {};
  const reasons: Tally = {};
  const warnings: Tally = {};
  for (const id of ids) {
    const record = await settled(url, token, id);
    tally[record.state] = (tally[record.state] ?? 0) + 1;
    if (record.last_error) reasons[record.last_error] = (reasons[record.last_error] ?? 0) + 1;
    for (const { code } of record.warnings) warnings[code] = (warnings[code] ?? 0) + 1;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${title}: accepted ${ids.length}, ${Object.entries(tally)
      .map(([state, n]) => `${state} ${n}`)
      .join(', ')} (${seconds} s)\n`,
  );
  for (const [reason, n] of Object.entries(reasons)) process.stdout.write(`  ${n} x ${reason}\n`);
  for (const [code, n] of Object.entries(warnings)) process.stdout.write(`  warning ${code}: ${n}\n`);
  return tally;
}

interface Imported {
  state: string;
  last_error: string | null;
  warnings: { code: string }[];
}

async function settled(url: string, token: string, id: string): Promise<Imported> {
  for (let tries = 0; tries < 600; tries++) {
    const record = await call<Imported>(url, token, 'GET', `/v1/imported_records/${id}`);
    if (record.state !== 'created') return record;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`record ${id} was not settled after a minute`);
}

/** Returns the quantities of the imported orders by drop-off site, page by page over GraphQL, as a reporting tool would read them. */
async function sumsBySite(url: string, token: string): Promise<Map<string, Decimal>> {
  const sums = new Map<string, Decimal>();
  let after: string | null = null;
  do {
    const query =
      'query($after: String) { orders(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { externalId quantity unitOfMeasure waypoints { type site { name } } } } }';
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: { after } }),
    });
    const { data } = (await response.json()) as {
      data: {
        orders: {
          pageInfo: { hasNextPage: boolean; endCursor: string };
          nodes: { externalId: string | null; quantity: string; waypoints: { type: string; site: { name: string } }[] }[];
        };
      };
    };
    for (const order of data.orders.nodes) {
      if (!order.externalId?.startsWith('AUS-')) continue;
      const site = order.waypoints.find((one) => one.type === 'drop_off')!.site.name;
      sums.set(site, (sums.get(site) ?? new Decimal(0)).plus(order.quantity));
    }
    after = data.orders.pageInfo.hasNextPage ? data.orders.pageInfo.endCursor : null;
  } while (after);
  return sums;
}

function report(loads: ScaleLoad[], sent: number, first: Tally, second: Tally, sums: Map<string, Decimal>): boolean {
  let fine = first.processed === sent && second.skipped === sent;
  const sites = [...new Set(loads.map((load) => load.dropoff_site))].sort();
  process.stdout.write('tons per drop-off site: file, product\n');
  for (const site of sites) {
    const file = tonsOfSite(loads, site);
    const product = sums.get(site) ?? new Decimal(0);
    if (!file.eq(product)) fine = false;
    process.stdout.write(
      `  ${site.padEnd(24)} ${file.toFixed().padStart(14)} ${product.toFixed().padStart(14)} ${file.eq(product) ? 'equal' : 'DIFFERENT'}\n`,
    );
  }
  process.stdout.write(fine ? 'All agree.\n' : 'They do not agree.\n');
  return fine;
}

process.exit((await main()) ? 0 : 1);
