import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Caller, type OperationResult } from './contract/caller.ts';
import { Doors } from './contract/doors.ts';
import { type Operation, readFacts, WAITS } from './contract/facts.ts';
import { prepare } from './contract/world.ts';
import { boot, signIn } from './real/product.ts';

/**
 * Calls every operation of the contract on a running product with demo data. For each group it reports how many are served, how many
 * answered with the promised status, and how many with a body that fits; and what differs. It fails if anything differs that is not among
 * `WAITS`. `npm run contract -- [--json FILE] [--only Orders,Jobs]`
 */
const { values: options } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' } },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
/**
 * Returns the order of operations: lists first, then what creates, then what changes; deletions last, of what was created, and the sign-out
 * after everything.
 */
function turnOf({ method, path }: Operation): number {
  if (method === 'DELETE' && path.endsWith('/auth/login')) return 11;
  if (method === 'DELETE') return path.endsWith('/sessions') ? 10 : /managed_companies\/\{id\}$/.test(path) ? 9 : 8;
  // These end what the other operations require.
  if (/\/(logout|discard|delete|cancel)/.test(path)) return 7;
  if (method === 'GET') return path.endsWith('}') ? 3 : 1;
  if (method === 'POST') return 2;
  // Only an inactive record can be activated.
  return method === 'PATCH' ? 4 : path.endsWith('/activate') ? 6 : 5;
}

const facts = readFacts('test/contract');
const only = options.only?.split(',');

// The report's provider of single sign-on and its accounting system are on this machine, and the demo company's domain is nobody's.
const product = await boot({
  ...{ HAULGATE_SSO_PRIVATE_HOSTS: 'on', HAULGATE_SSO_DOMAIN_PROOF: 'off' },
  HAULGATE_ACCOUNTING_PRIVATE_HOSTS: 'on',
});
const reported: OperationResult[] = [];
let caller: Caller | undefined;
try {
  const access = await signIn(product);
  const world = await prepare(product, access);
  caller = new Caller(facts, access, world, new Doors(product, access.token));
  await caller.look(world.driverIds.at(-1)!);
  const wanted = facts.operations.filter(({ group }) => !only || only.includes(group));
  for (const operation of wanted.toSorted((a, b) => turnOf(a) - turnOf(b))) reported.push(await caller.report(operation));
} finally {
  await caller?.close();
  await product.stop();
}

const groups = Map.groupBy(reported, ({ group }) => group);
say(`${'group'.padEnd(30)}  of  served  promised  fits`);
for (const [group, all] of [...groups].sort(([a], [b]) => a.localeCompare(b))) say(`${group.padEnd(30)}${counts(all)}`);
say(`${'all'.padEnd(30)}${counts(reported)}`);
const differing = reported.filter(({ name, served, problems }) => !WAITS[name] && (!served || problems.length > 0));
for (const { name } of reported) if (WAITS[name]) say(`${name}\n    waits: ${WAITS[name]}`);
for (const { name, served, problems } of differing) say(`${name}\n    ${served ? problems.slice(0, 6).join('\n    ') : 'is not served'}`);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ operations: reported, waits: WAITS }, null, 2)}\n`);
if (differing.length > 0) process.exitCode = 1;

function counts(all: OperationResult[]): string {
  const count = (fits: (one: OperationResult) => boolean) => String(all.filter(fits).length);
  const fit = count(({ promised, problems }) => promised && problems.length === 0);
  return `${String(all.length).padStart(4)}${count(({ served }) => served).padStart(8)}${count(({ promised }) => promised).padStart(10)}${fit.padStart(6)}`;
}
