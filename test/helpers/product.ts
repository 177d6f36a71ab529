import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { until } from './until.ts';

/** A process of the product, started like an operator would. */
export interface Product {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when the output matches; rejects when the process ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code or signal. */
  ended: Promise<number | NodeJS.Signals>;
}

/** Returns a new folder that the user `nobody` can enter, as PostgreSQL may have to. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'haulgate-start-'));
  chmodSync(folder, 0o711);
  return folder;
}

/**
 * Makes a data folder what the first start of an empty installation leaves: its PostgreSQL has all tables, and nothing in them. It takes a
 * fraction of a first start, for tests that are about what comes later.
 */
export async function copyStarted(folder: string): Promise<void> {
  const kept = join(process.env.HAULGATE_TEST_COMPILED!, 'started');
  try {
    mkdirSync(kept, { mode: 0o711 });
    const first = startProduct({ PORT: '0', HAULGATE_DATA: join(kept, 'data'), HAULGATE_DEMO: 'off' });
    await first.says(/"msg":"ready"/);
    first.child.kill('SIGTERM');
    if ((await first.ended) !== 0) throw new Error(`The first start failed: ${first.stderr()}`);
    writeFileSync(join(kept, 'done'), '');
  } catch (error) {
    // The other worker makes it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await until(() => existsSync(join(kept, 'done')));
  }
  // With its owners and modes, which PostgreSQL insists on.
  execFileSync('cp', ['-a', `${join(kept, 'data')}/.`, folder]);
}

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });

// The space for new objects is that of `npm start`: a start makes many.
const NODE = [
  process.execPath,
  '--max-semi-space-size=16',
  '--disable-warning=ExperimentalWarning',
  '--import',
  './scripts/typescript.mjs',
];

/** Runs src/main.ts, or a script, in a separate process. Its environment is `env`, PATH and the folder of compiled code. */
export function startProduct(env: Record<string, string>, script = 'src/main.ts', ...args: string[]): Product {
  return run(env, [...NODE, script, ...args]);
}

/** The same with a terminal, which `script` of util-linux makes. */
export function startInTerminal(env: Record<string, string>): Product {
  return run(env, ['script', '--quiet', '--return', '--command', [...NODE, 'src/main.ts'].join(' '), '/dev/null']);
}

/** What runs. A test that fails in its middle leaves it running, and jest's worker would not end. */
const running = new Set<Product>();
afterAll(() =>
  Promise.all(
    [...running].map(({ child, ended }) => {
      child.kill('SIGKILL');
      return ended;
    }),
  ),
);

function run(env: Record<string, string>, [command = '', ...args]: string[]): Product {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.HAULGATE_TEST_COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', (chunk) => (said[stream] += String(chunk)));
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const product: Product = {
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended,
    async says(pattern) {
      for (;;) {
        const found = pattern.exec(said.stdout);
        if (found) return found;
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended without saying ${pattern}: ${said.stderr}`);
        await new Promise((wake) => setTimeout(wake, 20));
      }
    },
  };
  running.add(product);
  void ended.then(() => running.delete(product));
  return product;
}

/** Returns the ids of the processes whose command line names `folder`: its PostgreSQL, and the shell that guards it. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => commandOf(pid).includes(folder));
}

/** Resolves when no process names `folder` any more. */
export async function allGone(folder: string): Promise<void> {
  for (let attempt = 0; attempt < 250 && processesOf(folder).length > 0; attempt++) await new Promise((wake) => setTimeout(wake, 20));
  const left = processesOf(folder).map(commandOf);
  if (left.length > 0) throw new Error(`still running: ${left.join('; ')}`);
}

/** Returns the ids of the guards of the server with this id. */
export function guardsOf(server: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandOf(pid).includes(`haulgate-guard ${server} `));
}

function commandOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  try {
    return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : '';
  } catch {
    return '';
  }
}
