import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { drillFailover } from './drill/failover.ts';
import { drillImage } from './drill/image.ts';
import { drillRestore } from './drill/restore.ts';
import { drillUpgrade } from './drill/upgrade.ts';

/**
/**
 * Performs what docs/operations.md says an operator does, with real servers on this machine, and prints each step: `npm run drill -- restore | failover |
 * image | upgrade [--before COMMIT]`.
 * The exit code is 1 if the drill does not end as the guide promises.
 */
const DRILLS: Record<string, (before?: string) => Promise<boolean>> = {
  failover: () => drillFailover(),
  image: () => drillImage(),
  restore: () => drillRestore(),
  upgrade: drillUpgrade,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { before: { type: 'string' } } });
const [name = ''] = positionals;
const drill = DRILLS[name];
if (!drill) {
  process.stderr.write(`npm run drill -- ${Object.keys(DRILLS).join(' | ')}\n`);
  process.exit(2);
}
process.exit((await drill(values.before)) ? 0 : 1);
