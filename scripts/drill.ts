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
 * With `--source` the product is started from its source instead of its build. The exit code is 1 if the drill does not end as the guide promises.
 */
interface Asked {
  before?: string;
  seconds?: string;
  seed?: string;
  silent?: boolean;
  source?: boolean;
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
const DRILLS: Record<string, (asked: Asked) => Promise<boolean>> = {
  balancer: () => drillBalancer(),
  failover: ({ silent }) => drillFailover(silent),
  image: () => drillImage(),
  replicas: ({ seconds, seed }) => drillReplicas({ seconds: numberOf(seconds), seed: numberOf(seed) }),
  restore: ({ seconds }) => drillRestore(numberOf(seconds)),
  upgrade: ({ before }) => drillUpgrade(before),
};

const text = { type: 'string' } as const;
const options = { before: text, seconds: text, seed: text, silent: { type: 'boolean' }, source: { type: 'boolean' } } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options });
const [name = ''] = positionals;
const drill = DRILLS[name];
if (!drill) {
  process.stderr.write(`npm run drill -- ${Object.keys(DRILLS).join(' | ')}\n`);
  process.exit(2);
}
if (values.source) startFromSource();
process.exit((await drill(values)) ? 0 : 1);
