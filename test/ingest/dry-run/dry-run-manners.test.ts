import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Preview } from '../../../src/ingest/dry-run/dry-preview.ts';
import { dryRun } from '../../../src/ingest/dry-run/dry-run.ts';
import type { BatchTx, Importer } from '../../../src/ingest/importer.ts';
import type { Context } from '../../../src/platform/context.ts';
import { Invalid, TooMany } from '../../../src/platform/errors.ts';
import { addSender, type Ledger, openLedger } from '../ledger/probe-ledger.ts';

let ledger: Ledger;
let ctx: Context;
beforeAll(async () => {
  ledger = await openLedger();
  await ledger.sql('create table probe_key (key text primary key, value int not null default 0)');
});
afterAll(() => ledger.close());
beforeEach(async () => {
  ctx = await addSender(ledger);
  await ledger.sql('truncate probe_key');
});

/** An importer that does this to every batch, and finds nothing wrong with it. */
const doing = (apply: (tx: BatchTx) => Promise<unknown>): Importer => ({
  kind: 'order',
  supersedes: true,
  keyField: 'external_id',
  async apply(tx, records) {
    await apply(tx);
    return records.map(() => ({ state: 'processed' as const }));
  },
});
const tryOut = (importer: Importer, by = ctx): Promise<Preview[]> => dryRun(by, importer, [{ external_id: 'A' }]);
const sleeps = async (tx: BatchTx, times: number) => {
  for (let i = 0; i < times; i++) await tx.query('select pg_sleep(0.05)');
};
/** A promise, and what fulfils it. */
const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
};

test.each([
  ['a key that it would make', 'insert into probe_key values ($1)', 'insert into probe_key values (?)', undefined],
  ['a row that it would change', 'update probe_key set value = 1 where key = $1', 'update probe_key set value = 2 where key = ?', 'K'],
  ['a lock that it took', 'select pg_advisory_xact_lock(hashtext($1))', 'select pg_advisory_xact_lock(hashtext(?))', undefined],
])(
  'whoever waits for %s goes first, and the dry run begins again',
  async (_what, dry, real, present) => {
    if (present) await ledger.sql('insert into probe_key values (?)', [present]);
    const holding = gate();
    let attempts = 0;
    const previewed = tryOut(
      doing(async (tx) => {
        attempts++;
        if ((await tx.query('select from probe_key where key = $1 and value <> 1', ['K'])).length === 0 || attempts === 1)
          await tx.query(dry, ['K']);
        holding.open();
        // Far longer than anybody would be held up who is let past.
        await sleeps(tx, 60);
      }),
    );
    await holding.opened;
    let ended = false;
    void previewed.then(() => (ended = true));
    await ledger.sql(real, ['K']);
    expect(ended).toBe(false);
    expect((await previewed).map(({ state }) => state)).toEqual(['processed']);
    expect(attempts).toBe(2);
  },
  60_000,
);

test('a dry run waits for the locks of an import, and no element fails because of them', async () => {
  await ledger.sql("insert into probe_key values ('K')");
  const tried = gate();
  let attempts = 0;
  const em = ledger.orm.em.fork();
  await em.begin();
  await em.execute("update probe_key set value = 7 where key = 'K'");
  const previewed = tryOut(
    doing(async (tx) => {
      if (++attempts === 3) tried.open();
      await tx.query("update probe_key set value = value + 1 where key = 'K'");
    }),
  );
  await tried.opened;
  await em.commit();
  expect((await previewed)[0]).toMatchObject({ state: 'processed', lastError: null });
  expect(await ledger.sql('select value from probe_key')).toEqual([{ value: 7 }]);
});

test('a dry run begins again for a key that an import creates meanwhile; a key that the importer creates twice is its mistake', async () => {
  let attempts = 0;
  const made = await tryOut(
    doing(async (tx) => {
      const known = await tx.query("select from probe_key where key = 'K'");
      if (++attempts === 1) await ledger.sql("insert into probe_key values ('K')");
      if (known.length === 0) await tx.query("insert into probe_key values ('K')");
    }),
  );
  expect([made[0]!.state, attempts]).toEqual(['processed', 2]);
  const twice = await tryOut(doing((tx) => tx.query("insert into probe_key values ('K')")));
  expect(twice[0]).toMatchObject({ state: 'failed', lastError: expect.stringMatching(/^internal: /) });
});

test('an element that fails late fails alone, as in the real run', async () => {
  const slowly = doing(async (tx) => {
    await sleeps(tx, 3);
    await tx.query('select pg_sleep(0.1), 1 / (pg_backend_pid() - pg_backend_pid())');
  });
  expect((await tryOut(slowly))[0]).toMatchObject({ state: 'failed', lastError: expect.stringMatching(/^internal: /) });
});

test.each([
  ['a statement', (tx: BatchTx) => tx.query('select pg_sleep(30)')],
  ['what is flushed', async (tx: BatchTx) => tx.em.execute('select pg_sleep(30)')],
])('%s that is cut short by the time limit ends the dry run, without an internal error', async (_what, slow) => {
  const cut = doing(async (tx) => {
    await tx.query(`select set_config('statement_timeout', '50ms', true)`);
    await slow(tx);
  });
  const error = await tryOut(cut).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(Invalid);
  expect((error as Invalid).items[0]).toMatchObject({ field: 'orders', key: 'import_dry_run_too_large', params: { seconds: 20 } });
  expect((await tryOut(doing(async () => undefined)))[0]!.state).toBe('processed');
});

test('a company has one dry run at a time, in all processes, and blocks no other company', async () => {
  const other = await addSender(ledger);
  const began = gate();
  const goOn = gate();
  const first = tryOut(
    doing(async () => {
      began.open();
      await goOn.opened;
    }),
  );
  await began.opened;
  const quick = doing(async () => undefined);
  await expect(tryOut(quick)).rejects.toBeInstanceOf(TooMany);
  // One of a parent company, for a child, is the parent's.
  const parent = { ...ctx, viewer: { ...ctx.viewer!, companyIds: [ctx.viewer!.companyId, other.viewer!.companyId] } };
  await expect(dryRun(parent, quick, [{}], { companyId: other.viewer!.companyId })).rejects.toBeInstanceOf(TooMany);
  expect((await tryOut(quick, other))[0]!.state).toBe('processed');
  goOn.open();
  await first;
  expect((await tryOut(quick))[0]!.state).toBe('processed');

  const elsewhere = ledger.orm.em.fork();
  await elsewhere.begin();
  await elsewhere.execute(`select pg_advisory_xact_lock(hashtextextended('haulgate:dry-run:' || ?, 0))`, [ctx.viewer!.companyId]);
  await expect(tryOut(quick)).rejects.toBeInstanceOf(TooMany);
  await elsewhere.rollback();
  expect((await tryOut(quick))[0]!.state).toBe('processed');
});

test('a dry run locks no key: a concurrent import of the same key goes on', async () => {
  const company = ctx.viewer!.companyId;
  await ledger.sql(`insert into import_key (company_id, kind, imported_for) values (?, 'order', 'A')`, [company]);
  let other: unknown;
  const previewed = await tryOut(
    doing(async () => {
      other = await ledger.sql(`select 'free' as key from import_key where company_id = ? and kind = 'order' for update nowait`, [company]);
    }),
  );
  // An error of the importer would be the record's, and not the dry run's.
  expect([previewed.map(({ state }) => state), other]).toEqual([['processed'], [{ key: 'free' }]]);
});
