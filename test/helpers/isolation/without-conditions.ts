import { ref } from '@mikro-orm/core';
import { type GraphQLOutputType, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { Account } from '../../../src/directory/accounts/account.entity.ts';
import { Site } from '../../../src/directory/sites/site.entity.ts';
import { DispatchNumber } from '../../../src/dispatch/model/dispatch-number.entity.ts';
import { Job } from '../../../src/dispatch/model/job.entity.ts';
import { Order } from '../../../src/dispatch/model/order.entity.ts';
import { Project } from '../../../src/dispatch/model/project.entity.ts';
import { ROLES } from '../../../src/identity/access/permissions.ts';
import { compileDocuments } from '../../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../app.ts';
import { makeTenant, type Tenant } from '../tenant.ts';
import { makeIds } from '../walk.ts';
import { type Call, graphqlCells, restCells, type Target } from './matrix.ts';
import { eachOf } from './matrix-world.ts';
import { type Removed, removeTenantConditions } from './remove-conditions.ts';

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

/** The parts of an answer that are of the other company. */
interface Reported {
  name: string;
  /** Ids and words of the other company. */
  theirs: string[];
  found: boolean;
  text: string;
}

/**
 * A company that asks for everything that another one has, by every query, without the application's conditions on companies: only row-level
 * security keeps them apart.
 */
export class WithoutConditions {
  readonly app: TestApp;
  /** Asks as a machine client. */
  readonly tenant: Tenant;
  /** Somebody of each role in it, and the machine client. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Ids of everything that is the other company's, or a company's around it. */
  readonly theirs: ReadonlySet<string>;
  /** How many conditions were removed so far. */
  readonly removed: Readonly<Removed>;
  readonly #target: Target;

  private constructor(made: Pick<WithoutConditions, 'app' | 'tenant' | 'tokens' | 'theirs'>, target: Target, removed: Readonly<Removed>) {
    ({ app: this.app, tenant: this.tenant, tokens: this.tokens, theirs: this.theirs } = made);
    this.#target = target;
    this.removed = removed;
  }

  /** Makes both companies in an application whose database nobody else uses. */
  static async open(options: TestAppOptions): Promise<WithoutConditions> {
    const app = await startTestApp(options);
    const tenant = await makeTenant(app);
    await makeIds(tenant);
    const tokens = new Map<string, string>();
    for (const role of ROLES.filter((one) => one !== 'platform_admin')) tokens.set(role, (await tenant.person({ roles: [role] })).token);
    tokens.set('machine client', tenant.token);
    const [{ ours }] = (await app.orm.em.execute('select array_agg(id) as ours from company')) as [{ ours: string[] }];
    const target = await makeOther(app);
    const theirs = await idsBeside(app, ours);
    return new WithoutConditions({ app, tenant, tokens, theirs }, target, await removeTenantConditions(app));
  }

  /** Takes it from all tables, so that nothing keeps the companies apart. */
  async disableRowLevelSecurity(): Promise<void> {
    const { em } = this.app.orm;
    const tables = await em.execute<{ name: string }[]>(
      `select relname as name from pg_class where relrowsecurity and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) await em.execute(`alter table "${name}" disable row level security`);
  }

  /** Returns the answers of all queries. */
  async askAll(token: string): Promise<Reported[]> {
    const calls = askable(this.#target);
    const reported = new Array<Reported>(calls.length);
    await eachOf([...calls.entries()], async ([at, call]) => {
      reported[at] = await this.#ask(call, token);
    });
    return reported;
  }

  /** Returns the parts of an answer that are of the other company; an error may repeat the id that was sent. */
  async #ask(call: Call, token: string): Promise<Reported> {
    const { status, body } = await this.app.http(call.method, call.path, { body: call.body, token });
    const found = call.path === '/graphql' ? !body.errors : status < 400;
    const { company } = this.#target.ids;
    // The id of a requested board, sheet or role comes from the request; a row would have an id of its own next to it.
    const said = ['companyId', 'company_id'].map((name) => `"${name}":"${company}"`);
    said.push(`/companies/${company}/data_export/`);
    const text = found ? said.reduce((rest, word) => rest.replaceAll(word, ''), JSON.stringify(body ?? null)) : '';
    const ids = new Set((text.match(UUIDS) ?? []).filter((id) => this.theirs.has(id)));
    return { name: call.name, theirs: [...ids, ...(text.includes(WORD) ? [WORD] : [])], found, text };
  }
}

/** A line for each query that returned a row of the other company. */
export const leaksIn = (reported: readonly Reported[]): string[] =>
  reported.flatMap(({ name, theirs }) => (theirs.length > 0 ? [`${name}: ${theirs.join(' ')}`] : []));

/**
 * Returns the queries that return nothing of the other company without row-level security either, as far as they could: some ask for what it has none of,
 * and would be silent whatever held.
 * @param walled what they answered to the same caller with it
 */
export function muteIn(now: readonly Reported[], walled: readonly Reported[]): string[] {
  const silent = now.filter(
    (one, at) => one.theirs.length === 0 && one.found === walled[at]!.found && (!COUNTED.test(one.name) || one.text === walled[at]!.text),
  );
  return silent.map(({ name }) => name).filter((name) => !NOTHING_OF_OTHERS.test(name));
}

async function makeOther(app: TestApp): Promise<Target> {
  const other = await makeTenant(app, { company: { legalName: `${WORD} Hauling`, dbaName: WORD } });
  other.account = await other.save(Account, { company: ref(other.company), name: `${WORD} Paving`, accountTypes: ['customer'] });
  other.pickup = await other.save(Site, { company: ref(other.company), name: `${WORD} Pit` });
  const target = { ids: await makeIds(other), tenant: other };
  const { order, driver, foreman, project } = target.ids;
  const number = await other.save(DispatchNumber, { company: ref(other.company), name: WORD });
  const everywhere = { filters: { tenant: false } };
  const em = app.orm.em.fork();
  await em.nativeUpdate(Job, { order }, { driver, foremanIds: [foreman] }, everywhere);
  await em.nativeUpdate(Project, { id: project }, { externalId: WORD }, everywhere);
  await em.nativeUpdate(Order, { id: order }, { dispatchNumber: number.id }, everywhere);
  return target;
}

/** The ids of all rows of other companies than these. */
async function idsBeside(app: TestApp, ours: readonly string[]): Promise<Set<string>> {
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
     and (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('id', 'company_id')) = 2`,
  );
  const ids = new Set<string>();
  for (const sql of [
    'select id from company where id <> all(?::uuid[])',
    ...tables.map(({ name }) => `select id from "${name}" where company_id <> all(?::uuid[])`),
  ])
    for (const { id } of await app.orm.em.execute<{ id: string }[]>(sql, [`{${ours.join()}}`])) ids.add(id);
  return ids;
}

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

const askable = (target: Target): Call[] =>
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
