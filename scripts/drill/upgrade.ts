import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { startProduct, stop, tokenOf } from '../bench/start.ts';
import { AskingBalancer } from './asking-balancer.ts';
import { Followers, TO_THIS_MACHINE } from './followers.ts';
import { booksAgree, folderFor, kill, performed, reached, Sender, say, settled, type Undo } from './stage.ts';
import { buildVersionBefore } from './version-before.ts';
import { Visitor } from './visitor.ts';

/** Orders that a sender must have got acknowledged in each step. */
const ENOUGH = 300;
/** People who read and write all the time. */
const VISITORS = 3;
/** Milliseconds for which a balancer asks nothing of a process before that is stopped, if its version ends at once. */
const DRAINED = 1_000;
const DELAY = 'HAULGATE_STOP_DELAY_SECONDS';

/**
 * Replaces the version before by this one while both are asked: a balancer leads requests and imports to processes of both, the new one migrates the
 * database under the old ones, one of the old ones is killed and starts again next to it, and at last the old ones are stopped. Then one of two of this version gets a
 * SIGTERM and nothing else, behind a balancer that only asks `/ready`.
 * @param before the commit of the version before
 * @returns whether no request failed, every order that was acknowledged is there, feed and webhooks had no gap, and the books agree
 */
export const drillUpgrade = (before?: string): Promise<boolean> => performed((undo) => upgrade(undo, before));

async function upgrade(undo: Undo, before?: string): Promise<boolean> {
  const old = buildVersionBefore(undo, before);
  const files = folderFor('files', undo);
  const postgres = await startEmbeddedPostgres({ dataDir: folderFor('postgres', undo), settings: { max_connections: '200' } });
  undo.push(() => postgres.stop());
  const started: { errors: readonly string[] }[] = [];
  // Both answer under one address, as behind a balancer: tokens of one are good for the other.
  const start = async (role: 'web' | 'worker', folder: string, env: Record<string, string> = {}) => {
    const product = await startProduct(
      postgres.url,
      files,
      role,
      { HAULGATE_ISSUER: 'http://haulgate.drill', ...TO_THIS_MACHINE, ...env },
      folder,
    );
    undo.push(() => kill(product.child));
    started.push(product);
    return product;
  };
  const lingers = { [DELAY]: String(AskingBalancer.NOTICES) };
  // A version that does not know the setting does not start with it.
  const isTold = !readFileSync(join(old, 'src/app/config.ts'), 'utf8').includes(DELAY);
  const oldWeb = await start('web', old, { HAULGATE_DEMO: 'on', ...(isTold ? {} : lingers) });
  const oldWorker = await start('worker', old);
  say('a web process and a worker of the version before run');
  const client = new pg.Client(postgres.url);
  await client.connect();
  undo.push(() => client.end());
  const migrations = async () =>
    (await client.query<{ name: string }>('select name from migration order by name')).rows.map(({ name }) => name);
  const applied = new Set(await migrations());

  let asking = new AskingBalancer([new URL(oldWeb.url!)]);
  undo.push(() => asking.stop());
  const balancer = () => asking.next();
  const lead = async (...to: URL[]) => {
    const before = asking;
    asking = new AskingBalancer(to);
    await before.stop();
  };
  const { client_id, client_secret, company_id } = JSON.parse(readFileSync(join(files, 'demo.json'), 'utf8')) as {
    client_id: string;
    client_secret: string;
    company_id: string;
  };
  const token = await tokenOf(balancer(), client_id, client_secret);
  const followers = await Followers.begin({ base: balancer, token, companyId: company_id }, client, undo);
  const sender = new Sender(balancer, token);
  await reached(sender, ENOUGH);
  const visitors = Array.from({ length: VISITORS }, (_, number) => new Visitor(balancer, token, number));
  const further = async (what: string) => {
    await reached(sender, sender.acknowledged.length + ENOUGH);
    const failed = visitors.reduce((sum, { failures }) => sum + failures.length, 0);
    say(
      `${what}: ${sender.acknowledged.length} orders acknowledged, ${visitors.reduce((sum, { answered }) => sum + answered, 0)} requests answered, ${failed} failed`,
    );
  };
  await further('the version before alone');

  const web = await start('web', '.', lingers);
  const made = (await migrations()).filter((name) => !applied.has(name));
  say(
    `a web process of this version runs${made.length > 0 ? `, and has applied ${made.join(', ')}` : '; there was no migration to apply'}`,
  );
  await lead(new URL(oldWeb.url!), new URL(web.url!));
  await further('both versions answer, the version before imports');
  const worker = await start('worker', '.');
  await further('both versions answer and import');
  await kill(oldWorker.child);
  const again = await start('worker', old);
  await further('a worker of the version before died and started again');

  if (isTold) {
    await lead(new URL(web.url!));
    await sleep(DRAINED);
  }
  await stop(oldWeb.child);
  await stop(again.child);
  await further(`this version alone${isTold ? ', which the balancer knew before, because the version before ends at once' : ''}`);
  const second = await start('web', '.', lingers);
  await lead(new URL(web.url!), new URL(second.url!));
  await further('two web processes of this version');
  await stop(web.child, 'SIGTERM');
  await further('one of them got a SIGTERM and nothing else');
  await sender.stop();
  for (const visitor of visitors) await visitor.stop();

  const failures = visitors.flatMap((visitor) => visitor.failures);
  for (const failure of failures.slice(0, 10)) say(`failed: ${failure}`);
  if (failures.length > 0) for (const { errors } of started) for (const error of errors.slice(-3)) say(`in a log: ${error}`);
  say(
    `${visitors.reduce((sum, { answered }) => sum + answered, 0)} requests answered, ${failures.length} failed; imports that were not acknowledged: ${JSON.stringify(sender.refused)}`,
  );
  const promised = sender.acknowledged.map(({ externalId }) => externalId);
  const there = await settled(client, promised);
  say(`${there} of ${promised.length} acknowledged orders are orders now`);
  const missedNothing = (await followers.missNothing(client, promised)) && Object.keys(followers.refused).length === 0;
  const agree = await booksAgree(client);
  await stop(second.child);
  await stop(worker.child);
  const isRefused = failures.length > 0 || Object.keys(sender.refused).length > 0;
  return !isRefused && there === promised.length && missedNothing && agree;
}
