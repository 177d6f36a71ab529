import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { type InApplication, perApplication } from '../../platform/application.ts';
import { poolOf } from '../../platform/database/sql.ts';
import type { Warning } from '../importer.ts';
import { resultSql, supersededBySql } from './duplicates.ts';
import type { ImportedRecordState } from './imported-record.entity.ts';

/** The progress of one element. */
export interface Progress {
  index: number;
  id: string;
  importedFor: string | null;
  state: ImportedRecordState;
  lastError: string | null;
  warnings: Warning[];
  resultId: string | null;
  supersededBy: string | null;
}

/** Milliseconds between two checks without a nudge: the worker may be another process. */
const LOOK_EVERY = 250;
/** Milliseconds for which nudges are collected. */
const GATHER = 15;
/** Records read at a time. */
const PAGE = 500;

const waitingRequests = perApplication('waiting requests', () => new Set<() => void>());

/** Wakes the waiting requests of this application after a batch. */
export function nudgeWaiting(application: InApplication): void {
  for (const wake of [...waitingRequests.of(application)]) wake();
}

/** Resolves when a batch was processed in this process, after a quarter of a second, or when `signal` is aborted. */
async function lookAgain(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const ended = () => stop.abort();
  signal.addEventListener('abort', ended, { once: true });
  waiting.add(ended);
  await sleep(LOOK_EVERY, undefined, { signal: stop.signal }).catch(() => sleep(GATHER));
  waiting.delete(ended);
  signal.removeEventListener('abort', ended);
}

/**
 * Yields the records of a batch in the order of their elements, each as soon as it and all before it have an outcome; when the time is
 * over, the rest as they are. No connection is held in between.
 * @param seconds the longest wait; 0 yields the present state
 * @param signal ends the wait early, when the client has disconnected
 */
export async function* progressOf(em: EntityManager, batchId: string, seconds: number, signal: AbortSignal): AsyncGenerator<Progress> {
  const pool = await poolOf(em);
  const waiting = waitingRequests.of(em);
  const until = performance.now() + seconds * 1000;
  let next = 0;
  for (;;) {
    const late = performance.now() >= until || signal.aborted;
    const rows = await read(pool, batchId, next);
    for (const row of rows) {
      if (row.state === 'created' && !late) break;
      yield row;
      next = row.index + 1;
    }
    const last = rows.at(-1);
    if (!last) return;
    if (next <= last.index) await lookAgain(waiting, signal);
  }
}

async function read(pool: Pool, batchId: string, from: number): Promise<Progress[]> {
  const { rows } = await pool.query<Progress>({
    name: 'import_progress',
    text: `select r.batch_index as index, r.id, r.imported_for as "importedFor", r.state, r.last_error as "lastError", r.warnings,
        ${resultSql('r')} as "resultId", ${supersededBySql('r')} as "supersededBy"
      from imported_record r where r.batch_id = $1 and r.batch_index >= $2 order by r.batch_index limit ${PAGE}`,
    values: [batchId, from],
  });
  return rows;
}
