import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { startFromSource } from './bench/start.ts';
import { drillBalancer } from './drill/balancer.ts';
import { drillFailover } from './drill/failover.ts';
import { drillImage } from './drill/image.ts';
import { drillReplicas } from './drill/replicas.ts';
import { drillRestore } from './drill/restore.ts';
import { drillUpgrade } from './drill/upgrade.ts';

/**
 * Performs what docs/operations.md says an operator does, with real servers on this machine, and prints each step: `npm run drill -- restore [--seconds N] | failover [--silent] |
 * balancer | image | replicas [--seconds N] [--seed N] | upgrade [--before COMMIT]`.
 * With `--source` the product is started from its source instead of its build. The exit code is 1 if the drill does not end as the guide promises,
 * and 2 if nobody knows what to do.
 */
interface Asked {
  before?: string;
  seconds?: number;
  seed?: number;
  silent?: boolean;
  source?: boolean;
}

const DRILLS: Record<string, (asked: Asked) => Promise<boolean>> = {
  balancer: () => drillBalancer(),
  failover: ({ silent }) => drillFailover(silent),
  image: () => drillImage(),
  replicas: ({ seconds, seed }) => drillReplicas({ seconds, seed }),
  restore: ({ seconds }) => drillRestore(seconds),
  upgrade: ({ before }) => drillUpgrade(before),
};

const text = { type: 'string' } as const;
const options = { before: text, seconds: text, seed: text, silent: { type: 'boolean' }, source: { type: 'boolean' } } as const;
const { drill, asked } = parseOptions();
if (asked.source) startFromSource();
process.exit((await drill(asked)) ? 0 : 1);

/** Returns what is to be done. A mistake in it is said, and ends the program. */
function parseOptions(): { drill: (asked: Asked) => Promise<boolean>; asked: Asked } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [name = '', ...more] = positionals;
    const drill = DRILLS[name];
    if (!drill || more.length > 0) throw new Error(`npm run drill -- ${Object.keys(DRILLS).join(' | ')}`);
    return { drill, asked: { ...values, seconds: numberOf('seconds', values.seconds), seed: numberOf('seed', values.seed) } };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

function numberOf(option: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${option} must be a whole number from 1 on.`);
  return text === undefined ? undefined : Number(text);
}
