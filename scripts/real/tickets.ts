import { Decimal } from '../../src/platform/decimal.ts';
import { orderKey, type ScaleLoad, ticketNumber, tonsOf } from './files.ts';
import { add } from './orders.ts';
import type { Trial } from './trial.ts';

const HEADER = ['Ticket #', 'Date', 'Net weight', 'Unit', 'Truck', 'platform_order_id', 'Site ID', 'Site', 'metadata.load_type'];

interface Found {
  ticketNumber: string | null;
  quantity: string;
  unitOfMeasure: string;
  orderId: string | null;
  site: { name: string } | null;
}

/** Sends every line of the scale as a ticket of its day's order, including exact duplicates and lines without a weight; twice. */
export async function sendTickets(trial: Trial, loads: ScaleLoad[]): Promise<void> {
  const orders = await trial.all<{ id: string; orderId: string; externalId: string | null }>(
    'query($after: String) { list: orders(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { id orderId externalId } } }',
  );
  const numbers = new Map(orders.map(({ externalId, orderId }) => [externalId, orderId]));
  const rows = loads.map((load) => {
    const { report_date: day, load_weight: pounds, dropoff_site: site, load_type: type } = load;
    const tons = pounds === '' ? '' : tonsOf(pounds).toFixed();
    return [ticketNumber(load), day, tons, 'TONS', 'AUS-1', numbers.get(orderKey(load)), site, site, type];
  });
  const distinct = new Map(loads.map((load) => [ticketNumber(load), load]));
  const weighed = [...distinct.values()].filter(isWeighed);
  const unweighed = new Set([...distinct].filter(([, load]) => !isWeighed(load)).map(([number]) => number));

  const first = await trial.send('tickets', HEADER, rows);
  const { processed = 0, failed = 0, skipped = 0 } = first.states;
  trial.holds(`the ${weighed.length} different lines with a weight are tickets`, processed === weighed.length);
  trial.holds('every other line is a duplicate, or failed', processed + failed + skipped === rows.length);
  trial.holds(
    'what failed has no weight, and says so',
    first.failed.every(
      (one) => unweighed.has(one.imported_for ?? '') && /^(missing_field|invalid_number): \/quantity: /.test(one.last_error ?? ''),
    ),
  );
  trial.holds('every line without a weight failed', new Set(first.failed.map((one) => one.imported_for)).size === unweighed.size);

  // Failed records would be retried for some minutes; the repetition replaces them.
  const second = await trial.send('tickets', HEADER, rows);
  const why = (failed: typeof first.failed) => new Map(failed.map((one) => [one.imported_for, one.last_error]));
  const [reported, reportedAgain] = [why(first.failed), why(second.failed)];
  trial.holds('the second time nothing waits', (second.states.created ?? 0) === 0);
  trial.holds(
    'the second time every number without a weight fails for the same reason',
    reported.size === reportedAgain.size && [...reported].every(([number, error]) => reportedAgain.get(number) === error),
  );
  trial.holds('the second time nothing new comes of it', (second.states.processed ?? 0) === 0);
  trial.holds('the second time every line with a weight is a duplicate', (second.states.skipped ?? 0) >= loads.filter(isWeighed).length);

  const found = await trial.all<Found>(
    'query($after: String) { list: tickets(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ticketNumber quantity unitOfMeasure orderId site { name } } } }',
  );
  const ours = found.filter((one) => distinct.has(one.ticketNumber ?? ''));
  trial.holds(
    'every ticket is in tons and belongs to its order',
    ours.every((one) => one.unitOfMeasure === 'Ton' && one.orderId !== null),
  );
  const product = new Map<string, Decimal>();
  for (const { site, quantity } of ours) add(product, site?.name ?? '', new Decimal(quantity));
  const file = new Map<string, Decimal>();
  for (const load of weighed) add(file, load.dropoff_site, tonsOf(load.load_weight));
  trial.compare('tons on tickets per site', file, product);
}

/** A scale that shows nothing, or zero, has weighed nothing. */
const isWeighed = ({ load_weight }: ScaleLoad): boolean => load_weight !== '' && tonsOf(load_weight).gt(0);
