import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { admit } from '../../../src/ingest/ledger/admit.ts';
import type { IngestWorker, IngestWorkerOptions } from '../../../src/ingest/worker.ts';
import type { Context } from '../../../src/platform/context.ts';
import {
  addSender,
  effectsOf,
  type Ledger,
  openLedger,
  type Probe,
  probeImporter,
  recordsOf,
  settled,
  startWorker,
  statesOf,
} from './probe-ledger.ts';

let ledger: Ledger;
let ctx: Context;
let worker: IngestWorker | undefined;
const importer = probeImporter();

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
async function work(options: Partial<IngestWorkerOptions> = {}) {
  worker ??= startWorker(ledger, options);
  worker.look();
  await settled(ledger, ctx);
}

test('a payload is stored with its sender, applied once and reported', async () => {
  const { batchId, records } = await send({ external_id: 'A', value: 1, metadata: { run: 7 } });
  expect(records).toEqual([{ id: expect.any(String), importedFor: 'A', state: 'created' }]);
  expect(await recordsOf(ledger, ctx)).toEqual([
    expect.objectContaining({
      id: records[0]!.id,
      batch_id: batchId,
      batch_index: 0,
      kind: 'order',
      state: 'created',
      attempts: 0,
      processed_at: null,
    }),
  ]);
  await work();
  expect(await recordsOf(ledger, ctx)).toEqual([
    expect.objectContaining({
      id: records[0]!.id,
      state: 'processed',
      attempts: 1,
      last_error: null,
      next_attempt_at: null,
      processed_at: expect.any(String),
      result_id: records[0]!.id,
      payload: { external_id: 'A', value: 1, metadata: { run: 7 } },
      metadata: { run: 7 },
      warnings: [{ code: 'unknown_fields', pointer: '/value', given: 1 }],
    }),
  ]);
  expect(await effectsOf(ledger, ctx)).toEqual([1]);
  const by = { created_by_type: 'M2MClient', created_by_id: ctx.viewer!.id, created_by_name: 'Night batch', request_id: ctx.requestId };
  expect(await ledger.sql('select * from outbox_event where company_id = ?', [ctx.viewer!.companyId])).toEqual([
    expect.objectContaining({ ...by, name: 'probe.applied', subject_id: records[0]!.id }),
  ]);
});

test('the same payload again is skipped as a duplicate, whatever its metadata and the order of its keys', async () => {
  await send({ external_id: 'A', value: 1, metadata: { run: 1 } });
  await work();
  await send({ metadata: { run: 2 }, value: 1, external_id: 'A' });
  await work();
  expect(await recordsOf(ledger, ctx)).toEqual([
    expect.objectContaining({ state: 'processed' }),
    expect.objectContaining({ state: 'skipped', last_error: 'duplicate', attempts: 1 }),
  ]);
  expect(await effectsOf(ledger, ctx)).toEqual([1]);
});

test('A, B, A ends in A: only the last applied payload makes a duplicate', async () => {
  for (const value of [1, 2, 1]) {
    await send({ external_id: 'A', value });
    await work();
  }
  expect(await effectsOf(ledger, ctx)).toEqual([1, 2, 1]);
});

test('the second of two equal elements in one request is skipped at once', async () => {
  const { records } = await send({ external_id: 'A', value: 1 }, { external_id: 'A', value: 1 }, { external_id: 'B', value: 1 });
  expect(records.map((r) => r.state)).toEqual(['created', 'skipped', 'created']);
  await work();
  expect(await statesOf(ledger, ctx)).toEqual(['A processed', 'A skipped', 'B processed']);
});

test('a newer payload supersedes the older open ones of its key', async () => {
  await send({ external_id: 'A', value: 1 }, { external_id: 'A', value: 2 });
  await send({ external_id: 'A', value: 3 });
  await work();
  expect(await recordsOf(ledger, ctx)).toEqual([
    expect.objectContaining({ state: 'skipped', last_error: 'superseded' }),
    expect.objectContaining({ state: 'skipped', last_error: 'superseded' }),
    expect.objectContaining({ state: 'processed', last_error: null }),
  ]);
  expect(await effectsOf(ledger, ctx)).toEqual([3]);
});

test('a corrected payload does not wait behind the failed one, and an equal one is tried at once', async () => {
  worker = startWorker(ledger, { retries: { transient: [3600], deterministic: [3600], lostClaims: 5 } });
  await send(
    { external_id: 'A', value: 1, fail: { how: 'outcome', times: 1 } },
    { external_id: 'B', value: 1, fail: { how: 'outcome', times: 1 } },
  );
  worker.look();
  for (let open = 2; open > 0; await new Promise((resolve) => setTimeout(resolve, 10))) {
    open = (await recordsOf(ledger, ctx)).filter((r) => r.state === 'created').length;
  }
  expect(await statesOf(ledger, ctx)).toEqual(['A failed', 'B failed']);
  await send({ external_id: 'A', value: 2 }, { external_id: 'B', value: 1, fail: { how: 'outcome', times: 0 } });
  await work();
  expect(await statesOf(ledger, ctx)).toEqual(['A skipped', 'B skipped', 'A processed', 'B processed']);
});

test('kinds that are only created process a key in order of receipt; only a failed one makes way for the next', async () => {
  const tickets = probeImporter('ticket', false);
  await admit(
    ctx,
    tickets,
    [1, 2, 3, 4].map((value) => ({ external_id: 'T', value, ...(value === 2 ? { fail: { how: 'throw', times: 1 } } : {}) })),
  );
  await work({ importers: [tickets], concurrency: 4, retries: { transient: [3600], deterministic: [3600], lostClaims: 5 } });
  expect(await effectsOf(ledger, ctx)).toEqual([1, 3, 4]);
  expect((await recordsOf(ledger, ctx)).map((r) => [r.state, r.last_error])).toEqual([
    ['processed', null],
    ['skipped', 'superseded'],
    ['processed', null],
    ['processed', null],
  ]);
});

test('one wrong element does not delay its batch, and leaves nothing behind', async () => {
  const probes = Array.from({ length: 40 }, (_, value): Probe => ({ external_id: `K${value}`, value }));
  probes[7]!.fail = { how: 'invalid', times: 99 };
  probes[8]!.fail = { how: 'database', times: 99 };
  probes[30]!.fail = { how: 'throw', times: 99 };
  await send(...probes);
  await work();
  const bad = (await recordsOf(ledger, ctx)).filter((r) => r.state !== 'processed');
  expect(bad.map((r) => [r.imported_for, r.state, r.attempts, r.last_error])).toEqual([
    ['K7', 'exhausted', 3, 'import_not_an_object: /waypoints/1/site_id: must be an object'],
    ['K8', 'exhausted', 3, 'internal: : could not be processed because of an internal error'],
    ['K30', 'exhausted', 3, 'internal: : could not be processed because of an internal error'],
  ]);
  expect((await effectsOf(ledger, ctx)).sort((a, b) => a - b)).toEqual(probes.map((p) => p.value).filter((v) => ![7, 8, 30].includes(v!)));
  const failures = await ledger.sql<{ name: string }>(
    "select name from outbox_event where company_id = ? and subject_id = ? and name like 'imported%' order by position",
    [ctx.viewer!.companyId, bad[0]!.id],
  );
  expect(failures.map((e) => e.name)).toEqual(['imported_order.failed', 'imported_order.failed', 'imported_order.exhausted']);
});

test.each([
  ['outcome', 2, 'processed', 3],
  ['outcome', 3, 'exhausted', 3],
  ['transient', 5, 'processed', 6],
  ['transient', 6, 'exhausted', 6],
] as const)('a fault of kind %s that lasts %i attempts ends %s after %i', async (how, times, state, attempts) => {
  await send({ external_id: 'A', value: 1, fail: { how, times } });
  await work();
  expect(await recordsOf(ledger, ctx)).toEqual([expect.objectContaining({ state, attempts })]);
  expect(await effectsOf(ledger, ctx)).toEqual(state === 'processed' ? [1] : []);
});

test('after a failure, and after a skip by a business rule, the same payload is processed again', async () => {
  await send({ external_id: 'A', value: 1, fail: { how: 'outcome', times: 3 } }, { external_id: 'B', value: 1, outcome: 'skipped' });
  await work();
  await send({ external_id: 'A', value: 1, fail: { how: 'outcome', times: 3 } }, { external_id: 'B', value: 1, outcome: 'skipped' });
  await work();
  expect(await statesOf(ledger, ctx)).toEqual(['A exhausted', 'B skipped', 'A exhausted', 'B skipped']);
  expect((await recordsOf(ledger, ctx)).map((r) => r.last_error === 'duplicate')).toEqual([false, false, false, false]);
});

test('elements without a key, and elements that are no objects, become separate records', async () => {
  const { records } = await admit(ctx, importer, [{ value: 1 }, 'text', null, [1], { value: 2 }, { external_id: 'x'.repeat(501) }]);
  expect(records.map((r) => r.state)).toEqual(['created', 'exhausted', 'exhausted', 'exhausted', 'created', 'exhausted']);
  await work();
  expect((await recordsOf(ledger, ctx)).map((r) => [r.payload, r.state, r.last_error])).toEqual([
    [{ value: 1 }, 'processed', null],
    ['text', 'exhausted', 'not_an_object: : must be an object'],
    [null, 'exhausted', 'not_an_object: : must be an object'],
    [[1], 'exhausted', 'not_an_object: : must be an object'],
    [{ value: 2 }, 'processed', null],
    [expect.anything(), 'exhausted', 'key_too_long: /external_id: is longer than 500 characters'],
  ]);
});

test('a worker that stops finishes its claims and claims nothing more', async () => {
  await send(...Array.from({ length: 300 }, (_, value): Probe => ({ external_id: `K${value}`, value })));
  const stopping = startWorker(ledger, { batchSize: 10, concurrency: 2 });
  await stopping.stop();
  const leased = await ledger.sql('select id from import_task where lease_until is not null and company_id = ?', [ctx.viewer!.companyId]);
  expect(leased).toEqual([]);
  await work();
  expect((await effectsOf(ledger, ctx)).length).toBe(300);
});
