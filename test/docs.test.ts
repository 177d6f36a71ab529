import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { Equipment } from '../src/directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../src/directory/equipment/equipment-type.entity.ts';
import { poolOf } from '../src/platform/database/sql.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { makeOrder, makeTenant, type Tenant } from './helpers/tenant.ts';
import { where } from './helpers/where.ts';
import { jpeg, pdf } from './ingest/files/sample-files.ts';

let app: TestApp;
let tenant: Tenant;
let folder: string;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
  tenant = await makeTenant(app);
  folder = mkdtempSync(join(tmpdir(), 'haulgate-docs-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

/** The shell blocks of a guide that ask the server. */
function blocksOf(guide: string): string[] {
  const text = readFileSync(join('docs', guide), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!).filter((block) => /curl |^gql /m.test(block));
}

/** Runs a block as a reader would paste it; an answer of 400 or more fails it. */
async function paste(block: string, env: Record<string, string>): Promise<string> {
  const script = `set -euo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n${block}`;
  const run = promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH!, URL: app.url, TOKEN: tenant.token, ...env },
  });
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${block}\n${error.stdout}${error.stderr}`);
  });
  return stdout;
}

/** Makes what the guide for senders takes for granted: an order somebody drives, and a file. */
async function importing(): Promise<void> {
  const company = ref(tenant.company);
  const equipmentType = ref(await tenant.save(EquipmentType, { company, name: 'End dump' }));
  const truck = await tenant.save(Equipment, { company, equipmentType, name: 'Truck 12', externalId: 'TRK-12' });
  const order = await makeOrder(tenant, { load_at: '2026-11-23T12:00:00.000Z' });
  const pool = await poolOf(app.orm.em.fork());
  await pool.query("update job set equipment_id = $2, state = 'assigned' where order_id = $1", [order.id, truck.id]);
  const dispatch = await pool.query('insert into dispatch_number (id, company_id, name) values (gen_random_uuid(), $1, $2) returning id', [
    tenant.company.id,
    'D-1',
  ]);
  await pool.query('update orders set dispatch_number_id = $2 where id = $1', [order.id, dispatch.rows[0].id]);
  writeFileSync(join(folder, 'ticket.pdf'), pdf());
}

const withCurl = where(spawnSync('curl', ['--version']).status === 0, 'no curl: the examples of the guides are not pasted');

withCurl('every example of the guide for senders works as it stands there', async () => {
  await importing();
  const blocks = blocksOf('importer.md');
  expect(blocks.length).toBeGreaterThan(8);
  // One after the other in one shell: what a block keeps, such as the id of a batch, is asked for by a later one.
  const answers = await paste(blocks.join('\n'), {});
  await app.settled();
  // The elements that were sent were imported, and the answers came.
  for (const part of ['"state":"processed"', '"imported_for":"PRJ-7"', '"ticket_number"', '"file_url"', ',ORD-13,failed,'])
    expect(answers).toContain(part);
  const { data } = await tenant.gql('{ importedRecords(first: 100) { nodes { importedFor kind state lastError } } }');
  const failed = data.importedRecords.nodes.filter((one: { state: string }) => one.state === 'failed');
  const never = { kind: 'order', state: 'failed', lastError: expect.stringContaining('/load_at') };
  expect(failed).toEqual([
    { importedFor: 'ORD-13', ...never },
    { importedFor: 'ORD-4', ...never },
  ]);
});

withCurl('a company is built from nothing to a sent job over either interface, and the records are the same', async () => {
  const [rest, graphql, ...others] = blocksOf('api.md');
  const lastLine = (text: string) => text.trim().split('\n').at(-1)!.split(' ');
  const built = [lastLine(await paste(rest!, {})), lastLine(await paste(graphql!, {}))];
  const records = await Promise.all(
    built.map(async ([company, order, job]) => ({
      company: await tenant.must('GET', `/v1/companies/${company}`),
      order: await tenant.must('GET', `/v1/companies/${company}/orders/${order}`),
      job: await tenant.must('GET', `/v1/companies/${company}/jobs/${job}`),
    })),
  );
  expect(records[0]!.job).toMatchObject({ state: 'sent', driver: { first_name: 'Dora' }, equipment: { name: 'Truck 12' } });
  expect(withoutIdentity(records[1])).toEqual(withoutIdentity(records[0]));
  await makeOrder(tenant);
  const said: string[] = [];
  for (const block of others) said.push(await paste(block, {}).catch((error: Error) => error.message));
  await app.settled();
  const [lists, mistake, unknown, twice, matched, bulk] = said;
  expect(lists).toContain('"name":"Quarry"');
  expect(mistake).toContain('"field":"name"');
  expect(unknown).toContain('"meta":{"ignored":["filter[nmae]"]}');
  expect(unknown).toContain('"message":"is not a known field"');
  const [once, again] = twice!.replaceAll('}{', '}\n{').split('\n');
  expect(again).toBe(once);
  expect(matched).toContain('"name":"Riprap, large"');
  expect(matched).toContain('{"error":{"code":"precondition_failed"}}');
  expect(JSON.parse(bulk!).data).toHaveLength(1);
});

withCurl('every example of the guide to GraphQL is answered as it stands there', async () => {
  // One for the board of the day, also when midnight comes meanwhile.
  for (const days of [0, 1]) await makeOrder(tenant, { load_at: new Date(Date.now() + days * 86_400_000).toISOString() });
  const script = blocksOf('graphql.md');
  // The first block says how to ask, and the others ask.
  const [start, ...others] = script;
  const answers = [await paste(start!, {})];
  const how = start!.slice(0, start!.indexOf('\n\n'));
  for (const block of others) answers.push(await paste(`${how}\n${block}`, {}));
  for (const answer of answers) expect(JSON.parse(answer).errors).toBeUndefined();
  expect(JSON.parse(answers[0]!).data.dayBoard.jobsByState).toContainEqual({ state: 'created', count: expect.any(Number) });
});

test('the configuration of generated types names every scalar of the schema', () => {
  const [, named = ''] = /scalars: \{\n(.*?)\n {8}\},/s.exec(readFileSync('docs/graphql.md', 'utf8')) ?? [];
  const scalars = [...readFileSync('schema/schema.graphql', 'utf8').matchAll(/^scalar (\w+)/gm)].map(([, name]) => name);
  expect(
    [...named.matchAll(/(\w+): (?='|\{)/g)]
      .map(([, name]) => name)
      .filter((name) => !['input', 'output'].includes(name!))
      .sort(),
  ).toEqual(scalars.sort());
});

withCurl('a ticket goes from its photo to its verified history as the guide says', async () => {
  const order = await makeOrder(tenant);
  const [load] = await tenant.must('GET', tenant.path(`/orders/${order.id}/loads`));
  writeFileSync(join(folder, 'ticket.jpg'), jpeg());
  const [block] = blocksOf('proof.md');
  const said = (await paste(block!, { LOAD: load.id })).trim().split('\n');
  expect(said.slice(0, -1)).toEqual(['21.4', 'approved', 'Weighed again', '5']);
  expect(JSON.parse(said.at(-1)!).data).toMatchObject({ ticket_number: '118-4431', unbroken: true, as_issued: true, links_count: 5 });
});

/** Two records made alike differ in ids, times, and what must be one's own. */
function withoutIdentity(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutIdentity(one));
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutIdentity(one, key)]));
  return /(^|_)id$|_at$|_ids$|^(platform_id|email|legal_name)$/.test(name) && name !== 'job_start_at' && name !== 'load_at' ? null : value;
}

test('every command of the guide of sandboxes works as written', async () => {
  const shown = await paste(blocksOf('sandbox.md').join('\n'), {});
  expect(shown).toMatch(/x-sandbox: true/i);
  expect(shown).toContain('"day":3');
  expect(shown).toContain('HTTP/1.1 503');
});
