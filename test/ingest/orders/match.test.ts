import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldText } from '../../../src/platform/fold.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { sweepRuns } from '../../helpers/properties.ts';
import { makeTenant, type Tenant } from '../../helpers/tenant.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
type Json = any;

let app: TestApp;
let tenant: Tenant;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
});
afterAll(() => app.close());

/** Few names and ids, so that they meet; cases and blanks that mean the same, and some that do not. */
const NAMES = [
  'Stone',
  'stone',
  ' STONE ',
  'Sand',
  'École 3',
  'ÉCOLE 3',
  'ΟΔΟΣ',
  'οδοσ',
  'İzmir',
  'izmir',
  'I\u0307ZMIR',
  '\u212aim',
  'KIM',
  'E\u0301cole 3',
  '\u00a0Stone',
  'E-1',
];
const IDS = ['E-1', 'e-1', 'E-2', 'stone'];
const MAILS = [
  'ann@example.com',
  'Ann@Example.com',
  'bob@example.com',
  'kim@example.com',
  '\u212aIM@example.com',
  'k\u0130m@example.com',
  'ki\u0307m@example.com',
];
const PHONES = ['+15125550100', '+15125550101'];

interface Known {
  id: string;
  name?: string;
  externalId?: string;
  email?: string;
  phone?: string;
  discarded: boolean;
  /** Of an account. */
  kind: 'customer' | 'vendor';
  /** Made by an element of this request. */
  made?: boolean;
}
type Asked = Omit<Known, 'id' | 'discarded' | 'kind' | 'made'>;
type Table = 'account' | 'material' | 'equipment_type' | 'site' | 'app_user';

const text = (values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const named = fc.record({ name: text(NAMES), externalId: text(IDS) }).filter(({ name, externalId }) => Boolean(name || externalId));
const person = fc
  .record({ email: text(MAILS), phone: text(PHONES), externalId: text(IDS) })
  .filter(({ email, phone, externalId }) => Boolean(email || phone || externalId));
const known = (asked: fc.Arbitrary<Asked>) =>
  fc.array(
    fc.tuple(asked, fc.boolean(), fc.constantFrom('customer' as const, 'vendor' as const)).map(
      ([one, discarded, kind]): Known => ({
        ...one,
        id: newId(),
        discarded,
        // A discarded vendor is neither found nor made anew: another rule, with a test of its own.
        kind: discarded ? 'customer' : kind,
      }),
    ),
    { maxLength: 5 },
  );

const fold = (value: string | undefined) => value && foldText(value);

/** SPEC "Matching of nested records", one record after the other: the oldest that is not discarded, by the first key that finds one. */
function pick(table: Table, all: Known[], asked: Asked): { one: Known; by: string } | undefined {
  const alive = all.filter(({ discarded }) => !discarded);
  const by = (...keys: ('name' | 'externalId' | 'email' | 'phone')[]) => {
    if (keys.some((key) => asked[key] === undefined)) return undefined;
    const fitting = alive.filter((record) =>
      keys.every((key) =>
        key === 'name' || key === 'email'
          ? record[key] !== undefined && fold(record[key]) === fold(asked[key])
          : record[key] === asked[key],
      ),
    );
    // Of namesakes, the one with the id of the payload is meant.
    const one = fitting.find(({ externalId }) => asked.externalId !== undefined && externalId === asked.externalId) ?? fitting[0];
    return one && { one, by: keys.map((key) => (key === 'externalId' ? 'external_id' : key)).join('_and_') };
  };
  if (table === 'app_user') return by('email') ?? by('phone') ?? by('externalId');
  // Asked for a vendor, a customer is found only where no vendor is, by either key.
  const vendors = all.filter(({ kind }) => kind === 'vendor');
  if (table === 'account' && vendors.length < all.length) return pick(table, vendors, asked) ?? by('name') ?? by('externalId');
  if (table !== 'site') return by('name') ?? by('externalId');
  const found = by('name', 'externalId') ?? by('externalId');
  if (found || asked.name === undefined) return found;
  // Namesakes stay apart: a site with an external id is not found by its name under another one.
  const one = alive.find(
    (record) => fold(record.name) === fold(asked.name) && (asked.externalId === undefined || record.externalId === undefined),
  );
  return one && { one, by: 'name' };
}

/** Returns what the elements find, where each creates what is missing for those after it. */
function expected(table: Table, all: Known[], asked: Asked[]): string[] {
  const records = [...all];
  return asked.map((one) => {
    const found = pick(table, records, one);
    if (found) return found.one.made ? 'created' : `${found.by} ${found.one.id}`;
    records.push({ ...one, name: one.name ?? one.externalId, id: newId(), discarded: false, kind: 'vendor', made: true });
    return 'created';
  });
}

async function plant(table: Table, records: Known[]): Promise<void> {
  const run = (sql: string, params: unknown[] = []) => app.orm.em.getConnection().execute(sql, params);
  await run(`delete from ${table} where company_id = ? and created_at < now() - interval '1 hour'`, [tenant.company.id]);
  for (const [i, one] of records.entries()) {
    const made = `now() - interval '1 day' + ${i} * interval '1 second'`;
    const columns: Record<string, unknown> =
      table === 'app_user'
        ? { first_name: 'Ann', last_name: 'Planted', email: one.email ?? null, phone: one.phone ?? null, unclaimed: true }
        : { name: one.name ?? one.externalId };
    if (table !== 'app_user') one.name ??= one.externalId;
    if (table === 'account') columns.account_types = `{${one.kind}}`;
    const names = Object.keys(columns);
    await run(
      `insert into ${table} (id, company_id, external_id, discarded_at, created_at, ${names.join()}) values (?, ?, ?, ${one.discarded ? 'now()' : 'null'}, ${made}, ${names.map(() => '?').join()})`,
      [one.id, tenant.company.id, one.externalId ?? null, ...Object.values(columns)],
    );
  }
}

const wire = ({ externalId, ...more }: Asked) => ({ ...more, ...(externalId === undefined ? {} : { external_id: externalId }) });

async function matchesOf(orders: Json[], pointer: string): Promise<string[]> {
  const answer = await tenant.http('POST', '/ingest/orders?dry_run=true', {
    orders: orders.map((order, i) => ({ external_id: `M-${i}`, load_at: '2026-12-01T07:00:00', customer: { external_id: 'C' }, ...order })),
  });
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.any(String)]);
  return answer.body.data.records.map((record: Json) => {
    const found = record.matches.find((match: Json) => match.pointer === pointer);
    return found.by === 'created' ? 'created' : `${found.by} ${found.id}`;
  });
}

const CASES: [table: Table, pointer: string, asked: fc.Arbitrary<Asked>, order: (asked: Asked) => Json][] = [
  ['material', '/material', named, (asked) => ({ material: wire(asked) })],
  ['equipment_type', '/equipment_type', named, (asked) => ({ equipment_type: wire(asked) })],
  ['account', '/vendors/0', named, (asked) => ({ vendors: [wire(asked)] })],
  ['site', '/sites/0', named, (asked) => ({ sites: [{ waypoint: 'pickup', lat: '30.1', lon: '-97.1', ...wire(asked) }] })],
  ['app_user', '/foremen/0', person, (asked) => ({ foremen: [wire(asked)] })],
];

test.each(CASES)(
  'every %s of a batch is the one that processing one by one would find',
  async (table, pointer, asked, order) => {
    await fc.assert(
      fc.asyncProperty(known(asked), fc.array(asked, { minLength: 1, maxLength: 6 }), async (records, all) => {
        await plant(table, records);
        expect(await matchesOf(all.map(order), pointer)).toEqual(expected(table, records, all));
      }),
      { numRuns: sweepRuns(100) },
    );
  },
  120_000,
);
