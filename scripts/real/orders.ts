import { Decimal } from '../../src/platform/decimal.ts';
import { orderKey, type ScaleLoad, tonsOf } from './files.ts';
import type { Trial } from './trial.ts';

const HEADER = [
  'Order #',
  'Load time',
  'Customer ID',
  'Customer',
  'Qty',
  'UOM',
  'Trucks',
  'Loads',
  'Recurring loads',
  'Destination ID',
  'Destination',
  'Drop-off address',
];

interface Found {
  externalId: string | null;
  quantity: string;
  waypoints: { type: string; site: { name: string } }[];
}

/** Sends one order for each service day and site, as in a dispatcher's sheet; twice. */
export async function sendOrders(trial: Trial, loads: ScaleLoad[]): Promise<void> {
  const days = groupsOf(loads);
  const rows = [...days].map(([key, group]) => {
    const { report_date: day, dropoff_site: site } = group[0] as ScaleLoad;
    return [
      key,
      `${day} 06:00`,
      'AUS',
      'City of Austin',
      tonsOfDay(group).toFixed(),
      'tons',
      1,
      1,
      'yes',
      site,
      site,
      `${site}, Austin, TX`,
    ];
  });
  const first = await trial.send('orders', HEADER, rows);
  const second = await trial.send('orders', HEADER, rows);
  trial.holds('every order is processed the first time', first.exit === 0 && first.states.processed === rows.length);
  trial.holds('every order is a duplicate the second time', second.exit === 0 && second.states.skipped === rows.length);
  const found = await trial.all<Found>(
    'query($after: String) { list: orders(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { externalId quantity waypoints { type site { name } } } } }',
  );
  const product = new Map<string, Decimal>();
  for (const { externalId, quantity, waypoints } of found)
    if (externalId?.startsWith('DAY-'))
      add(product, waypoints.find(({ type }) => type === 'drop_off')?.site.name ?? '', new Decimal(quantity));
  const file = new Map<string, Decimal>();
  for (const group of days.values()) add(file, (group[0] as ScaleLoad).dropoff_site, tonsOfDay(group));
  trial.compare('tons ordered per site', file, product);
}

function groupsOf(loads: ScaleLoad[]): Map<string, ScaleLoad[]> {
  const groups = new Map<string, ScaleLoad[]>();
  for (const load of loads) {
    const key = orderKey(load);
    const group = groups.get(key);
    if (group) group.push(load);
    else groups.set(key, [load]);
  }
  return groups;
}

/** Rounded once, as in the sheet. */
const tonsOfDay = (group: ScaleLoad[]): Decimal =>
  tonsOf(group.reduce((sum, { load_weight }) => sum.plus(load_weight || 0), new Decimal(0)));

export function add(sums: Map<string, Decimal>, key: string, value: Decimal): void {
  sums.set(key, (sums.get(key) ?? new Decimal(0)).plus(value));
}
