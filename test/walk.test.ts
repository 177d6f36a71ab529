import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { clientSchemaOfRooms, schemaOfRooms } from '../src/app/serve.ts';
import { IamRole } from '../src/directory/people/iam-role.entity.ts';
import { isGrant } from '../src/identity/access/permissions.ts';
import { callersOf, requirementsOf } from '../src/platform/authz/field-permissions.ts';
import { compileDocuments } from '../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from './helpers/app.ts';
import { graphqlStatus } from './helpers/graphql-status.ts';
import { reachOf } from './helpers/roles.ts';
import { makeTenant, type Tenant } from './helpers/tenant.ts';
import {
  EXPECTED,
  type Expectation,
  expectationOf,
  graphqlCall,
  type Ids,
  idsUsed,
  makeIds,
  permitted,
  restCalls,
} from './helpers/walk.ts';

const schema = clientSchemaOfRooms();
const operations = compileDocuments(schemaOfRooms(), 'schema/rest', true);
const fields = [
  ...Object.values(schema.getQueryType()!.getFields()).map((field) => ({ kind: 'query' as const, field })),
  ...Object.values(schema.getMutationType()!.getFields()).map((field) => ({ kind: 'mutation' as const, field })),
];

let app: TestApp;
let tenant: Tenant;
let stranger: Tenant;
/** Of the same company, permitted nothing. */
let powerless: string;
let ids: Ids;
beforeAll(async () => {
  // A command that asked for a second connection in addition to its own would wait for ever.
  app = await startTestApp({ poolSize: 1 });
  tenant = await makeTenant(app);
  stranger = await makeTenant(app);
  // A role of the company's own that permits nothing: built-in ones that permit little read little.
  const auditor = await tenant.save(IamRole, { company: ref(tenant.company), name: 'Auditor' });
  powerless = (await tenant.person({ roles: [], customRoleIds: [auditor.id] })).token;
  ids = await makeIds(tenant);
});
afterAll(() => app.close());

test('every root field has an expectation, and every expectation a root field', () => {
  expect(fields.map(({ field }) => field.name).sort()).toEqual([...EXPECTED.keys()].sort());
});

/** True of a root field that a permission opens to people; not of one that is open to everybody, or to everybody of the company. */
const isPermitted = ({ who }: Expectation) => !['everybody', 'public', 'session', 'person', 'company'].includes(who);

test('the permission that is checked before the arguments is the expected one', () => {
  const reported = fields.flatMap(({ field: { name } }) => {
    const expected = expectationOf(name);
    const needs = requirementsOf(schema, name);
    // Which rate card or add-on is read decides whose rates it shows.
    if (!isPermitted(expected) || ['rate', 'autoAddOnAssignment'].includes(name))
      return needs.length === 0 ? [] : [`${name} needs nothing`];
    const grants = needs.flat().filter((way) => typeof way === 'string');
    const unheard = grants.filter((grant) => !isGrant(grant));
    return needs[0]?.[0] === expected.who && unheard.length === 0
      ? []
      : [`${name} needs ${expected.who}: its @Requires says ${grants} ${unheard}`];
  });
  expect(reported).toEqual([]);
});

test('operations without a token are marked, and no others', () => {
  const open = fields.filter(({ field: { name } }) => callersOf(schema, name) === 'public').map(({ field: { name } }) => name);
  const expected = [...EXPECTED].filter(([, { who }]) => who === 'everybody' || who === 'public').map(([name]) => name);
  expect(open.sort()).toEqual(expected.sort());
});

/** Asks every operation of REST or GraphQL as somebody; returns what does not answer as expected. */
interface Reported {
  name: string;
  status: number;
  named: boolean;
  expected: Expectation;
  text: string;
  /** The status of a missing permission: some answer 404 as the contract does. */
  denied?: number;
}
/** Ids for a call of a field. */
type Fresh = (root: string, call: (ids: Ids) => unknown) => Promise<Ids> | Ids;

/** The company's machine client may do everything but what only a person may. */
const as = (token: string, expected: Expectation) => (token === tenant.token ? permitted(tenant, expected) : token);

async function askRest(token: string, fresh?: Fresh): Promise<Reported[]> {
  const reported: Reported[] = [];
  for (const [at, operation] of operations.entries()) {
    const expected = expectationOf(operation.rootField);
    if (expected.who === 'session' && token) continue;
    const paths = restCalls(operation, expected, ids, tenant).length;
    for (let index = 0; index < paths; index++) {
      // Records of its own are made for one path of a write, in turns; each path writes in test/isolation/matrix.test.ts.
      if (fresh && operation.method !== 'GET' && index !== at % paths) continue;
      const call = (given: Ids) => restCalls(operation, expected, given, tenant)[index]!;
      const { method, path, body, named } = call(operation.method === 'GET' || !fresh ? ids : await fresh(operation.rootField, call));
      const answer = await tenant.http(method, path, body, await as(token, expected));
      reported.push({
        name: `${method} ${operation.scopedPath && index ? operation.scopedPath : operation.path}`,
        status: answer.status,
        named,
        expected,
        text: JSON.stringify(answer.body) ?? '',
        denied: operation.denied,
      });
    }
  }
  return reported;
}

async function askGraphql(token: string, fresh?: Fresh): Promise<Reported[]> {
  const reported: Reported[] = [];
  for (const { kind, field } of fields) {
    const expected = EXPECTED.get(field.name);
    if (!expected || (expected.who === 'session' && token)) continue;
    // A field that takes a permission is asked by somebody who has it and no other, below.
    if (fresh && isPermitted(expected)) continue;
    const call = (given: Ids) => graphqlCall(kind, field, expected, given, tenant);
    const { query, variables, named } = call(kind === 'query' || !fresh ? ids : await fresh(field.name, call));
    const answer = await tenant.gql(query, variables, await as(token, expected));
    reported.push({ name: `${kind} ${field.name}`, status: graphqlStatus(answer), named, expected, text: JSON.stringify(answer) });
  }
  return reported;
}

const not = (reported: Reported[], as: (one: Reported) => boolean) =>
  reported.filter((one) => !as(one)).map(({ name, status, text }) => `${name} -> ${status} ${text.slice(0, 200)}`);

for (const [by, ask] of [
  ['REST', askRest],
  ['GraphQL', askGraphql],
] as const) {
  test(`${by}: without a token there is 401, except for public operations`, async () => {
    expect(
      not(await ask(''), ({ status, expected, text }) =>
        expected.who === 'everybody'
          ? [200, 201, 202, 204].includes(status)
          : status === 401 && text.includes(expected.who === 'public' ? 'invalid_credentials' : 'missing_token'),
      ),
    ).toEqual([]);
  });

  test(`${by}: without permissions one reads, and changes nothing`, async () => {
    const open = (who: Expectation['who']) => who === 'company' || who === 'person' || who === 'everybody';
    const names = (text: string, who: string) => text.includes(`"model":"Permission","field":"${who}","message":"is a permission you`);
    expect(
      not(await ask(powerless), ({ status, expected, text, denied }) =>
        expected.who === 'public'
          ? true
          : expected.driversOnly
            ? status === expected.driversOnly
            : open(expected.who)
              ? [200, 201, 202, 204].includes(status)
              : denied === 404
                ? status === 404
                : status === 403 && names(text, expected.who),
      ),
    ).toEqual([]);
  });

  test(`${by}: another company finds no records`, async () => {
    const reported = await ask(stranger.token);
    // Lists and creation without a company in the path are the stranger's own; `me` is nobody for a machine.
    const fits = ({ status, named, expected, text }: Reported) =>
      expected.acrossFamilies
        ? [200, 403].includes(status)
        : named
          ? status === 404
          : expected.who === 'public' ||
            expected.who === 'person' ||
            ([200, 201, 202, 204, 400, 422].includes(status) && !text.includes(tenant.company.id));
    expect(not(reported, fits)).toEqual([]);
  });

  test(`${by}: with every permission nothing is denied or missing`, async () => {
    const reported = await ask(tenant.token, (root, call) => makeIds(tenant, root, idsUsed(call)));
    expect(
      not(
        reported,
        ({ status, expected }) => expected.who === 'public' || expected.who === 'person' || [200, 201, 202, 204, 409].includes(status),
      ),
    ).toEqual([]);
    // Hundreds of writes one after the other, each with records of its own: a machine with twenty other things to do takes two minutes.
  }, 300_000);
}

test('REST: a caller without the permission gets 403, whatever is wrong with the body', async () => {
  const driver = (await tenant.person({ roles: ['driver'] })).token;
  const reported: string[] = [];
  for (const operation of operations) {
    const expected = expectationOf(operation.rootField);
    if (operation.method === 'GET' || !isPermitted(expected)) continue;
    for (const { method, path, body } of restCalls(operation, expected, ids, tenant)) {
      const wrong = Object.fromEntries([...Object.keys(body ?? {}), 'unheard_of'].map((key) => [key, { of: ['no', 'such'] }]));
      const tries = [{}, wrong].map((sent) => [powerless, sent] as const);
      if (reachOf(expected, 'driver') === 'no') tries.push([driver, wrong]);
      for (const [token, sent] of tries) {
        const answer = await tenant.http(method, path, sent, token);
        const names = JSON.stringify(answer.body).includes(`"model":"Permission","field":"${expected.who}"`);
        // A driver does not see what is not theirs.
        if (!(answer.status === 403 && names) && !(answer.status === 404 && (token === driver || operation.denied === 404)))
          reported.push(`${method} ${path} ${JSON.stringify(sent)} -> ${answer.status} ${JSON.stringify(answer.body)}`.slice(0, 300));
      }
    }
  }
  expect(reported).toEqual([]);
});

test('an operation requires its permissions and no others', async () => {
  const reported: string[] = [];
  // One company for each set of permissions: making one for each of hundreds of operations took most of the time.
  const tenants = new Map<string, { holder: Tenant; makers: Tenant; maker: string }>();
  const tenantOf = async (...permissions: (string | undefined)[]) => {
    const key = permissions.join();
    const known = tenants.get(key);
    if (known) return known;
    const holder = await makeTenant(app, {
      permissions: permissions.filter((one) => one !== undefined) as never,
      company: { parentCompany: null },
    });
    // Ids are made by somebody who may: the same company's administrator.
    const maker = (await holder.person({ roles: ['company_admin'] })).token;
    const must: Tenant['must'] = (method, path, body) => holder.must(method, path, body, maker);
    const made = { holder, maker, makers: { ...holder, must } };
    tenants.set(key, made);
    return made;
  };
  for (const { kind, field } of fields) {
    const expected = EXPECTED.get(field.name);
    if (!expected || !isPermitted(expected)) continue;
    const { holder, makers, maker } = await tenantOf(expected.who, ...[expected.also].flat());
    const call = (given: Ids) => graphqlCall(kind, field, expected, given, holder);
    const { query, variables } = call(await makeIds(makers, field.name, idsUsed(call)));
    const { errors } = await holder.gql(query, variables, expected.vouches ? maker : undefined);
    if (errors && errors[0].extensions.code !== 'conflict')
      reported.push(`${field.name} with ${expected.who}: ${JSON.stringify(errors[0])}`);
  }
  expect(reported).toEqual([]);
});
