import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { startProduct, tokenOf } from '../bench/start.ts';
import { Caller, type Counted, drawFrom, Troubles } from './replica-callers.ts';
import { folderFor, kill, makeSenders, performed, say, type Undo } from './stage.ts';
import { OF_PRIMARY, type Standby, startStandby } from './standby.ts';

/** Callers of each kind: those who send the position of their last answer, and those who send none. */
const CALLERS = 4;
/** Seconds for which troubles go on by default. */
const SECONDS = 120;
/** Seconds that a standby may be behind. */
const MOST_LAG = 2;

export interface ReplicasAsked {
  seconds?: number;
  seed?: number;
}

/**
 * Has people write and read through two web processes, while both standbys that answer reads stand still, hang and die, one after the other.
 * @returns whether everybody read what they wrote, never anything older than before, and no error; and whether the standbys answered reads at all
 */
export const drillReplicas = (asked: ReplicasAsked = {}): Promise<boolean> => performed((undo) => replicas(undo, asked));

async function replicas(undo: Undo, { seconds = SECONDS, seed = Math.floor(Math.random() * 1e9) }: ReplicasAsked): Promise<boolean> {
  const draw = drawFrom(seed);
  say(`seed ${seed}`);
  const folders = { primary: folderFor('primary', undo), one: folderFor('one', undo), two: folderFor('two', undo) };
  const primary = await startEmbeddedPostgres({ dataDir: folders.primary, settings: OF_PRIMARY });
  undo.push(() => primary.stop());
  const standbys: Standby[] = [];
  for (const name of ['one', 'two'] as const) {
    const standby = await startStandby(primary, { primary: folders.primary, standby: folders[name] }, name, { hot_standby_feedback: 'on' });
    undo.push(() => standby.server.stop());
    standbys.push(standby);
  }
  say('a primary and two standbys run');

  const env = {
    DATABASE_READ_URLS: standbys.map(({ server }) => server.url).join(),
    DATABASE_READ_LAG: String(MOST_LAG),
    // Tokens of one process are good for the other.
    HAULGATE_ISSUER: 'http://haulgate.drill',
  };
  const files = folderFor('files', undo);
  const webs: URL[] = [];
  for (let at = 0; at < 2; at++) {
    const web = await startProduct(primary.url, files, 'web', env);
    undo.push(() => kill(web.child));
    webs.push(new URL(web.url!));
  }
  const ask = async (path: string, body: object, token: string): Promise<string> => {
    const answer = await fetch(new URL(path, webs[0]), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: string } }).data.id;
  };
  // A client each, because a process remembers positions by caller.
  const logins = await makeSenders(primary.url, 'Drill Haulage', 2 * CALLERS);
  const tokens = await Promise.all(logins.map(({ clientId, clientSecret }) => tokenOf(webs[0]!, clientId, clientSecret)));
  const accounts: Counted[] = [];
  for (const [at, token] of tokens.entries())
    accounts.push({ id: await ask('/v1/accounts', { name: `Hill Country Paving ${at}`, account_types: ['customer'] }, token), written: 0 });
  const base = () => webs[Math.floor(draw() * webs.length)]!;
  const callers = accounts.map(
    (own, at) =>
      new Caller({
        list: 'accounts',
        base,
        token: tokens[at]!,
        draw,
        own,
        others: accounts.filter((one) => one !== own),
        sends: at % 2 === 0,
      }),
  );
  const troubles = new Troubles(standbys, draw, say);
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(500));
  await troubles.stop();
  for (const caller of callers) await caller.stop();

  const sum = (of: (caller: Caller) => number) => callers.reduce((all, caller) => all + of(caller), 0);
  say(`${sum(({ writes }) => writes)} changes, ${sum(({ reads }) => reads)} reads; troubles: ${JSON.stringify(troubles.made)}`);
  const faults = callers.flatMap((caller) => caller.faults);
  for (const fault of faults.slice(0, 10)) say(`fault: ${fault}`);
  say(faults.length === 0 ? 'everybody read what they wrote, and nothing older than before' : `${faults.length} faults`);
  let answered = true;
  for (const web of webs) {
    const figures = await (await fetch(new URL('/metrics', web))).text();
    const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(figures)?.[1] ?? 0);
    const [byReplica, byPrimary, again] = ['{server="replica"}', '{server="primary"}']
      .map((label) => figure(`haulgate_reads_total${label}`))
      .concat(figure('haulgate_reads_again_total'));
    say(`${web.host}: ${byReplica} reads at replicas, ${byPrimary} at the primary; ${again} statements were asked again there`);
    answered &&= byReplica! > 0;
  }
  return faults.length === 0 && answered;
}
