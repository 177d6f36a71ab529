import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Functions that end what the bench has started, to be called in reverse order. */
export const closing: (() => Promise<void> | void)[] = [];

/** The file that Node runs as the product. */
const BUILT = ['dist/src/main.js'];
const SOURCE = ['--disable-warning=ExperimentalWarning', '--import', './scripts/typescript.mjs', 'src/main.ts'];
let main = BUILT;

/** A line of the log with this is an error. */
const ERROR = '"level":50';
/** As many of the last errors are kept, and of each as many characters. */
const ERRORS = 20;
const ERROR_LENGTH = 1_500;

/** Has the product started from its source from now on, so that it need not be built. It is slower then. */
export function startFromSource(): void {
  main = SOURCE;
}

/** Whether what is started has to be built before. */
export const startsBuilt = (): boolean => main === BUILT;

/**
 * Starts the built product with the flags of `npm start`.
 * @param folder of the checkout, if it is another one
 * @returns the process, where it listens unless it is a worker, and the last errors in its log
 */
export async function startProduct(
  databaseUrl: string,
  data: string,
  role: 'all' | 'web' | 'worker',
  env: Record<string, string> = {},
  folder = '.',
): Promise<{ url?: string; child: ChildProcess; errors: readonly string[] }> {
  const child = spawn(process.execPath, [...flagsOfStart(), ...main], {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PORT: '0',
      HAULGATE_ROLE: role,
      HAULGATE_DEMO: 'off',
      HAULGATE_DATA: data,
      LOG_LEVEL: 'info',
      HAULGATE_MACHINE_TOKEN_SECONDS: '86400',
      // The bench is a single caller for the product, whose limit must not be what is measured.
      HAULGATE_REQUESTS_PER_MINUTE: '0',
      HAULGATE_REQUESTS_AT_ONCE: '1000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(() => stop(child));
  const last = env.HAULGATE_PROCESSES ? '"msg":"all processes are ready"' : '"msg":"ready"';
  const errors: string[] = [];
  const log = createInterface({ input: child.stdout });
  const url = await new Promise<string | undefined>((done, fail) => {
    let address: string | undefined;
    log.on('line', (line) => {
      address ??= /"url":"([^"]+)".*"msg":"ready"/.exec(line)?.[1];
      if (line.includes(last)) done(address);
      if (line.includes(ERROR) && errors.push(line.slice(0, ERROR_LENGTH)) > ERRORS) errors.shift();
    });
    child.once('exit', (code) => fail(new Error(`the product stopped with ${code}`)));
  });
  return { url, child, errors };
}

/** Ends a product in order. */
export async function stop(child: ChildProcess, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Returns the memory flags that `npm start` passes to Node. */
function flagsOfStart(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  return /exec node (--.*) dist/.exec(scripts.start)![1]!.split(' ');
}

/** Starts the hand-written server with which the product is compared. */
export async function startLimit(databaseUrl: string, companyId: string): Promise<{ base: URL; pid: number }> {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = fork('scripts/bench/limit-server.ts', {
    execArgv: ['--import', './scripts/typescript.mjs'],
    env: { ...process.env, DATABASE_URL: databaseUrl, BENCH_COMPANY_ID: companyId, PORT: String(port) },
  });
  closing.push(() => void child.kill());
  await new Promise<void>((done, fail) => {
    child.once('message', () => done());
    child.once('exit', (code) => fail(new Error(`the limit server stopped with ${code}`)));
  });
  return { base: new URL(`http://127.0.0.1:${port}`), pid: child.pid! };
}

/** @returns an access token of a machine client */
export async function tokenOf(base: URL, id: string, secret: string): Promise<string> {
  const response = await fetch(new URL('/v1/auth/token', base), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
