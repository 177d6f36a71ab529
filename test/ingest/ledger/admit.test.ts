import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { admit } from '../../../src/ingest/ledger/admit.ts';
import { ingestWaker } from '../../../src/ingest/wake.ts';
import { applicationOf } from '../../../src/platform/application.ts';
import type { HaulgateError } from '../../../src/platform/errors.ts';
import { addSender, effectsOf, type Ledger, openLedger, probeImporter, recordsOf, settled, startWorker } from './probe-ledger.ts';

let ledger: Ledger;
const importer = probeImporter();
beforeAll(async () => {
  ledger = await openLedger(20);
});
afterAll(() => ledger.close());

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: HaulgateError) => error,
  );

test('a client without the permission for the kind is refused', async () => {
  const ctx = await addSender(ledger, ['create_ticket']);
  expect(await refusal(admit(ctx, importer, [{}]))).toMatchObject({ status: 403 });
  expect(await recordsOf(ledger, ctx)).toEqual([]);
});

test('a company that is not visible does not exist for the sender', async () => {
  const [ctx, foreign] = [await addSender(ledger), await addSender(ledger)];
  expect(await refusal(admit(ctx, importer, [{}], { companyId: foreign.viewer!.companyId }))).toMatchObject({ status: 404 });
});

test('over the backlog limit the sender gets a Retry-After, and nothing is stored', async () => {
  const ctx = await addSender(ledger);
  await admit(ctx, importer, [{ external_id: 'A' }, { external_id: 'B' }], { backlogLimit: 3 });
  const refused = await refusal(admit(ctx, importer, [{ external_id: 'C' }, { external_id: 'D' }], { backlogLimit: 3 }));
  expect(refused).toMatchObject({ status: 429, retryAfter: 30 });
  expect((await recordsOf(ledger, ctx)).length).toBe(2);
});

test.each([
  ['NUL', '\u0000'],
  ['half a surrogate pair', '\ud83d'],
  ['the other half', 'a\udc00'],
])('%s in any string or key refuses the request and names the element', async (_, text) => {
  const ctx = await addSender(ledger);
  const refused = await refusal(admit(ctx, importer, [{ external_id: 'A' }, { external_id: 'B', deep: [{ [`x${text}`]: 1 }] }]));
  expect(refused).toMatchObject({ status: 422, items: [{ model: 'ImportedRecord', field: 'orders.1', key: 'import_text_invalid' }] });
  expect(await recordsOf(ledger, ctx)).toEqual([]);
});

test('backslashes, surrogate pairs and odd spellings are stored unchanged', async () => {
  const ctx = await addSender(ledger);
  const payload = { external_id: '\\u0000', name: '\\\\ud800 😀 \u2028', __proto__x: null, n: 1e21 };
  await admit(ctx, importer, [payload]);
  expect((await recordsOf(ledger, ctx))[0]).toMatchObject({ payload, imported_for: '\\u0000' });
});

test('workers are woken when the rows are visible', async () => {
  const ctx = await addSender(ledger);
  const seen: Promise<number>[] = [];
  const application = applicationOf(ledger.orm.em);
  const waker = ingestWaker.of(application);
  application.provide(ingestWaker, {
    wake: () => void seen.push(recordsOf(ledger, ctx).then((rows) => rows.length)),
    listen: () => undefined,
    close: async () => undefined,
  });
  await admit(ctx, importer, [{ external_id: 'A' }, { external_id: 'B' }]);
  application.provide(ingestWaker, waker);
  expect(await Promise.all(seen)).toEqual([2]);
});

test('concurrent requests for a key are applied in the order of their numbers, and the highest wins', async () => {
  const ctx = await addSender(ledger);
  const worker = startWorker(ledger, { concurrency: 4 });
  await Promise.all(
    Array.from({ length: 40 }, (_, value) =>
      admit(ctx, importer, [
        { external_id: 'A', value },
        { external_id: `own ${value}`, value: 100 },
      ]),
    ),
  );
  await settled(ledger, ctx);
  await worker.stop();
  const records = (await recordsOf(ledger, ctx)).filter((r) => r.imported_for === 'A');
  const last = records.at(-1) as unknown as { payload: { value: number }; state: string };
  expect(last.state).toBe('processed');
  const applied = await effectsOf(ledger, ctx, 'A');
  expect(applied.at(-1)).toBe(last.payload.value);
  const places = applied.map((value) => records.findIndex((r) => (r.payload as { value: number }).value === value));
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

test('of two records of a key, the one received later has the higher number', async () => {
  const ctx = await addSender(ledger);
  await Promise.all(Array.from({ length: 40 }, (_, n) => admit(ctx, importer, [{ external_id: 'K', n }])));
  const received = await ledger.sql<{ at: string }>(
    'select import_received_at::text as at from imported_record where company_id = ? order by sequence',
    [ctx.viewer!.companyId],
  );
  expect(received.map(({ at }) => at)).toEqual(received.map(({ at }) => at).sort());
  expect(new Set(received.map(({ at }) => at)).size).toBe(40);
});
