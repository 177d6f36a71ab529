import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Shot, shoot } from './drive.ts';
import { type InTurns, measureInTurns, type Ratio, type Side } from './in-turns.ts';
import { closing } from './start.ts';
import { type DeepPage, workloadsOf } from './workloads.ts';

/** Workloads that a peer can answer: w1 has fields that are computed, and the others are no GraphQL or change something. @throws Error for another peer */
export function answeredBy(peer: string): readonly string[] {
  if (peer !== 'postgraphile') throw new Error(`the bench knows no peer ${peer}, only postgraphile`);
  return ['w2', 'w4'];
}

const SOURCE = 'scripts/bench/peer';
/** Outside of the project's own dependencies: with the editor that it serves, PostGraphile is 300 MB in 185 packages. */
const FOLDER = 'node_modules/.cache/haulgate-bench-peer';

const NEWEST = 'orderBy: [CREATED_AT_DESC, ROW_ID_DESC]';
/** With the company, so that PostgreSQL finds the index: row-level security alone leads to a scan of all companies. */
const OWN = `condition: { companyId: $company }, ${NEWEST}`;
const DASHBOARD = `query Dashboard($company: UUID!) { orders: allOrders(first: 25, ${OWN}) { nodes {
  id: rowId orderId name state loadAt truckCount quantity unitOfMeasure account: accountByAccountId { id: rowId name } material: materialByMaterialId { id: rowId name }
  waypoints(orderBy: [ORDINALITY_ASC]) { nodes { id: rowId type ordinality site: siteBySiteId { id: rowId name lat lon fullAddress routable discardedAt
    address: addressByAddressId { id: rowId thoroughfare premise locality administrativeArea postalCode country lat lon placeId } } } }
  jobs: jobsByOrderId(first: 25, ${NEWEST}) { nodes { id: rowId jobId state jobStartAt driver: appUserByDriverId { id: rowId firstName lastName phone }
    loads: loadsByJobId(first: 25, ${NEWEST}) { nodes { id: rowId loadId state quantity unitOfMeasure } } } }
} } }`;
const DEEP = `query Deep($company: UUID!, $after: Cursor) { loads: allLoads(first: 25, after: $after, ${OWN}) { nodes { id: rowId loadId state quantity createdAt } } }`;
const CURSOR = `query Cursor($company: UUID!) { loads: allLoads(first: 1, ${OWN}) { edges { cursor } } }`;

const ask = (query: string, variables: object): Shot => ({ method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) });

export interface PeerOptions extends Omit<InTurns, 'sides'> {
  databaseUrl: string;
  pages: DeepPage[];
  product: Omit<Side, 'name' | 'workloads'>;
}

/**
 * Measures the product and PostGraphile 5 in turns, on the same rows, both with row-level security.
 * @throws Error when the two do not give the same answers
 */
export async function measurePeer({ databaseUrl, pages, product, ...options }: PeerOptions): Promise<Record<string, Ratio>> {
  const { base, child } = await startPeer(databaseUrl, product.companyId);
  const workloads = workloadsOf(product.token, pages);
  const company = product.companyId;
  const deep = await cursorsFor(base, company, pages);
  let turn = 0;
  const questions: Record<string, () => Shot> = {
    w2: () => ask(DASHBOARD, { company }),
    w4: () => ask(DEEP, { company, after: deep[turn++ % deep.length] }),
  };
  const peer: Side = {
    ...product,
    name: 'PostGraphile',
    base,
    pid: child.pid!,
    workloads: workloads.map((workload) => ({ ...workload, product: questions[workload.name] ?? workload.product })),
  };
  for (const [at, { name, product: question }] of workloads.entries()) {
    if (!options.only.has(name)) continue;
    const [ours, theirs] = [await shoot(product.base, question()), await shoot(base, peer.workloads[at]!.product())];
    if (!isDeepStrictEqual(comparable(JSON.parse(ours)), comparable(JSON.parse(theirs))))
      throw new Error(`${name}: PostGraphile answers ${theirs.slice(0, 500)}, the product ${ours.slice(0, 500)}`);
  }
  return measureInTurns({ ...options, sides: [{ ...product, name: 'Haulgate', workloads }, peer] });
}

/** Starts the peer with the packages of its lock file, which are installed when they are not there. */
async function startPeer(databaseUrl: string, companyId: string): Promise<{ base: URL; child: ChildProcess }> {
  mkdirSync(FOLDER, { recursive: true });
  const isInstalled = existsSync(join(FOLDER, 'node_modules/postgraphile'));
  for (const file of ['package.json', 'package-lock.json', 'server.mjs']) cpSync(join(SOURCE, file), join(FOLDER, file));
  if (!isInstalled) execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = fork(join(FOLDER, 'server.mjs'), {
    execArgv: [],
    // It prints types of PostgreSQL that it does not know.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      BENCH_COMPANY_ID: companyId,
      PORT: String(port),
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
    },
  });
  closing.push(() => void child.kill('SIGKILL'));
  await new Promise<void>((done, fail) => {
    child.once('message', () => done());
    child.once('exit', (code) => fail(new Error(`PostGraphile stopped with ${code}`)));
  });
  return { base: new URL(`http://127.0.0.1:${port}`), child };
}

/** The peer's cursors of the same pages: the digest of the order, and the values of the row. */
async function cursorsFor(base: URL, company: string, pages: readonly DeepPage[]): Promise<string[]> {
  if (pages.length === 0) return [];
  const { data } = JSON.parse(await shoot(base, ask(CURSOR, { company }))) as { data: { loads: { edges: { cursor: string }[] } } };
  const [digest] = JSON.parse(Buffer.from(data.loads.edges[0]!.cursor, 'base64').toString()) as [string];
  return pages.map(({ at, id }) => Buffer.from(JSON.stringify([digest, at, id])).toString('base64'));
}

/** An answer without what is a matter of taste: zeros at the end of decimals, how a time is written, lists in connections. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value)) return new Date(value).toISOString();
    return /^-?\d+\.\d+$/.test(value) ? String(Number(value)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  if (entries.length === 1 && entries[0]![0] === 'nodes') return comparable(entries[0]![1]);
  return Object.fromEntries(entries.map(([key, inner]) => [key, comparable(inner)]));
}
