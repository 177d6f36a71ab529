import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { startProduct, tokenOf } from '../bench/start.ts';
import { backUp, own } from './backup.ts';
import { signalAll } from './signals.ts';
import { booksAgree, folderFor, kill, type Login, makeSender, performed, reached, Sender, say, settled, type Undo } from './stage.ts';

/** Orders that a sender must have got acknowledged before each step. */
const ENOUGH = 300;
/** Seconds after which PostgreSQL archives a part of its log that is not full: what may be lost with the disk. */
const ARCHIVED_AFTER = 5;
/** Seconds in addition that it may take on a busy machine to notice that, and to copy the part. */
const DELAYED = 10;
/** Milliseconds in which the part with the mistake must be archived. */
const PATIENCE = 300_000;

/**
 * Restores a database twice from one backup. It is taken while orders arrive, somebody then destroys data, and later the server dies in the middle of its
 * work, with its disk. One copy is restored to the moment before the mistake, the other one to the end of the archived log.
 * @param delayed seconds in addition to `archive_timeout` that the machine may take to archive a part
 * @returns whether everything that was acknowledged before that moment is there, the mistake is not, and work goes on; whether the other one has all that
 *   was acknowledged up to its recovery point, which is as near to the death of the server as the archive promises; and whether the books of both agree
 */
export const drillRestore = (delayed = DELAYED): Promise<boolean> => performed((undo) => restore(undo, delayed));

async function restore(undo: Undo, delayed: number): Promise<boolean> {
  const first = folderFor('first', undo);
  const archive = folderFor('archive', undo, true);
  const files = folderFor('files', undo);
  const lost = await startEmbeddedPostgres({
    dataDir: first,
    settings: {
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
      archive_timeout: String(ARCHIVED_AFTER),
    },
  });
  undo.push(() => lost.stop());
  say('PostgreSQL runs and archives its log');
  const { child, url } = await startProduct(lost.url, files, 'all');
  undo.push(() => kill(child));
  const base = new URL(url!);
  const login = await makeSender(lost.url, 'Drill Haulage');
  const sender = new Sender(() => base, await tokenOf(base, login.clientId, login.clientSecret));
  await reached(sender, ENOUGH);
  say(`${sender.acknowledged.length} orders were acknowledged`);

  const backup = join(dirname(folderFor('backup', undo)), 'copy');
  await backUp(lost.url, join(first, 'postgres'), backup);
  say('a backup of the running server is taken');
  await reached(sender, sender.acknowledged.length + ENOUGH);

  const owner = new pg.Client(lost.url);
  // It dies with its server.
  owner.on('error', () => {});
  await owner.connect();
  const moment = (await owner.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]!.now;
  const promised = sender.acknowledged.map(({ externalId }) => externalId);
  await sleep(1_000);
  const { rowCount } = await owner.query(`update orders set notes = 'overwritten by mistake'`);
  say(`somebody overwrites the notes of ${rowCount} orders, after ${promised.length} orders were acknowledged`);
  // Nobody notices yet, and meanwhile it gets into the archive.
  await archived(owner);
  signalAll(lost.pid, 'SIGKILL');
  const died = Date.now();
  await kill(child);
  await sender.stop();
  await lost.stop();
  rmSync(first, { recursive: true });
  say(`the server dies in the middle of its work, and its disk is lost; ${sender.acknowledged.length} orders were acknowledged`);

  const restored = await restoreFrom(
    { backup, archive, target: { recovery_target_time: moment, recovery_target_action: 'promote' } },
    undo,
  );
  const toMoment = (new Date(moment).getTime() - (await recoveryPoint(restored))) / 1_000;
  say(
    `PostgreSQL is restored to ${moment} in ${restored.seconds.toFixed(1)} s: its recovery point is ${toMoment.toFixed(3)} s before that`,
  );
  const isAsBefore = await examineMoment(restored, { promised, files, login }, undo);

  const latest = await restoreFrom({ backup, archive, target: {} }, undo);
  const point = await recoveryPoint(latest);
  const behind = (died - point) / 1_000;
  say(`another copy is restored to the end of the archive: its recovery point is ${behind.toFixed(1)} s before the death of the server`);
  const kept = sender.acknowledged.filter(({ at }) => at <= point).map(({ externalId }) => externalId);
  const isWhole = (await missing(latest.client, kept)) === 0;
  const all = sender.acknowledged.map(({ externalId }) => externalId);
  say(
    `${await missing(latest.client, all)} of ${all.length} acknowledged orders are lost, those of after it${isWhole ? '' : ', and some of before'}`,
  );
  const agree = await booksAgree(latest.client);
  return isAsBefore && toMoment >= 0 && isWhole && behind <= ARCHIVED_AFTER + delayed && agree;
}

/** Resolves when the archive has all that the log has had when this is called. @throws Error if it takes too long */
async function archived(owner: pg.Client): Promise<void> {
  const { part } = (await owner.query<{ part: string }>('select pg_walfile_name(pg_current_wal_lsn()) as part')).rows[0]!;
  for (const end = performance.now() + PATIENCE; ; await sleep(100)) {
    const { rows } = await owner.query<{ last: string | null }>('select last_archived_wal as last from pg_stat_archiver');
    // Names of parts of one history are in their order.
    if ((rows[0]!.last ?? '') >= part) return;
    if (performance.now() > end) throw new Error(`${part} of the log is not archived`);
  }
}

interface Restored {
  url: string;
  client: pg.Client;
  /** The time that it took. */
  seconds: number;
}

/** Puts a backup in place and has PostgreSQL replay the archived log. */
async function restoreFrom(
  { backup, archive, target }: { backup: string; archive: string; target: Record<string, string> },
  undo: Undo,
): Promise<Restored> {
  const folder = folderFor('restored', undo);
  const from = performance.now();
  cpSync(backup, join(folder, 'postgres'), { recursive: true, preserveTimestamps: true });
  own(backup, join(folder, 'postgres'));
  cpSync(join(backup, '..', 'postgres.password'), join(folder, 'postgres.password'));
  writeFileSync(join(folder, 'postgres', 'recovery.signal'), '');
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    settings: {
      restore_command: `cp ${archive}/%f %p`,
      // Nobody gets in before it is where it should be.
      hot_standby: 'off',
      ...target,
    },
  });
  undo.push(() => server.stop());
  const client = new pg.Client(server.url);
  await client.connect();
  undo.push(() => client.end());
  return { url: server.url, client, seconds: (performance.now() - from) / 1_000 };
}

/** When the last transaction ended that PostgreSQL has replayed, in milliseconds. */
async function recoveryPoint({ client }: Restored): Promise<number> {
  const { rows } = await client.query<{ at: Date }>('select pg_last_xact_replay_timestamp() as at');
  return rows[0]!.at.getTime();
}

/** Examines what was restored to the moment before the mistake, and goes on working there. */
async function examineMoment(
  { url, client }: Restored,
  { promised, files, login }: { promised: readonly string[]; files: string; login: Login },
  undo: Undo,
): Promise<boolean> {
  const after = await startProduct(url, files, 'all');
  undo.push(() => kill(after.child));
  const base = new URL(after.url!);
  const token = await tokenOf(base, login.clientId, login.clientSecret);
  // Every acknowledged element is processed by now, or will be: none may be missing from the ledger.
  const lost = await missing(client, promised);
  const { rows: mistakes } = await client.query(`select from orders where notes = 'overwritten by mistake'`);
  say(`${promised.length - lost} of ${promised.length} acknowledged orders are there, ${mistakes.length} are overwritten`);
  const processed = await settled(client, promised);
  say(`${processed} of them are orders now`);
  const next = new Sender(() => base, token, 10, 'NEXT');
  await reached(next, 10);
  await next.stop();
  say('new orders are taken');
  const agree = await booksAgree(client);
  await kill(after.child);
  return lost === 0 && mistakes.length === 0 && processed === promised.length && agree;
}

/** The number of these orders that the ledger does not know. */
async function missing(client: pg.Client, externalIds: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ known: number }>(
    'select count(distinct imported_for)::int as known from imported_record where imported_for = any($1)',
    [externalIds],
  );
  return externalIds.length - rows[0]!.known;
}
