// npm run release: makes dist/release, what a release publishes next to its image: the client's package, the bill of materials and SHA256SUMS of
// both and of every file that the build made; and notes the migrations that the version brings, which stay as they are from then on. `-- --reproduce`: makes it twice, from two clones in two folders, and compares the sums.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER, makeRelease, SUMS } from './release/make-release.ts';
import { migrationsNow, noteRelease, readReleased, touchedMigrations } from './release/released-migrations.ts';

if (process.argv.includes('--reproduce')) reproduce();
else await release();

async function release(): Promise<void> {
  const touched = touchedMigrations(readReleased(), migrationsNow());
  if (touched.length > 0) {
    process.stderr.write(`${touched.join('\n')}\n`);
    process.exitCode = 1;
    return;
  }
  noteMigrations();
  process.stdout.write(`${(await makeRelease()).join('\n')}\n`);
}

/** Notes the migrations of the version. A version that has its tag is released: what was written later is of the next one. */
function noteMigrations(): void {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  if (execFileSync('git', ['tag', '--list', `v${version}`], { encoding: 'utf8' }).trim() !== '') return;
  const noted = noteRelease(version);
  if (noted > 0)
    process.stderr.write(
      `${noted} migrations are part of ${version} from now on: commit scripts/release/released-migrations.json with it\n`,
    );
}

/** Builds the commit that is checked out in two clones, whose paths are not of the same length, each with packages installed anew. */
function reproduce(): void {
  // Of both, whatever is committed meanwhile.
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const above = mkdtempSync(join(tmpdir(), 'haulgate-reproduced-'));
  try {
    const [once, again] = ['a', 'another-folder'].map((name) => {
      const clone = join(above, name);
      const run = (command: string, ...args: string[]) =>
        execFileSync(command, args, { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] });
      execFileSync('git', ['clone', '--quiet', '--no-checkout', '.', clone]);
      run('git', 'checkout', '--quiet', '--detach', commit);
      run('npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
      run('npm', 'run', 'release');
      const sums = readFileSync(join(clone, FOLDER, SUMS), 'utf8')
        .trim()
        .split('\n');
      // The second build must not find what the first one left.
      rmSync(clone, { recursive: true });
      return sums;
    });
    const other = new Set(again);
    const differ = once!.filter((line) => !other.has(line)).map((line) => line.slice(66));
    for (const name of differ) process.stderr.write(`differs: ${name}\n`);
    process.stdout.write(`${once!.length} files, ${differ.length} of them differ between two builds\n`);
    process.exitCode = differ.length === 0 && once!.length === again!.length ? 0 : 1;
  } finally {
    rmSync(above, { recursive: true, force: true });
  }
}
