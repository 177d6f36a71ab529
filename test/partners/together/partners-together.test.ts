import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkInvariants } from '../../../src/reporting/invariants/check-invariants.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { connectedTo } from '../../helpers/database.ts';
import { type Dice, dice, seedOf, sweepRuns } from '../../helpers/properties.ts';
import { until } from '../../helpers/until.ts';
import { checkAll, compareAnswers, compareDoors, compareSearches, compareWords } from './compare.ts';
import type { Heard } from './doors.ts';
import { atSites, drivenBy, factsOf, rememberNames, visibleTo } from './facts.ts';
import { compareAudit, compareFeed, compareWebhooks } from './feeds.ts';
import { compareParts } from './parts.ts';
import { makeWorld, rowsOf, type World } from './scene.ts';
import { NAMES, OFTEN, STEPS } from './steps.ts';

// Invariants are those of the whole database.
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true, invoices: true });
});
afterAll(() => app.close());

const LONG = 1_800_000;
/** Steps after which everything is compared, and how often. */
const STEPS_OF_ROUND = 30;
const ROUNDS = 2;

const TASKS = ['invoice_task', 'day_invoice_task', 'load_review_task', 'ticket_match_task', 'position_task'];
const DUE_SOON = TASKS.map((table) => `select from ${table} where due_at < now() + interval '30 seconds'`).join(' union all ');
/** Resolves when all that follows from what was done is done. What failed is tried again after a moment, for which `settled` does not wait. */
const followed = (): Promise<void> =>
  until(async () => {
    await app.settled();
    return (await rowsOf(app, DUE_SOON)).length === 0;
  });

/** Compares what everybody sees, in every door, with the rules and with each other. */
async function compareAll(world: World, random: Dice, last: boolean): Promise<void> {
  await followed();
  const facts = await factsOf(world);
  const checks: (() => unknown)[] = [];
  for (const side of world.sides) {
    const heard: Heard = { reader: side.reader, texts: [] };
    const visible = visibleTo(side, facts);
    checks.push(
      () => compareDoors(world, random, heard, visible, facts),
      () => compareSearches(world, random, heard, visible),
      () => compareParts(heard, random, visible, facts),
      () => compareFeed(world, side.reader, visible, last),
      () => compareWords(world, { ...heard, texts: [...heard.texts, JSON.stringify([...side.reader.copy.records.values()])] }, visible),
      () => compareAnswers(world, side.reader, visible),
      () => compareWebhooks(world, side),
    );
  }
  for (const [reader, of] of [
    [world.limited[0]!, atSites],
    [world.limited[1]!, drivenBy],
  ] as const) {
    const visible = of(reader.person!.id, visibleTo(reader.side, facts), facts);
    const heard: Heard = { reader, texts: [] };
    checks.push(
      () => compareDoors(world, random, heard, visible, facts),
      () => compareFeed(world, reader, visible, last),
      () => compareWords(world, heard, visible),
    );
  }
  checks.push(
    () => compareAudit(world),
    () => compareInvariants(),
  );
  await checkAll(checks);
  world.answers = [];
}

/** Does the next thing for which there is something to do. @returns what it is called */
async function doSomething(world: World, random: Dice): Promise<string> {
  for (;;) {
    const name = random.chance(0.5) ? random.of(OFTEN) : random.of(NAMES);
    if ((await STEPS[name]!(world, random)) !== false) return name;
  }
}

/** What must be true of all books and events. */
async function compareInvariants(): Promise<void> {
  const broken = await connectedTo(String(app.orm.config.get('clientUrl')), async (db) => {
    const checked = await checkInvariants(async (sql) => (await db.query<object>(sql)).rows);
    return checked.filter(({ count }) => count > 0).map(({ name, violations }) => [name, violations]);
  });
  expect(broken).toEqual([]);
}

test(
  'whatever companies that work together do in whatever order, each sees the same of a record in every door, and nothing that is hidden from it',
  async () => {
    // One takes as long as many other tests; `npm run fuzz` makes more.
    const runs = sweepRuns(1);
    for (let run = 0; run < runs; run++) {
      const world = await makeWorld(app);
      const random = dice(seedOf(`partners together ${run}`));
      const said: string[] = [];
      try {
        for (let round = 0; round < ROUNDS; round++) {
          for (let step = 0; step < STEPS_OF_ROUND; step++) {
            const before = world.writes.length;
            const name = await doSomething(world, random);
            await rememberNames(world);
            const answers = world.writes.slice(before);
            said.push(`${name}: ${answers.map((one) => `${one.name} ${one.status}`).join('; ')}`);
            const failed = answers.find(({ status }) => status >= 500);
            if (failed) throw new Error(JSON.stringify(failed));
          }
          await compareAll(world, random, round === ROUNDS - 1);
        }
      } catch (error) {
        throw new Error(`run ${run} after ${said.length} steps:\n${said.join('\n')}`, { cause: error });
      }
      // What is refused changes nothing, so enough of it must be done.
      expect(world.writes.filter(({ status }) => status < 300).length).toBeGreaterThan((ROUNDS * STEPS_OF_ROUND) / 2);
    }
  },
  LONG,
);
