import { Decimal } from '../../src/platform/decimal.ts';
import type { Quarry } from './files.ts';
import { add } from './orders.ts';
import type { Trial } from './trial.ts';

const HEADER = ['external_id', 'Name', 'Customer ID', 'Customer', 'Pickup ID', 'Pickup', 'Pickup address', 'Pickup lat', 'Pickup lon'];

interface Found {
  externalId: string | null;
  waypoints: { type: string; site: { externalId: string | null; name: string; lat: string | null; lon: string | null } }[];
}

/** Sends every quarry of the country as a project; twice. Names repeat, ids do not: no two may become one site. */
export async function sendProjects(trial: Trial, quarries: Quarry[]): Promise<void> {
  const rows = quarries.map((one) => {
    const address = [one.street, one.city, one.state, one.zip].filter(Boolean).join(', ');
    return [`PRJ-${one.mine_id}`, `Stone from ${one.name}`, 'STATES', 'The States', one.mine_id, one.name, address, one.lat, one.lon];
  });
  const first = await trial.send('projects', HEADER, rows);
  trial.holds('every quarry is a project', first.exit === 0 && first.states.processed === rows.length);
  const second = await trial.send('projects', HEADER, rows);
  trial.holds('every project is a duplicate the second time', second.exit === 0 && second.states.skipped === rows.length);

  const found = await trial.all<Found>(
    'query($after: String) { list: projects(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { externalId waypoints { type site { externalId name lat lon } } } } }',
  );
  const sites = new Map<string, Found['waypoints'][number]['site']>();
  for (const { externalId, waypoints } of found)
    if (externalId?.startsWith('PRJ-'))
      for (const { site } of waypoints) if (externalId === `PRJ-${site.externalId}`) sites.set(site.externalId as string, site);
  trial.holds(
    'every project draws from the quarry of its own id, name and place',
    quarries.every(({ mine_id, name, lat, lon }) => {
      const site = sites.get(mine_id);
      return site?.name === name.trim() && same(site.lat, lat) && same(site.lon, lon);
    }),
  );
  trial.compare('quarries of the names that repeat most', tally(quarries), tally([...sites.values()]));
}

/** Compares coordinates as numbers, because the number of digits does not matter. */
const same = (ours: string | null, theirs: string): boolean =>
  theirs === '' ? ours === null : ours !== null && new Decimal(ours).minus(theirs).abs().lt('0.000001');

/** Counts the records of names that more than ten share, without case, including "wash plant". */
function tally(named: { name: string }[]): Map<string, Decimal> {
  const counts = new Map<string, Decimal>();
  for (const { name } of named) add(counts, name.trim().toLowerCase(), new Decimal(1));
  return new Map([...counts].filter(([, count]) => count.gt(10)));
}
