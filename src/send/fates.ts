import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, unreadable } from './client.ts';
import type { Acknowledged } from './journal.ts';

/** The line of the report for a record that did not simply succeed. */
export interface ReportedRecord {
  place: string;
  key: string | null;
  id: string;
  state: string;
  lastError: string | null;
  warnings: { code: string; pointer: string; given?: unknown; used?: unknown }[];
}

export interface Fates {
  /** The number of records that reached each state. */
  states: Map<string, number>;
  /** Failed ones, and ones with warnings or a remark, in the order of the file. */
  reported: ReportedRecord[];
  /** Records without an outcome yet. */
  waiting: number;
}

interface Imported {
  id: string;
  imported_for: string | null;
  state: string;
  last_error: string | null;
  warnings: ReportedRecord['warnings'];
  batch_index: number;
}

/** Milliseconds between two checks of a batch that is not settled: at first, and at most. */
const FIRST_LOOK = 100;
const LAST_LOOK = 2_000;
const PAGE = 100;

/**
 * Waits until every batch is settled, and reads the outcomes of its records. A failed record counts as settled, although it will be
 * retried, because its sender wants to know now.
 * @param seconds to wait while nothing settles
 * @param onSettled called with the number of records that have an outcome
 */
export async function readFates(
  client: Client,
  batches: Acknowledged[],
  places: Map<number, string[]>,
  seconds: number,
  onSettled: (n: number) => void,
): Promise<Fates> {
  const fates: Fates = { states: new Map(), reported: [], waiting: 0 };
  let patient = true;
  for (const batch of batches) {
    // Once nothing has settled for so long, the other batches are checked without waiting.
    if (patient) patient = await isSettled(client, batch, seconds);
    for await (const record of recordsOf(client, batch.batch)) {
      if (record.state === 'created') fates.waiting++;
      fates.states.set(record.state, (fates.states.get(record.state) ?? 0) + 1);
      if (!isReported(record)) continue;
      const { id, state, imported_for: key, last_error: lastError, warnings } = record;
      fates.reported.push({ place: places.get(batch.request)?.[record.batch_index] ?? '', key, id, state, lastError, warnings });
    }
    onSettled(batch.records);
  }
  return fates;
}

/** @returns false if nothing settled for so many seconds */
async function isSettled(client: Client, { batch }: Acknowledged, seconds: number): Promise<boolean> {
  let open = Number.POSITIVE_INFINITY;
  let until = Date.now() + seconds * 1000;
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 1.5, LAST_LOOK)) {
    const { counts } = (await read<{ counts: { created: number } }>(client, `/ingest/batches/${batch}`)).data;
    if (counts.created === 0) return true;
    if (counts.created < open) until = Date.now() + seconds * 1000;
    open = counts.created;
    if (Date.now() > until) return false;
    await sleep(pause);
  }
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

/** Duplicates are only counted. */
function isReported({ state, last_error, warnings }: Imported): boolean {
  return warnings.length > 0 || isFailure(state) || state === 'skipped_update' || (state === 'skipped' && last_error !== 'duplicate');
}

export const isFailure = (state: string): boolean => state === 'failed' || state === 'exhausted';
