import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { foldText } from '../../src/platform/fold.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { runs, seedOf } from '../helpers/properties.ts';
import { fieldsOf, makeTenant, type Tenant } from '../helpers/tenant.ts';

let app: TestApp;
let tenant: Tenant;
let admin: string;
beforeAll(async () => {
  app = await startTestApp({ shared: true });
  tenant = await makeTenant(app);
  admin = (await tenant.person({ roles: ['company_admin'] })).token;
});
afterAll(() => app.close());

const letters = fc.oneof(
  fc.constantFrom(
    'k',
    'K',
    '\u212a',
    'i',
    'I',
    '\u0130',
    '\u0131',
    'i\u0307',
    's',
    'S',
    '\u017f',
    'ß',
    'ẞ',
    'ss',
    'σ',
    'ς',
    'Σ',
    'é',
    'e\u0301',
    'É',
    'ｓ',
    'µ',
    'μ',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => /^[\p{L}\p{M}\p{N}\p{So}]$/u.test(one)),
);
const name = fc.array(letters, { minLength: 1, maxLength: 3 }).map((all) => all.join(''));
const pairs = fc
  .tuple(name, name)
  .chain(([a, b]) =>
    fc.constantFrom<[string, string]>(
      [a, b],
      [a, a.toUpperCase()],
      [a, a.toLowerCase()],
      [a.normalize('NFD'), a.normalize('NFC')],
      [a, ` ${a} `],
    ),
  );

let made = 0;
/** The kinds of records with a name of their own in a company, the field that is refused for a second one, and the further fields that they need. */
const KINDS: [path: string, more: () => object][] = [
  ['/departments', () => ({})],
  ['/labels', () => ({})],
  ['/service_classes', () => ({})],
  ['/add_ons', () => ({ add_on_types: ['job'] })],
  ['/iam_roles', () => ({ permissions: [] })],
  ['/equipment_types', () => ({})],
  ['/projects', () => ({ account_id: tenant.account.id })],
];

test.each(KINDS)('%s: a name is taken exactly if the fold of another one is equal', async (path, more) => {
  const create = (given: string) =>
    tenant.http('POST', path === '/projects' ? `/v1${path}` : tenant.path(path), { name: given, ...more() }, admin);
  await fc.assert(
    fc.asyncProperty(pairs, async ([one, other]) => {
      const end = ` ${++made}`;
      const [a, b] = [`x${one}${end}`, `x${other}${end}`];
      const first = await create(a);
      expect([first.status, JSON.stringify(first.body)]).toEqual([201, expect.any(String)]);
      const second = await create(b);
      expect([a, b, second.status]).toEqual([a, b, foldText(a) === foldText(b) ? 422 : 201]);
      if (second.status === 422) expect(fieldsOf(second)).toEqual(['name']);
    }),
    { numRuns: runs(30), seed: seedOf(path) },
  );
});
