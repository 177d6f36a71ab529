import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { checkInvariants, describeChecked } from '../../src/reporting/invariants/check-invariants.ts';
import { startProduct, tokenOf } from '../bench/start.ts';
import { backUp, own } from './backup.ts';
import { folderFor, kill, makeSender, performed, reached, Sender, say, settled, type Undo } from './stage.ts';

/** Orders that a sender must have got acknowledged before each step. */
const ENOUGH = 300;

/**
 * Restores a database to a moment: a backup is taken while orders arrive, somebody then destroys data, the server is lost, and another one is
 * made from the backup and the archived log up to the moment before the mistake.
 * @returns whether everything that was acknowledged before that moment is there, the mistake is not, the books agree, and work goes on
 */
export const drillRestore = (): Promise<boolean> => performed(restore);

async function restore(undo: Undo): Promise<boolean> {
  const [first, second] = [folderFor('first', undo), folderFor('second', undo)];
  const archive = folderFor('archive', undo, true);
  const files = folderFor('files', undo);
  const lost = await startEmbeddedPostgres({
    dataDir: first,
    settings: {
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
      archive_timeout: '5',
    },
  });
  let running = true;
  undo.push(() => running && lost.stop());
  say('PostgreSQL runs and archives its log');
  const { child, url } = await startProduct(lost.url, files, 'all');
  undo.push(() => child.exitCode === null && child.signalCode === null && kill(child));
  const base = new URL(url!);
  const { clientId, clientSecret } = await makeSender(lost.url, 'Drill Haulage');
  const sender = new Sender(() => base, await tokenOf(base, clientId, clientSecret));
  await reached(sender, ENOUGH);
  say(`${sender.acknowledged.length} orders were acknowledged`);

  const backup = join(dirname(second), 'backup');
  await backUp(lost.url, join(first, 'postgres'), backup);
  say('a backup of the running server is taken');
  await reached(sender, sender.acknowledged.length + ENOUGH);

  const owner = new pg.Client(lost.url);
  await owner.connect();
  const moment = (await owner.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]!.now;
  const promised = sender.acknowledged.map(({ externalId }) => externalId);
  await sleep(1_000);
  const { rowCount } = await owner.query(`update orders set notes = 'overwritten by mistake'`);
  say(`somebody overwrites the notes of ${rowCount} orders, after ${promised.length} orders were acknowledged`);
  await sleep(1_000);
  await sender.stop();
  await owner.query('select pg_switch_wal()');
  await owner.end();
  await archived(lost.url);
  await kill(child);
  await lost.stop();
  running = false;
  rmSync(first, { recursive: true });
  say('the server and its disk are lost');

  const from = performance.now();
  cpSync(backup, join(second, 'postgres'), { recursive: true, preserveTimestamps: true });
  own(backup, join(second, 'postgres'));
  cpSync(join(backup, '..', 'postgres.password'), join(second, 'postgres.password'));
  writeFileSync(join(second, 'postgres', 'recovery.signal'), '');
  const restored = await startEmbeddedPostgres({
    dataDir: second,
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: moment,
      recovery_target_action: 'promote',
      // Nobody gets in before it is where it should be.
      hot_standby: 'off',
    },
  });
  undo.push(() => restored.stop());
  say(`PostgreSQL is restored to ${moment} in ${((performance.now() - from) / 1000).toFixed(1)} s`);

  const after = await startProduct(restored.url, files, 'all');
  undo.push(() => after.child.exitCode === null && kill(after.child));
  const token = await tokenOf(new URL(after.url!), clientId, clientSecret);
  const client = new pg.Client(restored.url);
  await client.connect();
  undo.push(() => client.end());
  // What was acknowledged is processed by now, or will be: nothing of it may be missing from the ledger.
  const { rows: kept } = await client.query<{ key: string }>(
    'select distinct imported_for as key from imported_record where imported_for = any($1)',
    [promised],
  );
  const { rows: mistakes } = await client.query(`select from orders where notes = 'overwritten by mistake'`);
  const missing = promised.length - kept.length;
  say(`${kept.length} of ${promised.length} acknowledged orders are there, ${mistakes.length} are overwritten`);
  const processed = await settled(client, promised);
  say(`${processed} of them are orders now`);
  const next = new Sender(() => new URL(after.url!), token);
  await reached(next, 10);
  await next.stop();
  say('new orders are taken');
  const checked = await checkInvariants(async (sql) => (await client.query<object>(sql)).rows);
  const broken = checked.filter(({ count }) => count > 0);
  if (broken.length > 0) process.stdout.write(describeChecked(broken));
  say(broken.length === 0 ? `all ${checked.length} invariants of the books hold` : `${broken.length} invariants are broken`);
  return missing === 0 && mistakes.length === 0 && processed === promised.length && broken.length === 0;
}

/** Resolves when the log up to the last switch is archived. @throws Error after a minute */
async function archived(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (const end = performance.now() + 60_000; ; await sleep(100)) {
      const { rows } = await client.query<{ done: boolean }>(
        `select coalesce(last_archived_wal >= pg_walfile_name(pg_switch_wal()), false)
          or last_archived_time > now() - interval '2 seconds' as done from pg_stat_archiver`,
      );
      if (rows[0]!.done) return;
      if (performance.now() > end) throw new Error('the log is not archived');
    }
  } finally {
    await client.end();
  }
}
