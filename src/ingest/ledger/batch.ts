import type { EntityManager } from '@mikro-orm/postgresql';
import { geocodeAll, geocoder } from '../../directory/contacts/geocoded-addresses.ts';
import { backoff } from '../../platform/database/backoff.ts';
import { poolOf } from '../../platform/database/sql.ts';
import type { ConcurrencyGate } from '../../platform/queue/concurrency-gate.ts';
import { describeSpan, failSpan } from '../../platform/tracing/spans.ts';
import { isSandbox } from '../../platform/worlds/sandbox-ids.ts';
import type { Importer } from '../importer.ts';
import { settledRecords } from '../metrics.ts';
import { earlierElementsOf, GaveWay } from '../nested/earlier.ts';
import type { Claim } from './claim.ts';
import { type EffectRules, runEffect, type Tally } from './effect.ts';
import { takeBackHeld } from './leases.ts';
import { faultOf } from './retries.ts';

/** The role that logged in may end its own sessions. If the application's role was taken at login, it may not, and a function does it. */
const END = 'select case when session_user = current_user then pg_terminate_backend($1, 2000) else end_session($1) end';
/** A batch that lost to a concurrent transaction (deadlock, serialization failure) is run so many times in all. */
const TRIES = 3;

/** The worker's log; a pino logger fits. */
export interface WorkerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Batch {
  em: EntityManager;
  claim: Claim;
  importer: Importer;
  rules: EffectRules;
  /** Limits how many effects are written at a time. */
  gate: ConcurrencyGate;
  /** Seconds after which the batch counts as hung. */
  batchSeconds: number;
  log: WorkerLog;
}

/**
 * Applies a claim and finishes it in any case. A lost race is run again, and a batch that never returns is ended on the server. If
 * something else keeps the transaction from ending (the database went away), the rows are released at once, so that they do not wait for
 * the end of their lease. If that fails as well, the lease ends.
 */
export async function runBatch(batch: Batch): Promise<void> {
  const { claim, gate, log } = batch;
  await lookUpAddresses(batch);
  const about = { company: claim.companyId, kind: claim.kind, rows: claim.rows.length };
  let inTurn = false;
  for (let tried = 1; ; tried++) {
    let began = 0;
    try {
      // A payload that may have ended its process before runs without other batches, so that it does not take them along.
      const tally = await gate.pass(
        () => {
          began = performance.now();
          return withDeadline({ ...batch, rules: { ...batch.rules, inTurn } });
        },
        claim.lost > 0 ? gate.width : 1,
      );
      const world = isSandbox(claim.companyId) ? 'sandbox' : 'real';
      for (const [state, count] of Object.entries(tally)) settledRecords.inc({ kind: claim.kind, state, world }, count);
      describeSpan(Object.fromEntries(Object.entries(tally).map(([state, count]) => [`haulgate.import.${state}`, count])));
      log.debug({ ...about, ...tally, ms: Math.round(performance.now() - began) }, 'imported a batch');
      return;
    } catch (error) {
      if (error instanceof GaveWay) {
        log.debug(about, 'import batch gave way');
        await untilItsTurn(batch);
        inTurn = true;
        tried--;
        continue;
      }
      const again = faultOf(error) === 'lost-race' && tried < TRIES;
      if (!again) failSpan(error);
      log.warn({ ...about, tried, err: error }, again ? 'import batch lost a race and runs again' : 'import batch came to no end');
      if (!again) break;
      await backoff(tried);
    }
  }
  await takeBackHeld(batch.em, batch.rules.retries.lostClaims, claim.rows);
}

/** Waits for the elements before those of a batch that gave way. If that cannot be asked, the batch runs as if they were done. */
async function untilItsTurn({ em, claim, log }: Batch): Promise<void> {
  const pool = await poolOf(em);
  const claimed = claim.rows.map(({ id }) => id);
  await earlierElementsOf((sql, values) => pool.query(sql, values), claimed, claim.companyId, claim.kind).catch((err: unknown) =>
    log.warn({ err, company: claim.companyId, kind: claim.kind }, 'an import batch does not know whether it is its turn'),
  );
}

/** Calls the geocoder, which may take seconds, before any transaction is open. */
async function lookUpAddresses({ em, claim, importer, log }: Batch): Promise<void> {
  const finder = geocoder.of(em);
  if (!importer.addresses || !finder) return;
  const pool = await poolOf(em);
  const ids = claim.rows.map(({ id }) => id);
  const { rows } = await pool.query<{ payload: Record<string, unknown> }>(
    'select payload from imported_record where id = any($1::uuid[])',
    [ids],
  );
  const addresses = rows.flatMap(({ payload }) => importer.addresses!(payload));
  await geocodeAll(finder, pool, addresses, (error) => log.warn({ err: error }, 'the geocoding provider failed'));
}

async function withDeadline({ em, claim, importer, rules, batchSeconds, log }: Batch): Promise<Tally> {
  let running: { pid: number; abandon(): Promise<void> } | undefined;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const effect = runEffect(em, claim, importer, rules, {
    started: (pid, abandon) => {
      running = { pid, abandon };
    },
    internal: (record, error) => log.error({ record, kind: claim.kind, err: error }, 'importer failed unexpectedly'),
  });
  // The handler is attached first, so that the end is known before the race below; and a rejection after the deadline is handled.
  const noted = () => {
    ended = true;
  };
  effect.then(noted, noted);
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`import batch ran longer than ${batchSeconds} s`)), batchSeconds * 1000);
  });
  try {
    return await Promise.race([effect, deadline]);
  } catch (error) {
    // A hung transaction keeps its rows locked. Its pid is certainly its own as long as it has not ended.
    if (!ended && running) {
      await (await poolOf(em))
        .query(END, [running.pid])
        .catch((late) => log.warn({ err: late }, 'a hung import batch could not be ended on the server'));
      await running.abandon();
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
