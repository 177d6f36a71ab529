import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Caller, type OperationResult } from './contract/caller.ts';
import { Doors } from './contract/doors.ts';
import { NOT_YET, type Operation, readFacts, WAITS } from './contract/facts.ts';
import { prepare } from './contract/world.ts';
import { boot, signIn } from './real/product.ts';

/**
 * Calls every operation of the contract on a running product with demo data. For each group it reports how many are served, how many
 * answered with the promised status, and how many with a body that fits; and what waits for later work. `npm run contract -- [--json FILE]
 * [--only Orders,Jobs] [--all]`
 */
const { values: options } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, all: { type: 'boolean', default: false } },
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
const due = ({ group }: { group: string }) => (only ? only.includes(group) : options.all || !NOT_YET.has(group));

// The report's provider of single sign-on is on this machine, and the demo company's domain is nobody's.
const product = await boot({ HAULGATE_SSO_PRIVATE_HOSTS: 'on', HAULGATE_SSO_DOMAIN_PROOF: 'off' });
const reported: OperationResult[] = [];
try {
  const access = await signIn(product);
  const world = await prepare(product, access);
  const caller = new Caller(facts, access, world, new Doors(product, access.token));
  await caller.look(world.driverIds.at(-1)!);
  // Of later groups, the operations that exist already.
  const wanted = facts.operations.filter((operation) => due(operation) || (!only && caller.serves(operation)));
  for (const operation of wanted.toSorted((a, b) => turnOf(a) - turnOf(b))) reported.push(await caller.report(operation));
} finally {
  await product.stop();
}

const asked = reported.filter(due);
const groups = Map.groupBy(asked, ({ group }) => group);
say(`${'group'.padEnd(30)}  of  served  promised  fits`);
for (const [group, all] of [...groups].sort(([a], [b]) => a.localeCompare(b))) say(`${group.padEnd(30)}${counts(all)}`);
say(`${'all'.padEnd(30)}${counts(asked)}`);
const later = facts.operations.filter(({ group }) => NOT_YET.has(group)).length;
if (!options.all && !only) {
  say(`${'of later groups, already'.padEnd(30)}${counts(reported.filter((one) => !due(one)))}`);
  say(`not yet: ${later} operations of ${NOT_YET.size} groups (${[...NOT_YET].join(', ')})`);
}
for (const { name } of asked) if (WAITS[name]) say(`${name}\n    waits: ${WAITS[name]}`);
for (const { name, served } of asked) if (!served && !WAITS[name]) say(`${name}\n    is not served`);
for (const { name, served, problems } of reported)
  if (served && problems.length > 0 && !WAITS[name]) say(`${name}\n    ${problems.slice(0, 6).join('\n    ')}`);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ operations: reported, waits: WAITS, not_yet: later }, null, 2)}\n`);

function counts(all: OperationResult[]): string {
  const count = (fits: (one: OperationResult) => boolean) => String(all.filter(fits).length);
  const fit = count(({ promised, problems }) => promised && problems.length === 0);
  return `${String(all.length).padStart(4)}${count(({ served }) => served).padStart(8)}${count(({ promised }) => promised).padStart(10)}${fit.padStart(6)}`;
}
