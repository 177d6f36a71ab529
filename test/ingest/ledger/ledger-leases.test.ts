import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Importer } from '../../../src/ingest/importer.ts';
import { admit } from '../../../src/ingest/ledger/admit.ts';
import { type Claim, claim, FIRST_TURN } from '../../../src/ingest/ledger/claim.ts';
import { runEffect } from '../../../src/ingest/ledger/effect.ts';
import { takeBackExpired } from '../../../src/ingest/ledger/leases.ts';
import type { IngestWorker, IngestWorkerOptions } from '../../../src/ingest/worker.ts';
import type { Context } from '../../../src/platform/context.ts';
import { until } from '../../helpers/until.ts';
import {
  addSender,
  effectsOf,
  type Ledger,
  noneRests,
  openLedger,
  type Probe,
  probeImporter,
  QUICK,
  recordsOf,
  settled,
  startWorker,
  statesOf,
} from './probe-ledger.ts';

let ledger: Ledger;
let ctx: Context;
let worker: IngestWorker | undefined;
const importer = probeImporter();
const WATCH = { started: () => undefined, internal: () => undefined };

beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());
beforeEach(async () => {
  ctx = await addSender(ledger);
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

const send = (...probes: Probe[]) => admit(ctx, importer, probes);
const probes = (many: number): Probe[] => Array.from({ length: many }, (_, value) => ({ external_id: `K${value}`, value }));
async function work(options: Partial<IngestWorkerOptions> = {}) {
  worker = startWorker(ledger, options);
  await settled(ledger, ctx);
}
/** A claim whose process then dies. */
async function claimAndDie(leaseSeconds = 0): Promise<Claim[]> {
  const rules = { kinds: ['order' as const], supersedes: ['order' as const], batchSize: 100, leaseSeconds };
  return claim(ledger.orm.em, rules, FIRST_TURN, 10, noneRests);
}

test('rows of a lost process are taken back when their lease ends, and the attempt counts', async () => {
  await send({ external_id: 'A', value: 1 });
  const [lost] = await claimAndDie(0.2);
  expect(lost).toEqual({
    companyId: ctx.viewer!.companyId,
    kind: 'order',
    rows: [{ id: expect.any(String), attempt: 1 }],
    lost: 0,
    more: false,
  });
  expect(await claimAndDie()).toEqual([]);
  await work();
  expect(await recordsOf(ledger, ctx)).toEqual([expect.objectContaining({ state: 'processed', attempts: 2 })]);
  expect(await effectsOf(ledger, ctx)).toEqual([1]);
});

test('a claim reports whether more is due, and continues after the last turn, then from the start', async () => {
  await send(...probes(3));
  const rules = { kinds: ['order' as const], supersedes: ['order' as const], batchSize: 2, leaseSeconds: 30 };
  const here = { companyId: ctx.viewer!.companyId, kind: 'order' };
  const { em } = ledger.orm;
  const claims = [
    await claim(em, rules, FIRST_TURN, 4, noneRests),
    await claim(em, rules, here, 4, noneRests),
    await claim(em, rules, here, 4, noneRests),
  ];
  expect(claims.map((all) => all.map(({ rows, more }) => [rows.length, more]))).toEqual([[[2, true]], [[1, false]], []]);
});

test('a process that wakes up after its lease writes nothing: the attempt is the fencing token', async () => {
  await send({ external_id: 'A', value: 1 });
  const [slept] = await claimAndDie();
  await work();
  const rules = { retries: QUICK, idleSeconds: 10 };
  const tally = await runEffect(ledger.orm.em, slept!, importer, rules, WATCH);
  expect(tally).toEqual({});
  expect(await effectsOf(ledger, ctx)).toEqual([1]);
});

test('a newer payload waits for an older one that is being processed, and is applied after it', async () => {
  await send({ external_id: 'A', value: 1 });
  const [slow] = await claimAndDie(30);
  await send({ external_id: 'A', value: 2 });
  expect(await claimAndDie()).toEqual([]);
  const rules = { retries: QUICK, idleSeconds: 10 };
  await runEffect(ledger.orm.em, slow!, importer, rules, WATCH);
  await work();
  expect(await effectsOf(ledger, ctx)).toEqual([1, 2]);
});

test('a row that a newer one superseded is skipped even if both were claimed', async () => {
  await send({ external_id: 'A', value: 1 });
  const [older] = await claimAndDie(30);
  await send({ external_id: 'A', value: 2 });
  // As a claim does whose snapshot is from before the older row was leased.
  const [newer] = await ledger.sql<{ id: string }>(
    `update import_task set attempts = 1, lease_until = now() + interval '30 s' where attempts = 0 and company_id = ? returning id`,
    [ctx.viewer!.companyId],
  );
  const rules = { retries: QUICK, idleSeconds: 10 };
  const both = [{ ...older!, rows: [{ id: newer!.id, attempt: 1 }] }, older!];
  for (const batch of both) await runEffect(ledger.orm.em, batch, importer, rules, WATCH);
  expect(await statesOf(ledger, ctx)).toEqual(['A skipped', 'A processed']);
  expect(await effectsOf(ledger, ctx)).toEqual([2]);
});

test('a payload that kills its process is isolated in ever smaller batches and parked, and the others finish', async () => {
  await send(...probes(30));
  const [poison] = (await recordsOf(ledger, ctx)).filter((r) => r.imported_for === 'K13');
  const sizes: number[] = [];
  for (let claims = await claimAndDie(); claims.length > 0; claims = await claimAndDie()) {
    const batch = claims[0]!;
    sizes.push(batch.rows.length);
    if (batch.rows.some((row) => row.id === poison!.id)) await takeBackExpired(ledger.orm.em, QUICK.lostClaims);
    else {
      await ledger.sql("update import_task set lease_until = now() + interval '30 s' where lease_until is not null and company_id = ?", [
        batch.companyId,
      ]);
      await runEffect(ledger.orm.em, batch, importer, { retries: QUICK, idleSeconds: 10 }, WATCH);
    }
  }
  expect(sizes.slice(0, 4)).toEqual([30, 10, 10, 10]);
  expect(Math.max(...sizes.slice(4))).toBe(1);
  const records = await recordsOf(ledger, ctx);
  expect(records.filter((r) => r.state !== 'processed')).toEqual([
    expect.objectContaining({
      imported_for: 'K13',
      state: 'exhausted',
      attempts: 5,
      last_error: 'worker_lost: : processing never came to an end, 5 times',
    }),
  ]);
  expect((await effectsOf(ledger, ctx)).length).toBe(29);
});

test('a batch that never returns is ended on the server, and its payload is parked', async () => {
  await send({ external_id: 'A', value: 1, fail: { how: 'hang', times: 99 } }, { external_id: 'B', value: 2 });
  await work({ batchSeconds: 0.3 });
  expect(await statesOf(ledger, ctx)).toEqual(['A exhausted', 'B processed']);
  expect(await effectsOf(ledger, ctx)).toEqual([2]);
});

test('a slow batch blocks those of others no longer than its patience', async () => {
  const begun = Promise.withResolvers<void>();
  const slowness = Promise.withResolvers<void>();
  const slow: Importer = {
    ...importer,
    async apply(tx, records) {
      begun.resolve();
      if (records[0]!.companyId === ctx.viewer!.companyId) await slowness.promise;
      return importer.apply(tx, records);
    },
  };
  const small = await addSender(ledger);
  await send({ external_id: 'A', value: 1 });
  worker = startWorker(ledger, { importers: [slow], concurrency: 1, patience: 100 });
  await begun.promise;
  await admit(small, importer, probes(5));
  await settled(ledger, small);
  expect(await statesOf(ledger, ctx)).toEqual(['A created']);
  slowness.resolve();
  await settled(ledger, ctx);
});

test('rows that were lost with their process run when the process runs nothing else', async () => {
  const begun = Promise.withResolvers<void>();
  const slowness = Promise.withResolvers<void>();
  let inside = 0;
  const slow: Importer = {
    ...importer,
    async apply(tx, records) {
      const others = inside++;
      begun.resolve();
      if (records[0]!.companyId === ctx.viewer!.companyId) expect(others).toBe(0);
      else await slowness.promise;
      inside--;
      return importer.apply(tx, records);
    },
  };
  await send({ external_id: 'A', value: 1 });
  await claimAndDie();
  await takeBackExpired(ledger.orm.em, QUICK.lostClaims);
  const dueIn = (time: string) =>
    ledger.sql('update import_task set next_attempt_at = now() + ?::interval where company_id = ?', [time, ctx.viewer!.companyId]);
  await dueIn('1 hour');
  const other = await addSender(ledger);
  await admit(other, importer, probes(1));
  worker = startWorker(ledger, { importers: [slow], concurrency: 2 });
  await begun.promise;
  await dueIn('0 seconds');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(await statesOf(ledger, ctx)).toEqual(['A created']);
  slowness.resolve();
  await settled(ledger, ctx);
  expect(await recordsOf(ledger, ctx)).toEqual([expect.objectContaining({ state: 'processed', attempts: 2 })]);
});

test('the heartbeat renews the lease of a slow batch', async () => {
  const slowness = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow: Importer = {
    ...importer,
    async apply(tx, records) {
      begun.resolve();
      await slowness.promise;
      return importer.apply(tx, records);
    },
  };
  const lease = async () =>
    (
      await ledger.sql<{ ends: string }>('select lease_until::text as ends from import_task where company_id = ?', [ctx.viewer!.companyId])
    )[0]!;
  await send({ external_id: 'A', value: 1 });
  // It is renewed every two seconds, and ends only if the machine keeps the process from it for four.
  worker = startWorker(ledger, { importers: [slow], leaseSeconds: 6 });
  await begun.promise;
  const { ends } = await lease();
  await until(async () => (await lease()).ends > ends);
  slowness.resolve();
  await settled(ledger, ctx);
  expect(await recordsOf(ledger, ctx)).toEqual([expect.objectContaining({ state: 'processed', attempts: 1 })]);
});

test('a company with a large backlog does not delay the few rows of another', async () => {
  await send(...probes(900));
  const small = await addSender(ledger);
  await admit(small, importer, probes(5));
  const both = [ctx.viewer!.companyId, small.viewer!.companyId];
  await work({ batchSize: 50, concurrency: 1 });
  const order = await ledger.sql<{ company_id: string }>('select company_id from probe_effect where company_id = any(?) order by n', [
    `{${both}}`,
  ]);
  expect(order.findLastIndex((row) => row.company_id === small.viewer!.companyId)).toBeLessThan(120);
});

test('rows of a queue that was empty when it was analyzed are claimed within their lease, and locked one by one', async () => {
  const read: number[] = [];
  const counting: Importer = {
    ...importer,
    async apply(tx, records) {
      const [{ rows }] = (await tx.query<{ rows: number }>(
        `select (seq_tup_read + idx_tup_fetch)::float8 as rows from pg_stat_xact_user_tables where relid = 'import_task'::regclass`,
      )) as [{ rows: number }];
      read.push(rows / records.length);
      return importer.apply(tx, records);
    },
  };
  await send(...probes(100));
  await ledger.sql('delete from import_task');
  // Another who reads the table keeps the vacuum from giving its pages back: PostgreSQL thinks of pages without rows from then on.
  await ledger.sql('vacuum (truncate off) import_task');
  expect(
    await ledger.sql(`select relpages > 0 as pages, reltuples = 0 as empty from pg_class where oid = 'import_task'::regclass`),
  ).toEqual([{ pages: true, empty: true }]);
  await send(...probes(1500).map((probe) => ({ ...probe, external_id: `L${probe.value}` })));
  await work({ batchSize: 600, importers: [counting] });
  // Rows read for each that is worked: some more than one, as what the connection did just before is counted too; not the hundreds of the others.
  expect(Math.max(...read)).toBeLessThan(100);
  expect(
    await ledger.sql(`select distinct attempts from imported_record where state = 'processed' and company_id = ?`, [ctx.viewer!.companyId]),
  ).toEqual([{ attempts: 1 }]);
});
