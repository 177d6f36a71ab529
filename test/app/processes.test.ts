import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sharesOf } from '../../src/app/supervise.ts';
import { migratedDatabase } from '../helpers/database.ts';
import { allGone, copyStarted, dataFolder, type Product, removeFolder, startProduct } from '../helpers/product.ts';
import { until } from '../helpers/until.ts';

let data: string;
beforeEach(() => {
  data = dataFolder();
});
afterEach(async () => {
  await allGone(data);
  removeFolder(data);
});

const start = (env: Record<string, string> = {}) => startProduct({ PORT: '0', HAULGATE_DATA: data, HAULGATE_PROCESSES: '2', ...env });
const ALL_READY = /"processes":3,"msg":"all processes are ready"/;
const urlOf = (product: Product): string => /"role":"web","url":"(http:[^"]+)".*"msg":"ready"/.exec(product.stdout())![1]!;
/** The processes that are or were ready, in their order. */
const readyOf = (product: Product) =>
  [...product.stdout().matchAll(/"role":"(web|worker)","process":(\d+),"msg":"a process is ready"/g)].map(([, role, pid]) => ({
    role,
    pid: Number(pid),
  }));

/** Every connection is a new one, so that they are dealt out to all processes. */
function ask(
  url: string,
  { method = 'GET', token, body }: { method?: string; token?: string; body?: string } = {},
): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(body ? { 'Content-Type': 'application/json' } : {}) };
    request(url, { method, headers, agent: new Agent({ keepAlive: false }) }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve([answer.statusCode!, text]));
    })
      .on('error', reject)
      .end(body);
  });
}

const figure = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );
const figuresOf = async (url: string): Promise<string> => (await ask(`${url}/metrics`))[1];

/** The expressions of the files for Prometheus and Grafana. */
function expressions(): string[] {
  const { panels } = JSON.parse(readFileSync('docs/monitoring/dashboard.json', 'utf8')) as { panels: { targets?: { expr: string }[] }[] };
  const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const alarms = [...readFileSync('docs/monitoring/alerts.yml', 'utf8').matchAll(/^\s+expr: (.*)$/gm)].map(([, expr]) => expr!);
  expect([shown.length > 10, alarms.length > 5]).toEqual([true, true]);
  return [...shown, ...alarms];
}

/** The labels by which they choose and sum, as `metric label`, without those that figures have. */
function unknownLabels(figures: string): string[] {
  const labels = new Map<string, Set<string>>();
  for (const [, name, all] of figures.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    labels.set(name!, new Set([...(labels.get(name!) ?? []), ...[...all!.matchAll(/(\w+)="/g)].map(([, label]) => label!)]));
  expect(labels.get('haulgate_http_seconds_bucket')).toEqual(new Set(['le', 'method', 'interface', 'status']));
  return expressions().flatMap((expr) => {
    const named = [...expr.matchAll(/\b((?:haulgate|process)_\w+)(?:\{([^}]*)\})?/g)];
    const summed = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by]) => by!.split(/,\s*/));
    return named.flatMap(([, name, chosen = '']) => {
      const asked = [...summed, ...[...chosen.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!)];
      // A measure to which nothing has happened yet has no labels either.
      return labels.has(name!) ? asked.filter((label) => !labels.get(name!)!.has(label)).map((label) => `${name} ${label}`) : [];
    });
  });
}

/** The metrics that the files for Prometheus and Grafana name, without those that there are. */
function unknownFigures(figures: string): string[] {
  const there = new Set(
    [...figures.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? ['', '_count', '_sum', '_bucket'].map((part) => name + part) : [name],
    ),
  );
  const named = ['alerts.yml', 'dashboard.json'].flatMap((file) => [
    ...readFileSync(`docs/monitoring/${file}`, 'utf8').matchAll(/\b(?:haulgate|process)_\w+/g),
  ]);
  expect(named.length).toBeGreaterThan(20);
  return [...new Set(named.map(([name]) => name))].filter((name) => !there.has(name));
}

async function machineToken(url: string): Promise<string> {
  const { client_id, client_secret } = JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8'));
  const answer = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

test('several processes answer on one port, add their figures up, wake each other, and replace one that is killed', async () => {
  await copyStarted(data);
  // Without a wake nobody would look within the test.
  const product = start({ HAULGATE_INGEST_SWEEP_MS: '60000' });
  await product.says(ALL_READY);
  expect(
    readyOf(product)
      .map(({ role }) => role)
      .sort(),
  ).toEqual(['web', 'web', 'worker']);
  const url = urlOf(product);
  const token = await machineToken(url);
  const count = 'haulgate_http_seconds_count{method="GET",interface="v1",status="2xx"}';
  const before = figure(await figuresOf(url), count) || 0;
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(`${url}/v1/projects`, { token })));
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  // The same number whichever process is asked.
  for (const text of [await figuresOf(url), await figuresOf(url)]) expect(figure(text, count)).toBe(before + 20);
  const figures = await figuresOf(url);
  expect(figure(figures, 'haulgate_processes{role="web"}')).toBe(2);
  expect(figure(figures, 'haulgate_processes{role="worker"}')).toBe(1);
  expect(figure(figures, 'haulgate_import_ledger_readable')).toBe(1);
  expect([unknownFigures(figures), unknownLabels(figures)]).toEqual([[], []]);
  const [status, taken] = await ask(`${url}/ingest/orders`, {
    method: 'POST',
    token,
    body: JSON.stringify({ orders: [{ external_id: 'P-1' }] }),
  });
  expect(status).toBe(202);
  const batch = JSON.parse(taken).data.batch_id;
  await until(async () => {
    const [, text] = await ask(`${url}/ingest/batches/${batch}`, { token });
    return JSON.parse(text).data.settled;
  });

  const killed = ['web', 'worker'].map((role) => readyOf(product).find((one) => one.role === role)!.pid);
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  // A request on the way to the killed one is cut off, as by a server that is killed; one that is tried again is answered.
  await until(() =>
    figuresOf(url).then(
      (text) => /haulgate_processes_replaced_total 2\n/.test(text),
      () => false,
    ),
  );
  await product.says(/(?:"msg":"a process is ready"(?:.|\n)*?){5}/);
  expect(
    readyOf(product)
      .slice(3)
      .map(({ role }) => role)
      .sort(),
  ).toEqual(['web', 'worker']);
  expect(product.stdout().match(/a process ended; another takes its place/g)).toHaveLength(2);
  expect(figure(await figuresOf(url), 'haulgate_processes{role="web"}')).toBe(2);
  expect((await ask(`${url}/ready`))[0]).toBe(200);

  // A machine that has no room for another process at the moment.
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${product.child.pid}/limits`, 'utf8'))!;
  const openFiles = (most: string) => execFileSync('prlimit', ['--pid', String(product.child.pid), `--nofile=${most}:${limit}`]);
  openFiles('3');
  process.kill(readyOf(product).findLast(({ role }) => role === 'worker')!.pid, 'SIGKILL');
  await product.says(/"msg":"a process could not be started; it is tried again"/);
  openFiles(limit!);
  await product.says(/(?:"msg":"a process is ready"(?:.|\n)*?){6}/);
  expect(readyOf(product).at(-1)!.role).toBe('worker');
  product.child.kill('SIGTERM');
  expect(await product.ended).toBe(0);
});

/** Returns the ids of the processes that a process has started. */
const childrenOf = (parent: number): number[] =>
  readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

test('whoever kills the supervisor ends all processes, also those that are starting', async () => {
  const product = start({ DATABASE_URL: await migratedDatabase() });
  await product.says(/"msg":"a process is ready"/);
  let children: number[] = [];
  await until(() => {
    children = childrenOf(product.child.pid!);
    return children.length === 3;
  });
  product.child.kill('SIGKILL');
  expect(await product.ended).toBe('SIGKILL');
  await until(() => !children.some(isAlive));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a start of several processes that cannot work ends with the reason, and leaves nothing running', async () => {
  const product = start({ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', HAULGATE_DATABASE_WAIT: '0' });
  expect(await product.ended).toBe(1);
  expect(product.stderr()).toBe(
    'DATABASE_URL names a server or database that cannot be used: connect ECONNREFUSED 127.0.0.1:1\nA web process could not be started.\n',
  );
});

test('processes of a machine have a share each of what is made for all of them', () => {
  const of = (processes: number, atOnce: number, role: 'all' | 'web' = 'all') =>
    sharesOf({ HAULGATE_ROLE: role, HAULGATE_PROCESSES: processes, HAULGATE_INGEST_CONCURRENCY: 4, HAULGATE_REQUESTS_AT_ONCE: atOnce });
  expect(of(2, 4)).toEqual({ ingestConcurrency: 4, requestsAtOnce: 2 });
  expect(of(4, 4)).toEqual({ ingestConcurrency: 2, requestsAtOnce: 1 });
  expect(of(16, 4)).toEqual({ ingestConcurrency: 1, requestsAtOnce: 1 });
  // Unlimited stays unlimited.
  expect(of(3, 0, 'web').requestsAtOnce).toBe(0);
});

test.each(['0', 'many', '65', '-1'])('HAULGATE_PROCESSES=%s is refused', async (wanted) => {
  const product = start({ HAULGATE_PROCESSES: wanted });
  expect(await product.ended).toBe(1);
  expect(product.stderr()).toBe('HAULGATE_PROCESSES must be auto or a whole number from 1 to 64.\n');
});
