import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binary, BUILT, findPgBouncer } from './pgbouncer.ts';

/** Debian's releases whose PgBouncer keeps count of prepared statements. On an older one its source is built. */
const RELEASE = 'trixie';

/**
 * Returns a PgBouncer that keeps count of prepared statements. If the machine has none, its package is installed, or built from the source of
 * a newer release of Debian. If that is not possible either, an older one will do.
 * @param say gets a line for each thing that is installed
 * @returns undefined if there is none and none could be installed; `say` got the reason
 */
export function installPgBouncer(say: (line: string) => void): Binary | undefined {
  const found = findPgBouncer();
  if (found?.prepares) return found;
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) {
    say(`PgBouncer ${found ? `${found.version} is old, and a newer one` : ''} cannot be installed: that takes Debian and root`);
    return found;
  }
  say('installs pgbouncer');
  const install = (...packages: string[]) =>
    run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages]) ||
    (run('apt-get', ['update', '-q']) && run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages]));
  if (!found && install('pgbouncer')) {
    // The program is wanted, and not the service that the package starts.
    run('service', ['pgbouncer', 'stop']);
    if (findPgBouncer()?.prepares) return findPgBouncer();
  }
  say(`builds PgBouncer from the source of ${RELEASE}, because the one of this release keeps no count of prepared statements`);
  if (!install('libevent-dev', 'libssl-dev', 'pkg-config', 'gcc', 'make', 'dpkg-dev') || !build())
    say('it could not be built: statements are not prepared by name');
  return findPgBouncer();
}

/** Builds it as an ordinary source package, from the mirror that this machine uses. */
function build(): boolean {
  const mirror = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian'], {
    encoding: 'utf8',
  })
    .stdout.split('\n')
    .find((url) => /\/debian\/?$/.test(url));
  if (!mirror) return false;
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-build-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'sources.list'), `deb-src ${mirror} ${RELEASE} main\n`);
    // Lists of its own, so that the machine installs nothing else of that release.
    const ownLists = [
      `Dir::Etc::sourcelist=${folder}/sources.list`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${folder}/lists`,
      `Dir::Cache=${folder}/cache`,
      // Its own user may not write here.
      'APT::Sandbox::User=root',
    ].flatMap((option) => ['-o', option]);
    const source = () => join(folder, readdirSync(folder).find((name) => /^pgbouncer-[\d.]+$/.test(name))!);
    const built =
      run('apt-get', [...ownLists, 'update', '-q'], folder) &&
      run('apt-get', [...ownLists, 'source', 'pgbouncer'], folder) &&
      run('./configure', ['--without-cares', '--without-systemd'], source()) &&
      run('make', [`-j${availableParallelism()}`, 'pgbouncer'], source());
    if (!built) return false;
    copyFileSync(join(source(), 'pgbouncer'), BUILT);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const run = (command: string, args: string[], cwd?: string): boolean =>
  spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
    .status === 0;
