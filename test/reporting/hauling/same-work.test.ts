import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { dice, seedOf, sweepRuns } from '../../helpers/properties.ts';
import { until } from '../../helpers/until.ts';
import { compareBoards, compareWaiting } from './boards.ts';
import { Followers } from './copies.ts';
import { compareDays, compareSums } from './figures.ts';
import { compareFilters, compareLists, compareNested } from './places.ts';
import { comparePromises, compareSight } from './promises.ts';
import { type Dice, makeScene, type Scene } from './scene.ts';
import { begin, NAMES, OFTEN, STEPS } from './steps.ts';
import { readTruth } from './truth.ts';

let app: TestApp;
beforeAll(async () => {
  // Invariants are those of the whole database.
  app = await startTestApp({ worker: true });
});
afterAll(() => app.close());

const ROUNDS = 3;
const STEPS_OF_ROUND = 25;
const LONG = 1_800_000;

/** Resolves when what telephones have sent is followed. Further positions may join for a moment before that begins, which `settled` does not wait for. */
const followed = ({ app, at }: Scene): Promise<void> =>
  until(async () => {
    const run = app.orm.em.fork().getConnection();
    return (await run.execute(`select from position_task where company_id = ? and kind = 'fences'`, [at.company.id])).length === 0;
  });

/** Compares all places that show the same work. */
async function compareAll(scene: Scene, random: Dice, followers: Followers): Promise<void> {
  await followed(scene);
  await scene.app.settled();
  const truth = await readTruth(scene);
  const rest = await compareLists(scene, truth);
  await compareNested(scene, truth, rest);
  await compareFilters(scene, truth, random);
  await compareSums(scene, truth);
  const dayOf = await compareDays(scene, truth);
  await compareBoards(scene, truth);
  await compareWaiting(scene, truth);
  await comparePromises(scene, truth, dayOf);
  await compareSight(scene, truth, dayOf);
  await followers.compare(scene, truth, rest);
}

test(
  'whatever offices, drivers, telephones and scales do in whatever order, every place that shows the work shows the same, and its states fit together',
  async () => {
    // Each takes half a minute; `npm run fuzz` makes more.
    const runs = sweepRuns(1);
    for (let run = 0; run < runs; run++) {
      const random = dice(seedOf(`same work ${run}`));
      const scene = await makeScene(app, random.chance(0.5));
      const followers = await Followers.begin(scene);
      const said: string[] = [];
      const step = async (name: string): Promise<void> => {
        const answer = await STEPS[name]!(scene, random);
        said.push(`${name}: ${answer ? answer.status : 'nothing to do'}`);
        if (answer && answer.status >= 500) throw new Error(JSON.stringify(answer.body));
      };
      try {
        await begin(scene, random);
        for (let round = 0; round < ROUNDS; round++) {
          for (let i = 0; i < STEPS_OF_ROUND; i++) await step(random.chance(0.5) ? random.of(OFTEN) : random.of(NAMES));
          await compareAll(scene, random, followers);
        }
      } catch (error) {
        throw new Error(`run ${run} after ${said.length} steps:\n${said.slice(-80).join('\n')}`, { cause: error });
      } finally {
        await followers.end();
      }
      // What is refused changes nothing, so enough of it must be done.
      expect(said.filter((one) => /: 20\d$/.test(one)).length).toBeGreaterThan((ROUNDS * STEPS_OF_ROUND) / 3);
    }
  },
  LONG,
);
