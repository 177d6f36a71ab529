// npm run fuzz: every property test with a new seed, which is printed, and five times the runs; `npm run fuzz -- test/read` only those
// below a folder. FUZZ_SEED=1234 npm run fuzz: the same values again. FUZZ_TIMES=20: twenty times the runs.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const below = process.argv.slice(2);
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path))
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("from 'fast-check'"))
  .filter((path) => below.length === 0 || below.some((one) => path.startsWith(one)));
if (files.length === 0) {
  console.error(`no property tests below ${below.join(', ')}`);
  process.exit(2);
}

const { FUZZ_SEED = String(randomInt(2 ** 31)), FUZZ_TIMES = '5' } = process.env;
const replay = `FUZZ_SEED=${FUZZ_SEED} FUZZ_TIMES=${FUZZ_TIMES} npm run fuzz${below.length ? ` -- ${below.join(' ')}` : ''}`;
console.log(`${files.length} files of property tests; again with: ${replay}`);
// More runs take longer.
const patience = `--testTimeout=${120_000 * Number(FUZZ_TIMES)}`;
const { status } = spawnSync('npm', ['test', '--', patience, ...files], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SEED, FUZZ_TIMES },
});
if (status !== 0) console.log(`\nAgain with: ${replay}`);
process.exit(status ?? 1);
