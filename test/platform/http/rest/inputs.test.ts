import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildSchema, type GraphQLInputObjectType } from 'graphql';
import { coerceInput, type InputErrorCollector } from '../../../../src/platform/http/rest/inputs.ts';
import { coerceQuery, parseQuery } from '../../../../src/platform/http/rest/query.ts';
import { parseJson } from '../../../../src/platform/json/json.ts';
import { wireName } from '../../../../src/platform/model/names.ts';
import { runs } from '../../../helpers/properties.ts';

const NAMES = ['id', 'siteId', 'externalId', 'poJobNumber', '_destroy', 'a1', 'pickupToDropoffDistanceMeters', 'lat', 'phase2Code'];
const collector = (): InputErrorCollector => ({ model: 'Thing', items: [], strict: false, suspicious: true, exact: true });
const clean = (value: unknown) => JSON.parse(JSON.stringify(value));

const schema = buildSchema(`scalar JSON
  input Thing { ${NAMES.map((name) => `${name}: String`).join(' ')} count: Int flag: Boolean ratio: Float things: [Thing] inner: Thing raw: JSON }
  type Query { a(b: Thing): Int }`);
const Thing = schema.getType('Thing') as GraphQLInputObjectType;

const storable = fc.string({ unit: 'grapheme' }).filter((s) => !s.includes('\0'));
const { thing } = fc.letrec<{ thing: Record<string, unknown> }>((tie) => ({
  thing: fc.record(
    {
      ...Object.fromEntries(NAMES.map((name) => [name, fc.option(fc.oneof(fc.constant(''), storable))])),
      count: fc.option(fc.integer()),
      flag: fc.option(fc.boolean()),
      ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      raw: fc.option(
        fc.object({ key: fc.constantFrom('snake_key', 'camelKey', 'x'), values: [storable, fc.integer(), fc.constant(null)] }),
      ),
      things: fc.option(fc.array(tie('thing') as fc.Arbitrary<Record<string, unknown>>, { maxLength: 3 })),
      inner: fc.option(tie('thing') as fc.Arbitrary<Record<string, unknown>>, { maxDepth: 2 } as never),
    },
    { requiredKeys: [] },
  ),
}));

/** Returns the value as a client would write it: every declared name in snake_case, JSON scalars as they are. */
function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [wireName(k), k === 'raw' ? v : toWire(v)]));
}

test('input in wire names arrives in GraphQL names; absent, null, false, 0 and "" stay different', () => {
  fc.assert(
    fc.property(thing, (value) => {
      const to = collector();
      const given = clean(value);
      const { value: body } = parseJson(Buffer.from(JSON.stringify(toWire(given))));
      expect(coerceInput(body, Thing, '', to)).toEqual(given);
      expect(to.items).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});

test('no JSON value breaks the walker, and only declared fields pass', () => {
  const undeclared = ['stranger', 'constructor', '__proto__', 'siteId'];
  const keys = fc.constantFrom(...NAMES.map((name) => wireName(name)), 'raw', ...undeclared);
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 6 }), fc.dictionary(keys, fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 2 }))));
  const passed = new Set<string>();
  fc.assert(
    fc.property(anything, (value) => {
      const to = collector();
      const result = coerceInput(value, Thing, '', to);
      if (to.items.length > 0 || result === null) return;
      for (const key of Object.keys(result as object)) {
        expect(Object.keys(Thing.getFields())).toContain(key);
        passed.add(key);
      }
    }),
    { numRuns: runs(500) },
  );
  expect(passed.size).toBeGreaterThan(5);
});

test('no query string breaks the parser or the walker', () => {
  const part = fc.oneof(
    fc.constantFrom('inner', '[inner]', '[things]', '[]', '[count]', '=', '&', '%', '[', ']', ',', '%00', '%ff', '+'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      const node = parseQuery(`inner${parts.join('')}`);
      coerceQuery(node.children.get('inner'), Thing, 'inner', collector());
    }),
    { numRuns: runs(500) },
  );
});

test('wire names of this project are converted', () => {
  expect(['siteId', 'poJobNumber', '_destroy', 'phase2Code', 'gpsMinutes', 'already_snake', 'URLPath'].map(wireName)).toEqual([
    'site_id',
    'po_job_number',
    '_destroy',
    'phase2_code',
    'gps_minutes',
    'already_snake',
    'url_path',
  ]);
});
