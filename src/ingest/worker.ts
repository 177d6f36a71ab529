import type { EntityManager } from '@mikro-orm/postgresql';
import { asCompanies, runAsPurpose } from '../platform/database/scope.ts';
import { ConcurrencyGate } from '../platform/queue/concurrency-gate.ts';
import { type Drainer, startDrainer } from '../platform/queue/drainer.ts';
import type { Waker } from '../platform/queue/waker.ts';
import { tracing } from '../platform/tracing/spans.ts';
import type { Importer } from './importer.ts';
import { runBatch, type WorkerLog } from './ledger/batch.ts';
import { type Claim, claim, FIRST_TURN, Resting, type Turn } from './ledger/claim.ts';
import { LeaseKeeper } from './ledger/lease-keeper.ts';
import { anyExpired, takeBackExpired } from './ledger/leases.ts';
import { LEDGER } from './ledger/ledger-purpose.ts';
import { nudgeWaiting } from './ledger/progress.ts';
import { RETRIES, type RetryRules } from './ledger/retries.ts';
import { traceBatch } from './ledger/trace-batch.ts';

export interface IngestWorkerOptions {
  /** `orm.em`; the worker forks it for each batch. Its pool must have `concurrency` + `spare` + 2 connections. */
  em: EntityManager;
  importers: readonly Importer[];
  waker: Waker;
  log: WorkerLog;
  /** Batches written at a time; 4 by default. */
  concurrency?: number;
  /** Milliseconds after which a batch that is being written no longer blocks another; 5000 by default. */
  patience?: number;
  /** Further batches whose addresses are being geocoded, or which have used up that patience; 2 by default. */
  spare?: number;
  /** Rows of one company and kind in a batch; by default as many as the kind's importer says, or 100. */
  batchSize?: number;
  /** Seconds after which a row of a dead process is taken back; 30 by default. Renewed every third of it. */
  leaseSeconds?: number;
  /** Seconds after which a batch counts as hung; 120 by default. */
  batchSeconds?: number;
  /** Milliseconds between two sweeps without a wake; 1000 by default. */
  sweepEvery?: number;
  retries?: RetryRules;
}

export interface IngestWorker {
  /** Looks for due rows now. */
  look(): void;
  /** Takes back lost rows, and looks for due ones. */
  sweep(): void;
  /** Resolves when this process has nothing claimed. Rows that wait for a retry stay. */
  idle(): Promise<void>;
  /** Claims nothing more, finishes its claims, then resolves. */
  stop(): Promise<void>;
}

/** Processes the import ledger: claims due rows fairly by company, applies them in batches, renews leases, and takes back lost rows. */
export function startIngestWorker(options: IngestWorkerOptions): IngestWorker {
  const { em, log } = options;
  const retries = options.retries ?? RETRIES;
  const leaseSeconds = options.leaseSeconds ?? 30;
  const importers = new Map(options.importers.map((importer) => [importer.kind, importer]));
  const rules = {
    batchSize: options.batchSize ?? 100,
    batchSizes: options.batchSize ? {} : Object.fromEntries(options.importers.map(({ kind, batch }) => [kind, batch])),
    leaseSeconds,
    kinds: [...importers.keys()],
    supersedes: options.importers.filter((importer) => importer.supersedes).map((importer) => importer.kind),
  };
  const held = new LeaseKeeper(em, leaseSeconds, (error) => log.warn({ err: error }, 'import leases could not be renewed'));
  const concurrency = options.concurrency ?? 4;
  const gate = new ConcurrencyGate(concurrency, options.patience ?? 5_000);
  let turn: Turn = FIRST_TURN;
  const resting = new Resting((err, companyId) => log.warn({ err, companyId }, "a company's imports could not be claimed"));

  const nextClaims = async (lanes: number): Promise<Claim[]> => {
    const claims = await runAsPurpose(LEDGER, () => claim(em, rules, turn, lanes, resting));
    turn = claims.at(-1) ?? FIRST_TURN;
    for (const taken of claims) held.add(taken);
    // A claim that may end the process again goes last; equal ones are shuffled, because the same pair may come back.
    return claims.sort((a, b) => a.lost - b.lost || Math.random() - 0.5);
  };

  const drainer: Drainer = startDrainer<Claim>({
    slots: concurrency + (options.spare ?? 2),
    // Rows that wait for their turn are not claimed before: later there are more of them for one batch.
    room: () => gate.room,
    claim: nextClaims,
    more: (claims) => claims.some(({ more }) => more),
    run: async (taken) => {
      try {
        const importer = importers.get(taken.kind)!;
        const effect = { retries, idleSeconds: options.batchSeconds ?? 120 };
        const batch = { em, claim: taken, importer, rules: effect, gate, batchSeconds: options.batchSeconds ?? 120, log };
        await asCompanies([taken.companyId], () => traceBatch(tracing.of(em), batch, () => runBatch(batch)));
      } finally {
        nudgeWaiting(em);
        held.drop(taken);
      }
    },
    sweep: async () => {
      if (!(await runAsPurpose(LEDGER, () => anyExpired(em)))) return;
      const { open, parked } = await runAsPurpose(LEDGER, () => takeBackExpired(em, retries.lostClaims));
      if (open + parked > 0) log.warn({ open, parked }, 'took back imported records whose worker was lost');
    },
    waker: options.waker,
    sweepEvery: options.sweepEvery ?? 1000,
    report: (error, doing) => log.warn({ err: error }, `import ${doing} failed`),
  });
  return {
    look: drainer.look,
    sweep: drainer.sweep,
    idle: drainer.idle,
    async stop() {
      await drainer.stop();
      held.stop();
    },
  };
}
