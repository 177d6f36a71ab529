import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { freePort } from '../../src/platform/database/embedded.ts';
import { startProduct, startsBuilt, stop, tokenOf } from '../bench/start.ts';
import { blockOfGuide, debianPrograms, startDebianRedis } from './debian.ts';
import { startDebianPooler } from './debian-pooler.ts';
import { startDebianPostgres, startDebianStandby } from './debian-postgres.ts';
import { startHaProxy } from './haproxy.ts';
import { booksAgree, folderFor, kill, makeSender, performed, reached, Sender, say, settled, type Undo } from './stage.ts';
import { Visitor } from './visitor.ts';

/** Orders that a sender must have got acknowledged in each step. */
const ENOUGH = 200;
/** People who read and write all the time. */
const VISITORS = 3;
/** Seconds after the promotion in which service must be back. */
const BACK_WITHIN = 10;
/** What the guide's environment has of others, whom this machine has not. */
const ELSEWHERE = ['HAULGATE_SMTP_URL', 'HAULGATE_MAIL_FROM', 'HAULGATE_FILES'];

/**
 * Sets up what docs/operations.md describes with the programs of Debian, which are installed if they are missing: a primary and a synchronous standby with the
 * guide's settings and roles, a PgBouncer next to each, Redis, two web processes and two workers with the guide's environment, and HAProxy with the guide's
 * configuration. While people and a sender work through HAProxy, one web process gets a SIGTERM and nothing else, starts again, and then the other one. At last
 * the primary is stopped and the standby promoted.
 * @returns whether no request failed until then, both processes were asked again after their restart, service was back in time after the promotion, every order
 *   that was acknowledged is there, and the books agree
 */
export const drillBalancer = (): Promise<boolean> => performed(balancer);

async function balancer(undo: Undo): Promise<boolean> {
  const programs = debianPrograms();
  if (!programs) return false;
  const primary = await startDebianPostgres(programs, undo);
  const standby = await startDebianStandby(programs, primary, undo);
  const servers = [primary, standby];
  const poolers = [await startDebianPooler(programs, primary, undo), await startDebianPooler(programs, standby, undo)];
  const redis = await startDebianRedis(programs, undo);
  say(
    `PostgreSQL ${primary.version} of Debian runs with the roles and settings of the guide, a standby that follows it, a PgBouncer next to each, and Redis`,
  );
  const files = folderFor('files', undo);
  const [port, ...ports] = [await freePort(), await freePort(), await freePort()] as [number, number, number];
  const base = new URL(`http://127.0.0.1:${port}`);
  const app = `postgres://haulgate_app:${primary.passwords.get('haulgate_app')}@`;
  const url = `${app}${poolers.map((at) => `127.0.0.1:${at}`).join(',')}/haulgate`;
  const { DATABASE_URL: _, ...env } = environment({
    DATABASE_URL: url,
    DATABASE_OWNER_URL: `postgres://haulgate_owner:${primary.passwords.get('haulgate_owner')}@${servers.map((one) => `127.0.0.1:${one.port}`).join(',')}/haulgate`,
    DATABASE_READ_URLS: poolers.map((at) => `${app}127.0.0.1:${at}/haulgate`).join(','),
    REDIS_URL: redis,
    BASE_URL: base.origin,
    HOST: '127.0.0.1',
    HAULGATE_DATA: files,
    HAULGATE_TRUSTED_PROXIES: '127.0.0.1',
    HAULGATE_SECRETS_KEY: randomBytes(32).toString('base64'),
  });
  const start = async (role: 'web' | 'worker', own: Record<string, string> = {}) => {
    const { child } = await startProduct(url, files, role, { ...env, ...own });
    undo.push(() => kill(child));
    return child;
  };
  // The guide says that all may be started at once.
  const webs = await Promise.all(ports.map((at) => start('web', { PORT: String(at) })));
  await Promise.all([start('worker'), start('worker')]);
  const client = new pg.Client(primary.ownerUrl);
  client.on('error', () => {});
  await client.connect();
  undo.push(() => client.end());
  const { rows } = await client.query<{ count: number }>('select count(*)::int as count from migration');
  say(`two web processes and two workers run; the first one has applied ${rows[0]!.count} migrations`);

  const well = findsNothingWrong({ ...env, DATABASE_URL: url, HAULGATE_DEMO: 'off' });
  const haproxy = await startHaProxy(programs, { port, servers: ports }, undo);
  for (const name of ['one', 'two']) await haproxy.sees(name, true);
  say('HAProxy leads to both');
  const login = await makeSender(primary.ownerUrl, 'Drill Haulage');
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
  for (const visitor of visitors) await visitor.stop();
  const failures = visitors.flatMap((visitor) => visitor.failures);
  for (const failure of failures.slice(0, 10)) say(`failed: ${failure}`);
  const answered = visitors.reduce((sum, visitor) => sum + visitor.answered, 0);
  say(`${answered} requests answered, ${failures.length} failed; imports that were not acknowledged: ${JSON.stringify(sender.refused)}`);
  const noneRefused = Object.keys(sender.refused).length === 0;

  await primary.stop();
  say('the primary is stopped');
  standby.promote();
  const promoted = Date.now();
  await reached(sender, sender.acknowledged.length + ENOUGH);
  const first = sender.acknowledged.find(({ at }) => at >= promoted)!;
  const back = (first.at - promoted) / 1000;
  say(
    `the standby is promoted, and ${ENOUGH} orders more are acknowledged, the first one ${back.toFixed(1)} s after that; answers meanwhile: ${JSON.stringify(sender.refused)}`,
  );
  await sender.stop();
  // Requests wait at the pooler, or are asked to come again.
  const onlyLater = Object.keys(sender.refused).every((status) => status === '503') && sender.withoutRetryAfter === 0;

  const promised = sender.acknowledged.map(({ externalId }) => externalId);
  const now = new pg.Client(standby.ownerUrl);
  await now.connect();
  undo.push(() => now.end());
  const there = await settled(now, promised);
  say(`${there} of ${promised.length} acknowledged orders are orders now`);
  const agree = await booksAgree(now);
  return well && asked && failures.length === 0 && noneRefused && onlyLater && back <= BACK_WITHIN && there === promised.length && agree;
}

/** Has the doctor look, as the guide's last step does. @returns whether nothing is wrong */
function findsNothingWrong(env: Readonly<Record<string, string>>): boolean {
  const doctor = startsBuilt() ? ['dist/src/doctor.js'] : ['--import', './scripts/typescript.mjs', 'src/doctor.ts'];
  const { stdout } = spawnSync(process.execPath, [...doctor, '--json'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const findings = JSON.parse(stdout) as { verdict: string; about: string; says: string }[];
  const wrong = findings.filter(({ verdict }) => verdict === 'wrong');
  say(`the doctor has looked at ${findings.length} things, of which ${wrong.length} are wrong`);
  for (const { about, says } of wrong) say(`wrong: ${about} ${says}`);
  return findings.length > 0 && wrong.length === 0;
}

/**
 * The guide's environment on this machine. Mail and files are left to the folder, which the guide has for both.
 * @param here what is another thing here
 * @throws Error if something of the guide is neither the same here nor named
 */
function environment(here: Readonly<Record<string, string>>): Record<string, string> {
  const lines = blockOfGuide('# /etc/haulgate.env')
    .split('\n')
    .filter((line) => /^\w+=/.test(line));
  const guide = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const unknown = Object.keys(here).filter((name) => !(name in guide));
  if (unknown.length > 0) throw new Error(`the guide does not set ${unknown.join(', ')}`);
  for (const name of ELSEWHERE) delete guide[name];
  const result = { ...guide, ...here };
  const open = Object.entries(result).filter(([, value]) => value.includes('...') || value.includes('10.0.0.'));
  if (open.length > 0) throw new Error(`the guide's ${open.map(([name]) => name).join(', ')} has no value here`);
  return result;
}
