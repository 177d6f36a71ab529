import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { dice, seedOf, sweepRuns } from '../../helpers/properties.ts';
import { compareAnything } from './anything.ts';
import { Feeds } from './feeds.ts';
import { compareLists, type Look } from './lists.ts';
import { compareBoard, compareMetrics, compareNested } from './nested.ts';
import { PEOPLE } from './people-steps.ts';
import { beginProof, PROOF } from './proof-steps.ts';
import { readRows } from './rows.ts';
import { type Dice, makeScene, type Scene } from './scene.ts';
import { sightOf } from './sight.ts';
import { compareRefusals, compareSingles } from './singles.ts';
import { begin, type Step, WORK } from './work-steps.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ shared: true, worker: true, invoices: true });
  // Limits count at once, also those that a merge of sites moves.
  app.configure({ viewerCacheMs: 0 });
});
afterAll(() => app.close());

const ROUNDS = 3;
const STEPS_OF_ROUND = 20;
/** The share of the people who look everywhere in a round. All of them follow the feed. */
const LOOKING = 0.3;
const LONG = 1_800_000;

const STEPS: Readonly<Record<string, Step>> = { ...WORK, ...PROOF, ...PEOPLE };
const NAMES = Object.keys(STEPS);
/** What happens more often than the rest: without work there is nothing to see, and without changes of who sees it nothing to lose. */
const OFTEN = [
  ...['assign a driver', 'change an order', 'change an order', 'change a job', 'send a job', 'haul a load', 'haul a load', 'haul a load'],
  ...[
    'make a ticket',
    'add a file',
    'add a file',
    'charge a job',
    'complete a job',
    'change roles',
    'limit somebody to a site',
    'pass a job on',
  ],
  ...['hand a job over', 'approve invoices', 'assign a driver', 'assign a driver', 'take a driver off'],
];

/** Compares what each of the people sees, wherever they look, with what the written rules make of the tables. */
async function compareAll(scene: Scene, random: Dice, feeds: Feeds): Promise<void> {
  await scene.app.settled();
  const rows = await readRows(scene);
  for (const member of scene.members) {
    if (!member.here) {
      expect([member.name, (await member.http('GET', '/v1/orders')).status]).toEqual([member.name, 401]);
      continue;
    }
    const look: Look = { scene, rows, member, sight: sightOf(rows, member.id), dice: random };
    await feeds.compare(look);
    if (!random.chance(LOOKING)) continue;
    await compareLists(look);
    await compareSingles(look);
    await compareNested(look);
    await compareBoard(look);
    await compareMetrics(look);
    await compareAnything(look);
  }
  // What is refused changes nothing, so that the rows are still as they were read.
  for (const member of scene.members.filter(({ here }) => here))
    await compareRefusals({ scene, rows, member, sight: sightOf(rows, member.id), dice: random });
}

test(
  'whatever is done with work and with rights, each of the people sees in every place what the rules make of it, and nothing else',
  async () => {
    // Each takes most of a minute; `npm run fuzz` makes more.
    const runs = sweepRuns(1);
    for (let run = 0; run < runs; run++) {
      const random = dice(seedOf(`limited people ${run}`));
      const scene = await makeScene(app);
      const said: string[] = [];
      const step = async (name: string): Promise<void> => {
        const answer = await STEPS[name]!(scene, random);
        said.push(`${name}: ${answer ? answer.status : 'nothing to do'}`);
        if (answer && answer.status >= 500) throw new Error(JSON.stringify(answer.body));
      };
      try {
        await begin(scene, random);
        await beginProof(scene);
        const feeds = await Feeds.begin(scene);
        for (let round = 0; round < ROUNDS; round++) {
          for (let i = 0; i < STEPS_OF_ROUND; i++) await step(random.chance(0.5) ? random.of(OFTEN) : random.of(NAMES));
          await compareAll(scene, random, feeds);
        }
      } catch (error) {
        throw new Error(`run ${run} after ${said.length} steps:\n${said.slice(-80).join('\n')}`, { cause: error });
      }
      // What is refused changes nothing, so enough of it must be done.
      expect(said.filter((one) => /: 20\d$/.test(one)).length).toBeGreaterThan((ROUNDS * STEPS_OF_ROUND) / 3);
    }
  },
  LONG,
);
