import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { startProduct, tokenOf } from '../bench/start.ts';
import { Followers, TO_THIS_MACHINE } from './followers.ts';
import { signalAll } from './signals.ts';
import { booksAgree, folderFor, kill, makeSender, performed, reached, Sender, say, settled, type Undo } from './stage.ts';
import { OF_PRIMARY, startStandby } from './standby.ts';

/** Orders that must be acknowledged before and after the failover. */
const ENOUGH = 300;
/** Senders at once: some have a connection of the pool when the primary falls, and others wait for one. */
const SENDERS = 4;
/** Seconds after the promotion in which service must be back. */
const BACK_WITHIN = 10;

/**
 * Kills the primary while orders arrive, and promotes its synchronous standby a few seconds later. Web and worker are not touched.
 * @param silent the primary is not killed: it hangs, closes no connection and says nothing any more
 * @returns whether everything acknowledged is there, requests in between were refused with 503, service was back in time, feed and webhooks went on without
 *   a gap, and the books agree
 */
export const drillFailover = (silent = false): Promise<boolean> => performed((undo) => failover(undo, silent));

async function failover(undo: Undo, silent: boolean): Promise<boolean> {
  const [first, second] = [folderFor('first', undo), folderFor('second', undo)];
  const files = folderFor('files', undo);
  const primary = await startEmbeddedPostgres({ dataDir: first, settings: OF_PRIMARY });
  undo.push(() => primary.stop());
  const { username, password, pathname } = new URL(primary.url);
  const { server: standby } = await startStandby(primary, { primary: first, standby: second }, 'standby');
  undo.push(() => standby.stop());
  const owner = new pg.Client(primary.url);
  owner.on('error', () => {});
  await owner.connect();
  await owner.query("alter system set synchronous_standby_names = 'standby'");
  await owner.query('select pg_reload_conf()');
  for (let sync = false; !sync; await sleep(100))
    sync = (await owner.query("select from pg_stat_replication where sync_state = 'sync'")).rowCount === 1;
  say('a primary and a synchronous standby run');

  const url = `postgres://${username}:${password}@127.0.0.1:${primary.port},127.0.0.1:${standby.port}${pathname}`;
  const web = await startProduct(url, files, 'web', TO_THIS_MACHINE);
  const worker = await startProduct(url, files, 'worker', TO_THIS_MACHINE);
  undo.push(() => Promise.all([kill(web.child), kill(worker.child)]));
  const base = new URL(web.url!);
  const { clientId, clientSecret, companyId } = await makeSender(primary.url, 'Drill Haulage');
  const token = await tokenOf(base, clientId, clientSecret);
  const followers = await Followers.begin({ base: () => base, token, companyId }, owner, undo);
  const senders = Array.from({ length: SENDERS }, (_, at) => new Sender(() => base, token, 10, `DRILL-${at}`));
  undo.push(() => Promise.all(senders.map((one) => one.stop())));
  const acknowledged = () => senders.flatMap((one) => one.acknowledged);
  await Promise.all(senders.map((one) => reached(one, ENOUGH / SENDERS)));
  say(`${acknowledged().length} orders were acknowledged`);

  if (silent) {
    signalAll(primary.pid, 'SIGSTOP');
    undo.push(() => signalAll(primary.pid, 'SIGKILL'));
  } else process.kill(primary.pid, 'SIGKILL');
  const died = Date.now();
  say(silent ? 'the primary hangs' : 'the primary is killed');
  await sleep(3_000);
  const client = new pg.Client(standby.url);
  await client.connect();
  undo.push(() => client.end());
  // An operator, or Patroni, has made sure by now that the old primary will not come back as one.
  await client.query('select pg_promote()');
  const promoted = Date.now();
  say('the standby is promoted');
  await Promise.all(senders.map((one) => reached(one, one.acknowledged.length + ENOUGH / SENDERS)));
  // The last of them: each has to be answered again.
  const first202 = Math.max(...senders.map((one) => one.acknowledged.find(({ at }) => at >= promoted)!.at));
  await Promise.all(senders.map((one) => one.stop()));
  const back = (first202 - promoted) / 1000;
  say(`all are answered again ${back.toFixed(1)} s after the promotion, ${((first202 - died) / 1000).toFixed(1)} s after the fall`);
  const refused: Record<string, number> = {};
  for (const one of senders) for (const [status, count] of Object.entries(one.refused)) refused[status] = (refused[status] ?? 0) + count;
  const withoutRetryAfter = senders.reduce((sum, one) => sum + one.withoutRetryAfter, 0);
  say(`answers meanwhile: ${JSON.stringify(refused)}, ${withoutRetryAfter} of them without Retry-After`);
  const onlyRefused = Object.keys(refused).join() === '503' && withoutRetryAfter === 0;

  const promised = acknowledged().map(({ externalId }) => externalId);
  const { rows: kept } = await client.query<{ key: string }>(
    'select distinct imported_for as key from imported_record where imported_for = any($1)',
    [promised],
  );
  say(`${kept.length} of ${promised.length} acknowledged orders are there`);
  const made = await settled(client, promised);
  say(`${made} of them are orders now`);
  const missedNothing = await followers.missNothing(client, promised);
  const agree = await booksAgree(client);
  return kept.length === promised.length && made === promised.length && onlyRefused && back <= BACK_WITHIN && missedNothing && agree;
}
