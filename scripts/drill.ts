import 'reflect-metadata';
import { drillFailover } from './drill/failover.ts';
import { drillImage } from './drill/image.ts';
import { drillRestore } from './drill/restore.ts';

/**
 * Performs what docs/operations.md says an operator does, with real servers on this machine, and prints each step: `npm run drill -- restore | failover | image`.
 * The exit code is 1 if the drill does not end as the guide promises.
 */
const DRILLS: Record<string, () => Promise<boolean>> = { failover: drillFailover, image: drillImage, restore: drillRestore };

const [name = ''] = process.argv.slice(2);
const drill = DRILLS[name];
if (!drill) {
  process.stderr.write(`npm run drill -- ${Object.keys(DRILLS).join(' | ')}\n`);
  process.exit(2);
}
process.exit((await drill()) ? 0 : 1);
