import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type GraphQLInputType, getNamedType, isInputObjectType, isListType, isNonNullType, isObjectType } from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Call, graphqlCells } from '../helpers/isolation/matrix.ts';
import { absentTarget } from '../helpers/isolation/matrix-targets.ts';
import { least, shareOf } from '../helpers/properties.ts';
import { makeOrder, makeTenant, orderInput, type Tenant } from '../helpers/tenant.ts';
import { expectationOf, type Ids, makeIds } from '../helpers/walk.ts';

const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Words that only the other company's records have. */
const WORD = 'Zanzibar';
/** Pairs of calls that are timed at most: a quiet machine needs 15, one with much else to do more until the noise evens out. */
const MOST_PAIRS = 300;

const schema = schemaOfRooms();
/** Lists that need no record to hang on. */
const lists = Object.values(schema.getQueryType()!.getFields()).filter((field) => {
  const type = getNamedType(field.type);
  return isObjectType(type) && 'pageInfo' in type.getFields() && !field.args.some((one) => isNonNullType(one.type));
});
const plainly = (field: (typeof lists)[number], args: string, head = '') =>
  `query${head} { list: ${field.name}${args ? `(${args})` : ''} { count { value } nodes { ${idOf(field)} } } }`;
/** Returns the id; a record that is made of others has none of its own. */
const idOf = ({ name }: (typeof lists)[number]): string => (name === 'invoicePreviews' ? 'jobId' : 'id');

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A list as the tenant reads it: a list that is not for it is refused, and each refusal names its own request. */
async function answerOf(field: (typeof lists)[number]): Promise<unknown> {
  const { data, errors } = await tenant.gql(plainly(field, ''));
  return { data, errors: errors?.map(({ message, extensions: { requestId, ...more } }: Json) => ({ message, ...more })) };
}

let app: TestApp;
let tenant: Tenant;
let other: Tenant;
let foreign: Ids;
const counts = new Map<string, unknown>();
beforeAll(async () => {
  app = await startTestApp();
  tenant = await makeTenant(app);
  await makeIds(tenant);
  for (const field of lists) counts.set(field.name, await answerOf(field));
  other = await makeTenant(app, { company: { legalName: `${WORD} Hauling`, dbaName: WORD } });
  other.account = await other.save(Account, { company: ref(other.company), name: `${WORD} Paving`, accountTypes: ['customer'] });
  other.pickup = await other.save(Site, { company: ref(other.company), name: `${WORD} Pit` });
  await other.person({
    firstName: WORD,
    lastName: WORD,
    roles: ['driver', 'foreman'],
    phone: '+15125550177',
    email: `${WORD}@example.com`,
  });
  foreign = await makeIds(other);
  await makeOrder(other, { external_id: `${WORD}-1`, name: WORD, notes: WORD });
});
afterAll(() => app.close());

test('lists and their counts do not depend on records of others', async () => {
  expect(lists.length).toBeGreaterThan(12);
  for (const field of lists) expect([field.name, await answerOf(field)]).toEqual([field.name, counts.get(field.name)]);
});

/** The ways to search a list: `['datagrid']`, or `['job', 'datagrid']`; a search that is a text has none. */
function ways(type: GraphQLInputType): string[][] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [[]];
  return Object.values(named.getFields()).flatMap((one) => ways(one.type).map((way) => [one.name, ...way]));
}

test('no search finds records of others', async () => {
  const searched = lists.filter((field) => field.args.some((one) => one.name === 'search'));
  expect(searched.length).toBeGreaterThan(8);
  let deepest = 0;
  for (const field of searched) {
    // Companies can be found for connecting by design, and show no more than a platform id does.
    if (expectationOf(field.name).acrossFamilies) continue;
    for (const way of ways(field.args.find((one) => one.name === 'search')!.type)) {
      const found = (word: string) =>
        tenant.gql(plainly(field, `search: ${way.reduceRight((inner, name) => `{ ${name}: ${inner} }`, `"${word}"`)}`));
      const answer = await found(WORD);
      expect([field.name, way, answer.errors]).toEqual([field.name, way, undefined]);
      expect([field.name, way, answer]).toEqual([field.name, way, await found('Xylograph')]);
      deepest = Math.max(deepest, way.length);
    }
  }
  // By the words of a job, in the search of orders.
  expect(deepest).toBe(2);
});

/** Paths of the ids in a filter: `['job', 'driverIds']`. */
function idPaths(type: GraphQLInputType, path: string[] = []): { path: string[]; list: boolean }[] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) return Object.values(named.getFields()).flatMap((one) => idPaths(one.type, [...path, one.name]));
  return named.name === 'ID' ? [{ path, list: isListType(isNonNullType(type) ? type.ofType : type) }] : [];
}

test('no filter distinguishes an id of others from an unknown one', async () => {
  let asked = 0;
  for (const field of lists) {
    const filter = field.args.find((one) => one.name === 'filter');
    if (!filter) continue;
    for (const { path, list } of shareOf(idPaths(filter.type), 4)) {
      const ids = [...Object.values(foreign), other.account.id, other.pickup.id, other.driver.id].filter((id) => id.length === 36);
      const answers = await Promise.all(
        [ids, ids.map(() => randomUUID())].map((values) => {
          const value = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), list ? values : values[0]);
          return tenant.gql(plainly(field, 'filter: $filter', `($filter: ${filter.type})`), { filter: value });
        }),
      );
      expect([field.name, path, answers[0]]).toEqual([field.name, path, answers[1]]);
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(least(60));
});

test('no sort shows records of others', async () => {
  const sorted = new Set<string>();
  for (const field of lists) {
    const sort = field.args.find((one) => one.name === 'sort');
    const type = sort && getNamedType(sort.type);
    if (!isInputObjectType(type)) continue;
    const flat = (of: typeof type, wrap: (inner: string) => string): string[] =>
      Object.values(of.getFields()).flatMap((one) => {
        const inner = getNamedType(one.type);
        return isInputObjectType(inner)
          ? flat(inner, (text) => wrap(`{ ${one.name}: ${text} }`))
          : ['asc', 'desc'].map((way) => wrap(`{ ${one.name}: ${way} }`));
      });
    for (const written of flat(type, (text) => text)) {
      const { data, errors } = await tenant.gql(plainly(field, `sort: ${written}`));
      expect([field.name, written, errors]).toEqual([field.name, written, undefined]);
      const before = (counts.get(field.name) as { data: { list: { nodes: { id: string }[] } } }).data.list.nodes.map((one) => one.id);
      expect(data.list.nodes.map((one: { id: string }) => one.id).sort()).toEqual(before.sort());
      if (before.length > 0) sorted.add(field.name);
    }
  }
  // Of an empty list no sort shows anything.
  expect(sorted.size).toBeGreaterThan(12);
});

test('an error about a unique value does not reveal its owner', async () => {
  const taken = await tenant.http('POST', tenant.path('/users'), {
    first_name: 'Ann',
    last_name: 'Other',
    email: `${WORD}@example.com`.toLowerCase(),
    iam_role_ids: [(await tenant.must('GET', '/v1/iam_roles'))[0].id],
  });
  expect(taken.status).toBe(422);
  expect(JSON.stringify(taken.body).replace(/zanzibar@example.com/g, '')).not.toMatch(/zanzibar|[0-9a-f]{8}-[0-9a-f]{4}/i);
  expect((await tenant.http('POST', tenant.path('/orders'), orderInput(tenant, { external_id: `${WORD}-1` }))).status).toBe(201);
});

test('an id of others takes as long as an unknown one', async () => {
  const target = { ids: foreign, tenant: other };
  const nothing = absentTarget(tenant);
  // One read and one write of every kind of record: the others of a kind find it the same way.
  const kinds = new Set<string>();
  const cells = graphqlCells(schema)
    .map((make) => [make(target), make(nothing)] as const)
    .filter(([{ named, writes, expected }]) => {
      const kind = `${expected.of} ${writes}`;
      if (!named || !expected.of || expected.acrossFamilies || expected.who === 'public' || kinds.has(kind)) return false;
      return kinds.add(kind);
    });
  expect(cells.length).toBeGreaterThan(25);
  const took = async ({ body }: Call) => {
    const start = performance.now();
    await tenant.http('POST', '/graphql', body);
    return performance.now() - start;
  };
  const statementsOf = async ({ body }: Call) =>
    (await app.countStatements(() => tenant.http('POST', '/graphql', body))).statements.map((sql) => sql.replace(UUIDS, '<id>'));
  const slow: string[] = [];
  const timed = new Set(shareOf(cells, 4));
  for (const cell of cells) {
    const [theirs, none] = cell;
    // The same statements run, and as far as the machine's other work shows, the same time passes.
    expect([theirs.name, await statementsOf(theirs)]).toEqual([theirs.name, await statementsOf(none)]);
    if (!timed.has(cell)) continue;
    // Both of a pair meet the same moment of the machine, in either order; what a moment does to one alone, the median leaves out.
    const gaps: number[] = [];
    let gap = Number.POSITIVE_INFINITY;
    for (let pair = 0; pair < MOST_PAIRS && (pair < 15 || gap >= 5); pair++) {
      const first = await took(pair % 2 ? theirs : none);
      const second = await took(pair % 2 ? none : theirs);
      gaps.push(pair % 2 ? first - second : second - first);
      gap = Math.abs(medianOf(gaps));
    }
    if (gap >= 5) slow.push(`${theirs.name}: ${gap.toFixed(1)} ms`);
  }
  expect(slow).toEqual([]);
}, 300_000);

const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};
