import type { Pool } from 'pg';
import { TICKET_PICTURE } from '../../src/demo/ticket-picture.ts';
import { Decimal } from '../../src/platform/decimal.ts';
import { BRIDGE, positionAt, send, type Truck } from '../road/roads.ts';
import { type ScaleLoad, ticketNumber, tonsOf } from './files.ts';
import { type Haul, timeOf, wayOf } from './hauls.ts';
import { call, callGraphQL } from './product.ts';

interface Options {
  url: string;
  office: { companyId: string; token: string };
  pool: Pool;
  trucks: readonly Truck[];
  hauls: readonly Haul[];
  say(line: string): void;
}

interface Found {
  id: string;
  state: string;
  needsReview: boolean;
  loadSummary: { loadedAt: string | null };
  aiReview: { status: string; issues: string[] } | null;
}

/** Positions of one request. */
const MOST = 1_000;
/** Milliseconds that a crossing may differ from when the load was weighed. */
const NEAR = 2 * 60_000;

/**
 * Drives trucks by their positions alone to where real loads were weighed, at the times and with the gaps of the scale; gives each load that was
 * completed that way its ticket; and counts what the reviews find. @returns whether the loads are there, and what lacks a weight was found
 */
export async function reviewHauls({ url, office, pool, trucks, hauls, say }: Options): Promise<boolean> {
  const { companyId, token } = office;
  await call(url, token, 'PATCH', `/v1/companies/${companyId}`, { ai_review_loads: true });
  const shift = Date.now() - 60_000 - Math.max(...hauls.map((haul) => wayOf(haul, 0, BRIDGE).at(-1)!.at));
  for (const [i, haul] of hauls.entries()) {
    const truck = trucks[i]!;
    const positions = wayOf(haul, shift, BRIDGE).map(({ at, metres }) => positionAt(truck, at, metres));
    for (let from = 0; from < positions.length; from += MOST)
      if ((await send(url, truck, positions.slice(from, from + MOST))) !== 204) throw new Error('positions were refused');
  }
  await nothingIn(pool, "position_task where kind = 'fences'");

  const weighed: { load: Found; row: ScaleLoad }[] = [];
  let unseen = 0;
  for (const [i, haul] of hauls.entries()) {
    const loads = await loadsOf(url, token, trucks[i]!.jobId);
    for (const row of haul) {
      const load = loads.find(
        ({ state, loadSummary: { loadedAt } }) =>
          state === 'completed' && loadedAt && Math.abs(Date.parse(loadedAt) - timeOf(row) - shift) <= NEAR,
      );
      if (load) weighed.push({ load, row });
      else unseen++;
    }
  }
  const numbers = new Map<string, number>();
  const weightless = { missing_quantity: 0, zero_quantity: 0 };
  for (const { load, row } of weighed) {
    const number = ticketNumber(row);
    numbers.set(number, (numbers.get(number) ?? 0) + 1);
    if (numbers.get(number)! > 1) continue;
    const quantity = row.load_weight === '' ? {} : { quantity: tonsOf(row.load_weight).toFixed() };
    if (row.load_weight === '') weightless.missing_quantity++;
    else if (new Decimal(row.load_weight).isZero()) weightless.zero_quantity++;
    const ticket = await call<{ id: string }>(url, token, 'POST', '/v1/tickets', {
      ...{ load_id: load.id, ticket_number: number, unit_of_measure: 'Ton', ...quantity },
      service_date: new Date(timeOf(row) + shift).toISOString(),
    });
    await sendPicture(url, token, ticket.id);
  }
  await nothingIn(pool, 'load_review_task');
  const issues = new Map<string, number>();
  const statuses = new Map<string, number>();
  let lists = 0;
  for (const truck of trucks.slice(0, hauls.length)) {
    for (const { aiReview, needsReview } of await loadsOf(url, token, truck.jobId)) {
      if (needsReview) lists++;
      if (!aiReview) continue;
      add(statuses, aiReview.status);
      for (const issue of aiReview.issues) add(issues, issue.split(':')[0]!);
    }
  }
  const repeated = [...numbers.values()].reduce((sum, count) => sum + count - 1, 0);
  say(
    `${weighed.length + unseen} loads of a scale by ${hauls.length} trucks: ${weighed.length} were driven from accepted to completed by positions alone; ${numbers.size} tickets, ${repeated} lines that repeat another one`,
  );
  say(`reviews: ${listed(statuses)}; ${lists} loads need a person`);
  say(`found: ${listed(issues)}`);
  const found = Object.entries(weightless).every(
    ([code, count]) => (issues.get(code) ?? 0) === count + (code === 'missing_quantity' ? repeated : 0),
  );
  if (!found) say(`DIFFERENT from the file: ${JSON.stringify(weightless)} lack a weight, ${repeated} loads have no ticket`);
  return unseen === 0 && found;
}

const LOADS =
  'query($job: ID!) { loads(jobId: $job, first: 100) { nodes { id state needsReview loadSummary { loadedAt } aiReview { status issues } } } }';
const loadsOf = async (url: string, token: string, job: string): Promise<Found[]> =>
  (await callGraphQL<{ loads: { nodes: Found[] } }>(url, token, LOADS, { job })).loads.nodes;

async function sendPicture(url: string, token: string, ticket: string): Promise<void> {
  const form = new FormData();
  form.append('image', new Blob([new Uint8Array(TICKET_PICTURE)], { type: 'image/jpeg' }), 'ticket.jpg');
  const response = await fetch(`${url}/v1/tickets/${ticket}/image`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

/** Waits until a worker has nothing to do. */
async function nothingIn(pool: Pool, queue: string): Promise<void> {
  while ((await pool.query(`select from ${queue} limit 1`)).rowCount) await new Promise((wake) => setTimeout(wake, 200));
}

const add = (counts: Map<string, number>, key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1);
const listed = (counts: Map<string, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([key, count]) => `${count} ${key}`)
    .join(', ');
