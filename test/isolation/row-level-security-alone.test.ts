import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { type GraphQLOutputType, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { Account } from '../../src/directory/accounts/account.entity.ts';
import { Site } from '../../src/directory/sites/site.entity.ts';
import { DispatchNumber } from '../../src/dispatch/model/dispatch-number.entity.ts';
import { Job } from '../../src/dispatch/model/job.entity.ts';
import { Order } from '../../src/dispatch/model/order.entity.ts';
import { Project } from '../../src/dispatch/model/project.entity.ts';
import { ROLES } from '../../src/identity/access/permissions.ts';
import { APP_ROLE } from '../../src/platform/database/roles.ts';
import { withPartnerVisibility } from '../../src/platform/database/scope.ts';
import { poolOf } from '../../src/platform/database/sql.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { type Call, graphqlCells, restCells, type Target } from '../helpers/matrix.ts';
import { eachOf } from '../helpers/matrix-world.ts';
import { removeTenantConditions } from '../helpers/remove-conditions.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { makeIds } from '../helpers/walk.ts';

/** A word that all names of the other company have in them. */
const WORD = 'Zanzibar';
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Answers in numbers only. */
const COUNTED = /importStatus|ingest\/status/;
/** Silent even without row-level security: operations about the caller, and those without records. */
const NOTHING_OF_OTHERS = new RegExp(
  [
    'me|mobileContext|my\\w+|/v1/users/me(/\\w+)?|/v1/mobile_context|own(Jobs|Projects)|.*/(jobs|projects)/(assigned|collaborator|driver|foreman|salesperson)|/v1/permission_toggles',
    '\\w+Template|.*/template|(.*/)?estimate\\w*|/v1/route_estimate|.*/orders/estimate|materialTypes|.*/material_types|lineItemTypes|/v1/line_item_types|ssoOptions|/v1/sso_connections|authMethods|/v1/auth_methods',
  ]
    .map((names) => `^\\w+ (${names})$`)
    .join('|'),
);

const schema = schemaOfRooms();
const queries = [...graphqlCells(schema), ...restCells(compileDocuments(schema, 'schema/rest', true))];

let app: TestApp;
let tenant: Tenant;
let target: Target;
/** Ids of everything that is the other company's, or a company's around it. */
const theirs = new Set<string>();
const tokens = new Map<string, string>();
let removed: () => number;
beforeAll(async () => {
  app = await startTestApp({ newDatabase: true });
  tenant = await makeTenant(app);
  await makeIds(tenant);
  for (const role of ROLES.filter((one) => one !== 'platform_admin')) tokens.set(role, (await tenant.person({ roles: [role] })).token);
  tokens.set('machine client', tenant.token);
  const [{ ours }] = (await app.orm.em.execute('select array_agg(id) as ours from company')) as [{ ours: string[] }];
  const other = await makeTenant(app, { company: { legalName: `${WORD} Hauling`, dbaName: WORD } });
  other.account = await other.save(Account, { company: ref(other.company), name: `${WORD} Paving`, accountTypes: ['customer'] });
  other.pickup = await other.save(Site, { company: ref(other.company), name: `${WORD} Pit` });
  target = { ids: await makeIds(other), tenant: other };
  const { order, driver, foreman } = target.ids;
  const number = await other.save(DispatchNumber, { company: ref(other.company), name: WORD });
  const busy = { driver, foremanIds: [foreman] };
  await app.orm.em.fork().nativeUpdate(Job, { order }, busy, { filters: { tenant: false } });
  await app.orm.em.fork().nativeUpdate(Project, { id: target.ids.project }, { externalId: WORD }, { filters: { tenant: false } });
  await app.orm.em.fork().nativeUpdate(Order, { id: order }, { dispatchNumber: number.id }, { filters: { tenant: false } });
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
     and (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('id', 'company_id')) = 2`,
  );
  for (const sql of [
    'select id from company where id <> all(?::uuid[])',
    ...tables.map(({ name }) => `select id from "${name}" where company_id <> all(?::uuid[])`),
  ])
    for (const { id } of await app.orm.em.execute<{ id: string }[]>(sql, [`{${ours.join()}}`])) theirs.add(id);
  removed = await removeTenantConditions(app);
});
afterAll(() => app.close());

/** All leaves of a type and the ids of what it names; of a page, those of its nodes. */
function fieldsOf(type: GraphQLOutputType, deep = true): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter((field) => !field.args.some(isRequiredArgument));
  if (named.getFields().pageInfo) return `{ count { value } nodes ${fieldsOf(named.getFields().nodes!.type)} }`;
  const inside = fields.flatMap((field) => {
    const of = getNamedType(field.type);
    if (isLeafType(of)) return [field.name];
    if (!deep || !isObjectType(of)) return [];
    if (of.getFields().id) return [`${field.name} { id }`];
    // A type without an id is a sum; fields of a record are next to its id.
    return named.getFields().id ? [] : [`${field.name} ${fieldsOf(of, false)}`];
  });
  return inside.length > 0 ? `{ ${inside.join(' ')} }` : '{ __typename }';
}

const askable = () =>
  queries
    .map((make) => make(target))
    .filter(({ writes, expected }) => !writes && !expected.acrossFamilies)
    .map((call) => {
      const field = schema.getQueryType()!.getFields()[call.root]!;
      const body = call.body as { query: string; variables: object } | undefined;
      if (call.path !== '/graphql' || !body) return call;
      return {
        ...call,
        body: { ...body, query: body.query.replace(/ (\{ (nodes )?\{ \w+ \} \}|\{ \w+ \}) \}$/, ` ${fieldsOf(field.type)} }`) },
      };
    });

interface Reported {
  name: string;
  /** Ids and words of the other company. */
  theirs: string[];
  found: boolean;
  text: string;
}

/** Returns what an answer contains of the other company; an error may repeat the id that was sent. */
async function ask(call: Call, token: string): Promise<Reported> {
  const { status, body } = await app.http(call.method, call.path, { body: call.body, token });
  const found = call.path === '/graphql' ? !body.errors : status < 400;
  // The id of a requested board, sheet or role comes from the request; a row would have an id of its own next to it.
  const said = ['companyId', 'company_id'].map((name) => `"${name}":"${target.ids.company}"`);
  said.push(`/companies/${target.ids.company}/data_export/`);
  const text = found ? said.reduce((rest, word) => rest.replaceAll(word, ''), JSON.stringify(body ?? null)) : '';
  const ids = new Set((text.match(UUIDS) ?? []).filter((id) => theirs.has(id)));
  return { name: call.name, theirs: [...ids, ...(text.includes(WORD) ? [WORD] : [])], found, text };
}

async function askAll(token: string): Promise<Reported[]> {
  const calls = askable();
  const reported = new Array<Reported>(calls.length);
  await eachOf([...calls.entries()], async ([at, call]) => {
    reported[at] = await ask(call, token);
  });
  return reported;
}

test('without a scope the application reads no row of any company, in no table', async () => {
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and has_table_privilege(?, c.oid, 'select')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and not a.attisdropped)`,
    [APP_ROLE],
  );
  const pool = await poolOf(app.productOrm.em);
  const filled: string[] = [];
  const read: string[] = [];
  for (const { name } of tables) {
    const sql = `select 1 from "${name}" where company_id is not null limit 1`;
    if ((await app.orm.em.execute<object[]>(sql)).length > 0) filled.push(name);
    for (const work of ['off', 'on'] as const)
      if ((await withPartnerVisibility(async () => (await pool.query(sql)).rows, work)).length > 0) read.push(name);
  }
  // Otherwise it would say nothing about them.
  expect(filled).toEqual(expect.arrayContaining(['orders', 'job', 'load', 'ticket', 'driver_day', 'invoice', 'settlement', 'app_user']));
  expect(filled.length).toBeGreaterThan(60);
  expect(read).toEqual([]);
});

let walled: Reported[];
test("with the application's conditions on companies removed everywhere, no query of anybody returns a row of another company", async () => {
  expect(theirs.size).toBeGreaterThan(50);
  for (const [caller, token] of tokens) {
    walled = await askAll(token);
    expect([caller, walled.flatMap((one) => (one.theirs.length > 0 ? [`${one.name}: ${one.theirs.join(' ')}`] : []))]).toEqual([
      caller,
      [],
    ]);
  }
  expect(removed()).toBeGreaterThan(500);
}, 300_000);

test('it was row-level security that held: without it, the same queries return such rows', async () => {
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select relname as name from pg_class where relrowsecurity and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of tables) await app.orm.em.execute(`alter table "${name}" disable row level security`);
  const now = await askAll(tenant.token);
  const silent = now.filter(
    (one, at) => one.theirs.length === 0 && one.found === walled[at]!.found && (!COUNTED.test(one.name) || one.text === walled[at]!.text),
  );
  // Some ask for what the other company has none of, and would be silent whatever held.
  const mute = silent.map(({ name }) => name).filter((name) => !NOTHING_OF_OTHERS.test(name));
  expect([mute, mute.length < now.length / 10]).toEqual([mute, true]);
}, 120_000);
