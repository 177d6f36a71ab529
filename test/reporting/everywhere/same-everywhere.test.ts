import { expect, test } from '@jest/globals';
import { makeBooks } from '../../billing/books.ts';
import { dice, seedOf, sweepRuns } from '../../helpers/properties.ts';
import { makeScene, NAMES, OFTEN, STEPS } from './corrections.ts';
import { comparePlaces } from './places.ts';

// Invariants are those of the whole database.
const books = makeBooks({ shared: false, worker: true });
const LONG = 1_800_000;

test(
  'whatever is corrected in whatever order, every place that shows a number of it shows the same one, and the books agree',
  async () => {
    // Each takes half a minute; `npm run fuzz` makes more.
    const runs = sweepRuns(2);
    for (let run = 0; run < runs; run++) {
      const scene = await makeScene(books);
      const random = dice(seedOf(`same everywhere ${run}`));
      const said: string[] = [];
      try {
        await comparePlaces(scene.own, scene.admin);
        for (let round = 0; round < 4; round++) {
          for (let step = 0; step < 25; step++) {
            const name = random.chance(0.45) ? random.of(OFTEN) : random.of(NAMES);
            const answer = await STEPS[name]!(scene, random);
            said.push(`${name}: ${answer ? answer.status : 'nothing to do'}`);
            if (answer && answer.status >= 500) throw new Error(JSON.stringify(answer.body));
          }
          await comparePlaces(scene.own, scene.admin);
        }
      } catch (error) {
        throw new Error(`run ${run} after ${said.length} steps:\n${said.slice(-60).join('\n')}`, { cause: error });
      }
      // What is refused changes nothing, so enough of it must be done.
      expect(said.filter((one) => /: 20\d$/.test(one)).length).toBeGreaterThan(30);
    }
  },
  LONG,
);
