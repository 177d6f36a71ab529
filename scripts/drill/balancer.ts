import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { freePort } from '../../src/platform/database/embedded.ts';
import { startProduct, stop, tokenOf } from '../bench/start.ts';
import { debianPrograms, startDebianPostgres, startDebianRedis } from './debian.ts';
import { startHaProxy } from './haproxy.ts';
import { booksAgree, folderFor, kill, makeSender, performed, reached, Sender, say, settled, type Undo } from './stage.ts';
import { Visitor } from './visitor.ts';

/** Orders that a sender must have got acknowledged in each step. */
const ENOUGH = 200;
/** People who read and write all the time. */
const VISITORS = 3;

/**
 * Sets up what docs/operations.md describes with the programs of Debian, which are installed if they are missing: PostgreSQL with the guide's settings and
 * roles, Redis, two web processes and a worker, and HAProxy with the guide's configuration. While people and a sender work through HAProxy, one web process
 * gets a SIGTERM and nothing else, starts again, and then the other one.
 * @returns whether Debian's PostgreSQL was migrated, no request failed, both processes were asked again after their restart, every order that was acknowledged
 *   is there, and the books agree
 */
export const drillBalancer = (): Promise<boolean> => performed(balancer);

async function balancer(undo: Undo): Promise<boolean> {
  const programs = debianPrograms();
  if (!programs) return false;
  const database = await startDebianPostgres(programs, undo);
  const redis = await startDebianRedis(programs, undo);
  say(`PostgreSQL ${database.version} of Debian runs with the roles and settings of the guide, and Redis`);
  const files = folderFor('files', undo);
  const [port, ...servers] = [await freePort(), await freePort(), await freePort()];
  const base = new URL(`http://127.0.0.1:${port}`);
  const env = {
    DATABASE_OWNER_URL: database.ownerUrl,
    REDIS_URL: redis,
    BASE_URL: base.origin,
    HAULGATE_TRUSTED_PROXIES: '127.0.0.1',
    HAULGATE_SECRETS_KEY: randomBytes(32).toString('base64'),
    // As the guide has it: longer than HAProxy takes to notice.
    HAULGATE_STOP_DELAY_SECONDS: '6',
  };
  const start = async (role: 'web' | 'worker', own: Record<string, string> = {}) => {
    const { child } = await startProduct(database.appUrl, files, role, { ...env, ...own });
    undo.push(() => kill(child));
    return child;
  };
  const ports = servers as [number, number];
  const webs = [await start('web', { PORT: String(ports[0]) }), await start('web', { PORT: String(ports[1]) })];
  await start('worker');
  const client = new pg.Client(database.ownerUrl);
  await client.connect();
  undo.push(() => client.end());
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from migration');
  say(`two web processes and a worker run; the first one has applied ${rows[0]!.count} migrations`);

  const haproxy = await startHaProxy(programs, { port: port!, servers: ports }, undo);
  for (const name of ['one', 'two']) await haproxy.sees(name, true);
  say('HAProxy leads to both');
  const login = await makeSender(database.ownerUrl, 'Drill Haulage');
  const token = await tokenOf(base, login.clientId, login.clientSecret);
  const sender = new Sender(() => base, token);
  await reached(sender, ENOUGH);
  await settled(
    client,
    sender.acknowledged.map(({ externalId }) => externalId),
  );
  const visitors = Array.from({ length: VISITORS }, (_, number) => new Visitor(() => base, token, number));
  const further = async (what: string) => {
    const [answered, acknowledged] = [visitors.map((visitor) => visitor.answered), sender.acknowledged.length];
    // Everybody gets on.
    await reached(sender, acknowledged + ENOUGH);
    const failed = visitors.reduce((sum, { failures }) => sum + failures.length, 0);
    const more = visitors.reduce((sum, visitor, at) => sum + visitor.answered - answered[at]!, 0);
    say(`${what}: ${sender.acknowledged.length - acknowledged} orders acknowledged, ${more} requests answered, ${failed} failed so far`);
  };
  await further('both answer');
  let asked = true;
  for (const [at, name] of ['one', 'two'].entries()) {
    const ended = stop(webs[at]!, 'SIGTERM');
    await haproxy.sees(name, false);
    await ended;
    await further(`${name} got a SIGTERM and nothing else, and has ended`);
    webs[at] = await start('web', { PORT: String(ports[at]) });
    await haproxy.sees(name, true);
    const { sessions } = await haproxy.server(name);
    await further(`${name} runs again`);
    const more = (await haproxy.server(name)).sessions - sessions;
    say(`HAProxy has led ${more} sessions to it since`);
    asked &&= more > 0;
  }
  await sender.stop();
  for (const visitor of visitors) await visitor.stop();

  const failures = visitors.flatMap((visitor) => visitor.failures);
  for (const failure of failures.slice(0, 10)) say(`failed: ${failure}`);
  const answered = visitors.reduce((sum, visitor) => sum + visitor.answered, 0);
  say(`${answered} requests answered, ${failures.length} failed; imports that were not acknowledged: ${JSON.stringify(sender.refused)}`);
  const promised = sender.acknowledged.map(({ externalId }) => externalId);
  const there = await settled(client, promised);
  say(`${there} of ${promised.length} acknowledged orders are orders now`);
  const agree = await booksAgree(client);
  return asked && failures.length === 0 && Object.keys(sender.refused).length === 0 && there === promised.length && agree;
}
