import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, unreadable } from './client.ts';
import type { Acknowledged } from './journal.ts';

/** What the report says of a record that did not simply succeed. */
export interface Told {
  place: string;
  key: string | null;
  id: string;
  state: string;
  lastError: string | null;
  warnings: { code: string; pointer: string; given?: unknown; used?: unknown }[];
}

export interface Fates {
  /** How many records came to which state. */
  states: Map<string, number>;
  /** Failed ones, and ones with warnings or a remark, in the order of the file. */
  told: Told[];
  /** Records whose fate is not known yet. */
  waiting: number;
  /** True when they wait for an earlier failure of the same key, which is tried again for some minutes. */
  blocked: boolean;
}

interface Imported {
  id: string;
  imported_for: string | null;
  state: string;
  last_error: string | null;
  warnings: Told['warnings'];
  batch_index: number;
}

/** Milliseconds between two looks at a batch that is not settled: at first, and at most. */
const FIRST_LOOK = 100;
const LAST_LOOK = 2_000;
const PAGE = 100;
/** Milliseconds without progress after which it is asked why, and records it is asked of. */
const STALL = 5_000;
const SAMPLE = 20;

/**
 * Waits until every batch is settled, and reads what became of its records. A failed record counts as settled, although it will be
 * tried again: its sender wants to know now.
 * @param seconds to wait while nothing settles
 * @param onSettled told the number of records that came to an end
 */
export async function readFates(
  client: Client,
  batches: Acknowledged[],
  places: Map<number, string[]>,
  seconds: number,
  onSettled: (n: number) => void,
): Promise<Fates> {
  const fates: Fates = { states: new Map(), told: [], waiting: 0, blocked: false };
  let patient = true;
  for (const batch of batches) {
    // Once nothing has settled for so long, the others are only looked at.
    // Where one waits others do: they are asked sooner.
    const end = patient ? await settled(client, batch, seconds, fates.blocked ? STALL / 5 : STALL) : undefined;
    if (end === 'late') patient = false;
    if (end === 'blocked') fates.blocked = true;
    for await (const record of recordsOf(client, batch.batch)) {
      if (record.state === 'created') fates.waiting++;
      fates.states.set(record.state, (fates.states.get(record.state) ?? 0) + 1);
      if (!isWorthTelling(record)) continue;
      const { id, state, imported_for: key, last_error: lastError, warnings } = record;
      fates.told.push({ place: places.get(batch.request)?.[record.batch_index] ?? '', key, id, state, lastError, warnings });
    }
    onSettled(batch.records);
  }
  return fates;
}

/** @param stall milliseconds without progress after which it is asked why */
async function settled(client: Client, { batch }: Acknowledged, seconds: number, stall: number): Promise<'settled' | 'blocked' | 'late'> {
  let open = Number.POSITIVE_INFINITY;
  let until = Date.now() + seconds * 1000;
  let nextAsk = Date.now() + stall;
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 1.5, LAST_LOOK)) {
    const { counts } = (await read<{ counts: { created: number } }>(client, `/ingest/batches/${batch}`)).data;
    if (counts.created === 0) return 'settled';
    if (counts.created < open) {
      until = Date.now() + seconds * 1000;
      nextAsk = Date.now() + stall;
    }
    open = counts.created;
    if (Date.now() > nextAsk) {
      if (await isBlocked(client, batch)) return 'blocked';
      nextAsk = Date.now() + stall;
    }
    if (Date.now() > until) return 'late';
    await sleep(pause);
  }
}

/** Kinds that only create work the payloads of a key off one by one: one that failed is tried again before the next has its turn. */
async function isBlocked(client: Client, batch: string): Promise<boolean> {
  const { data: waiting } = await read<Imported[]>(
    client,
    `/ingest/batches/${batch}/records?filter%5Bstate%5D=created&page%5Blimit%5D=${SAMPLE}`,
  );
  const query = new URLSearchParams({ 'filter[state]': 'failed', 'page[limit]': String(PAGE) });
  for (const { imported_for: key } of waiting) if (key !== null) query.append('filter[imported_for][]', key);
  const { data: failed } = await read<Imported[]>(client, `/v1/imported_records?${query}`);
  const keys = new Set(failed.map((one) => one.imported_for));
  return waiting.every(({ imported_for: key }) => key !== null && keys.has(key));
}

/** In the order of the request. */
async function* recordsOf(client: Client, batch: string): AsyncGenerator<Imported> {
  let path: string | undefined = `/ingest/batches/${batch}/records?page%5Blimit%5D=${PAGE}`;
  while (path) {
    const { data, next }: { data: Imported[]; next?: string } = await read<Imported[]>(client, path);
    yield* data;
    path = next;
  }
}

async function read<T>(client: Client, path: string): Promise<{ data: T; next?: string }> {
  const answer = await client.call({ method: 'GET', path });
  if (answer.status !== 200) throw unreadable(answer);
  return { data: (answer.body as { data: T }).data, next: answer.next };
}

/** A duplicate is nothing to tell: it is counted. */
function isWorthTelling({ state, last_error, warnings }: Imported): boolean {
  return warnings.length > 0 || isFailure(state) || state === 'skipped_update' || (state === 'skipped' && last_error !== 'duplicate');
}

export const isFailure = (state: string): boolean => state === 'failed' || state === 'exhausted';
