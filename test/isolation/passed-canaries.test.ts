import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLField, type GraphQLOutputType, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { schemaOfRooms } from '../../src/app/serve.ts';
import { compileDocuments } from '../../src/platform/http/rest/compile.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { Canaries } from '../helpers/isolation/canaries.ts';
import { fillIn, passDown } from '../helpers/isolation/canary-chain.ts';
import { graphqlCells, restCells, type Target } from '../helpers/isolation/matrix.ts';
import { eachOf } from '../helpers/isolation/matrix-world.ts';
import { makeChain, type StaffedTenant, share } from '../helpers/staffed-tenant.ts';
import { makeIds } from '../helpers/walk.ts';

const schema = schemaOfRooms();
const NAMES = ['owner', 'middle', 'last'] as const;
type Name = (typeof NAMES)[number];

let app: TestApp;
const firms = {} as Record<Name, StaffedTenant>;
let target: Target;
let canaries: Canaries;
beforeAll(async () => {
  app = await startTestApp();
  canaries = new Canaries(app, schema);
  const chain = await makeChain(app);
  const { owner, middle, last } = chain;
  Object.assign(firms, { owner, middle, last });
  const ids = await makeIds(owner);
  await passDown(chain, ids);
  await fillIn(app, owner, ids, canaries);
  for (const [type, id] of [
    ['User', ids.driver],
    ['Equipment', ids.equipment],
    ['Site', ids.site],
  ] as const)
    await share(owner, middle, type, id);
  for (const whose of NAMES) await canaries.plant(whose, firms[whose].company.id);
  target = { ids: { ...ids, finishedJob: ids.job }, tenant: owner };
}, 240_000);
afterAll(() => app.close());

const fieldsOf = (type: GraphQLOutputType): GraphQLField<unknown, unknown>[] => {
  const named = getNamedType(type);
  return isObjectType(named) ? Object.values(named.getFields()).filter((field) => !field.args.some(isRequiredArgument)) : [];
};
const leavesOf = (type: GraphQLOutputType): string =>
  ['__typename', ...fieldsOf(type).flatMap((field) => (isLeafType(getNamedType(field.type)) ? [field.name] : []))].join(' ');
const objectsOf = (type: GraphQLOutputType) => fieldsOf(type).filter((field) => isObjectType(getNamedType(field.type)));
/** A selection of a field, through the nodes of a page. */
const within = (field: GraphQLField<unknown, unknown>, inside: (type: GraphQLOutputType) => string): string => {
  const nodes = fieldsOf(field.type).find(({ name }) => name === 'nodes');
  return nodes ? `{ count { value } nodes { ${inside(nodes.type)} } }` : `{ ${inside(field.type)} }`;
};
/** Selections that together read everything of a type and of what it names, and of what that names. */
function selectionsOf(root: GraphQLField<unknown, unknown>): string[] {
  if (isLeafType(getNamedType(root.type))) return [''];
  const record = fieldsOf(root.type).find(({ name }) => name === 'nodes')?.type ?? root.type;
  const deep = (field: GraphQLField<unknown, unknown>) =>
    objectsOf(field.type).map((one) => within(root, () => `${field.name} ${within(field, () => `${one.name} ${within(one, leavesOf)}`)}`));
  return [
    within(root, leavesOf),
    ...objectsOf(record).flatMap((field) => [
      within(root, () => `${field.name} ${within(field, leavesOf)}`),
      ...(DEEP.test(root.name) ? deep(field) : []),
    ]),
  ];
}
/** The passed records, one by one; lists of the same are read less deeply. */
const DEEP = /^(order|job|load|jobAssignment)$/;

/** Files that are added up again before anybody gets them: planted amounts do not add up, so that there is an error instead (docs/accounting.md). */
const ADDED_UP = /^accountingFile$/;

interface Ask {
  name: string;
  method: string;
  path: string;
  body: unknown;
}

/** Every query of GraphQL and every GET of REST on the owner's records, by the reader's own address where it has one for them. */
function asksOf(reader: Name): Ask[] {
  const own = { ...target, ids: { ...target.ids, company: firms[reader].company.id } };
  const graphql = graphqlCells(schema).flatMap((make) =>
    [target, own].flatMap((one): Ask[] => {
      const call = make(one);
      if (call.writes || call.expected.acrossFamilies || ADDED_UP.test(call.root)) return [];
      const field = schema.getQueryType()!.getFields()[call.root]!;
      const { query, variables } = call.body as { query: string; variables: object };
      return selectionsOf(field).map((selection) => ({
        ...call,
        name: `${call.name} ${selection}`,
        body: { variables, query: query.replace(/ (\{ (nodes )?\{ \w+ \} \}|\{ \w+ \}|) \}$/, ` ${selection} }`) },
      }));
    }),
  );
  const rest = restCells(compileDocuments(schema, 'schema/rest', true)).flatMap((make) =>
    [target, own].map((one) => make(one)).filter(({ method }) => method === 'GET'),
  );
  const once = new Map([...graphql, ...rest].map((ask) => [`${ask.path} ${JSON.stringify(ask.body ?? null)}`, ask]));
  return [...once.values()];
}

/** All that one company reads of the others. */
async function readAs(reader: Name): Promise<{ read: Map<string, string>; failed: string[]; asked: number }> {
  const read = new Map<string, string>();
  const failed: string[] = [];
  const asks = asksOf(reader);
  await eachOf(asks, async ({ name, method, path, body }) => {
    const answer = await app.http(method, path, { body, token: firms[reader].token });
    const text = JSON.stringify(answer.body ?? '');
    if (answer.status >= 500 || text.includes('internal_server_error')) failed.push(`${name} ${path}: ${text.slice(0, 400)}`);
    for (const mark of canaries.in(text)) if (!mark.startsWith(`${reader}:`) && !read.has(mark)) read.set(mark, `${name} ${path}`);
  });
  return { read, failed, asked: asks.length };
}

/** The fields that every vendor in the chain reads of the owner's records. */
const PASSED_DOWN = {
  'account[customer]': 'name',
  'app_user[foreman]': 'email first_name last_name phone',
  company: 'dba_name legal_name',
  'contact[foreman]': 'email name phone',
  equipment: 'equipment_id license_number name zone',
  equipment_type: 'gross_capacity name',
  file_attachment: 'category description file_name mime_type preview_mime_type uploaded_by_name',
  geofence_trigger: 'lat lon skip_reason',
  job: 'approved_work_time_minutes equipment_type_gross_capacity job_id job_time notes quantity requested_equipment_type_name requested_loads_count',
  job_event: 'created_by_name lat lon payload',
  load: 'load_id notes quantity summary_gps_minutes summary_travelled_distance_meters',
  material: 'name',
  orders:
    'cycle_time_minutes dropoff_onsite_minutes equipment_type_gross_capacity expected_total_loads geofence_delay_seconds job_notes job_quantity job_time loads_per_truck name notes order_id pickup_onsite_minutes pickup_to_dropoff_distance_meters pickup_to_dropoff_time_minutes po_job_number quantity truck_count truck_delay trucks_per_delay units_per_hour zone',
  phase: 'name',
  project: 'name po_job_number project_id',
  service: 'name',
  service_class: 'name',
  signature: 'image_mime_type image_name lat lon name phone',
  site: 'full_address lat lon name',
  ticket: 'gross_quantity image_mime_type image_url preview_mime_type quantity tare_quantity ticket_number wasted_quantity weighed_by',
};
const asMarks = (whose: Name, columns: Record<string, string>): string[] =>
  Object.entries(columns).flatMap(([table, names]) => names.split(' ').map((name) => `${whose}:${table}.${name}`));

/** Its driver on the road, and what a company is called. */
const DRIVER = { app_user: 'email first_name last_name phone', company: 'dba_name legal_name' };
const COMPANY = { company: DRIVER.company };
/** The fields of the other side's account that a connection shows (SPEC "Account" `connected_account`). */
const CONNECTED = { account: 'truck_count' };
/** The records that the owner shares with the hauler in addition to the work, whom to call in its office, and the rate card by which it pays the hauler. */
const OF_THE_HAULER = {
  'app_user[driver]': 'email external_id first_name last_name phone',
  company_share: 'external_id ticket_match_id',
  'contact[company]': 'email name phone',
  equipment: 'external_id',
  rate: 'commission_amount commission_percentage flat_amount name time_increment_minutes time_minimum_minutes time_rate unit_increment unit_minimum unit_rate',
  site: 'external_id',
};

/** The fields that each one reads of the others, and nothing else. */
const SEEN: Record<Name, string[]> = {
  middle: [
    ...[...asMarks('owner', PASSED_DOWN), ...asMarks('owner', OF_THE_HAULER), ...asMarks('owner', CONNECTED)],
    ...[...asMarks('last', DRIVER), ...asMarks('last', CONNECTED)],
  ],
  last: [...asMarks('owner', PASSED_DOWN), ...asMarks('middle', COMPANY), ...asMarks('middle', CONNECTED)],
  owner: [...asMarks('middle', COMPANY), ...asMarks('middle', CONNECTED), ...asMarks('last', DRIVER)],
};

test.each(NAMES)(
  'companies of a chain read the passed fields of each other, and nothing else (%s)',
  async (reader) => {
    const { read, failed, asked } = await readAs(reader);
    expect(failed).toEqual([]);
    expect(asked).toBeGreaterThan(1_000);
    const wrong = [...read].filter(([mark]) => !SEEN[reader].includes(mark)).map(([mark, where]) => `${mark} by ${where}`);
    expect(wrong).toEqual([]);
    expect(SEEN[reader].filter((mark) => !read.has(mark))).toEqual([]);
  },
  240_000,
);

/** Returns lists with conditions on kept fields of the work, and on passed ones. */
function questions(): { kept: [list: string, args: string][]; passed: [list: string, args: string][] } {
  const { order, job, project } = target.ids;
  const of = (column: string, id: string) => JSON.stringify(Canaries.of('owner', column, id));
  const id = (what: string) => JSON.stringify(canaries.idOf(what));
  const among = (filter: string, value: string): string => `filter: { ${filter}: [${value}] }`;
  const external = of('orders.external_id', order);
  const words = (text: string) => `search: { datagrid: ${text} }`;
  const wordsOfJob = (text: string) => `search: { job: { datagrid: ${text} } }`;
  const ofJob = (filter: string, value: string) => `filter: { job: { ${filter}: [${value}] } }`;
  const kept: [string, string][] = [
    ...['requester', 'collaborator', 'salesperson'].map((one): [string, string] => ['orders', among(`${one}Ids`, id(one))]),
    ...['collaborator', 'salesperson'].map((one): [string, string] => ['jobs', among(`${one}Ids`, id(one))]),
    ...['collaborator', 'salesperson'].map((one): [string, string] => ['orders', ofJob(`${one}Ids`, id(one))]),
    ['orders', among('departmentIds', id('department'))],
    ['orders', ofJob('externalIds', external)],
    ['orders', ofJob('customerAccountIds', id('account'))],
    ['jobs', among('externalIds', external)],
    ['jobs', among('customerAccountIds', id('account'))],
    ['loads', 'filter: { ticket: { flagged: true } }'],
    ['orders', words(of('project.external_id', project))],
    ...['sales', 'supervisor', 'collaborator'].flatMap((one): [string, string][] =>
      ['name', 'email', 'phone'].flatMap((column): [string, string][] => {
        const text = of(`contact.${column}`, canaries.idOf(`${one} contact`));
        return [
          ['jobs', words(text)],
          ['orders', wordsOfJob(text)],
        ];
      }),
    ),
    ['orderPhases', `orderId: "${order}", search: { query: ${of('phase.code', canaries.idOf('phase'))} }`],
  ];
  const passed: [string, string][] = [
    ['orders', among('projectIds', JSON.stringify(project))],
    ['orders', words(of('project.name', project))],
    ['orders', wordsOfJob(of('contact.name', canaries.idOf('foreman contact')))],
    ['jobs', words(of('contact.phone', canaries.idOf('foreman contact')))],
    ['jobs', among('ids', JSON.stringify(job))],
    ['loads', 'filter: { ticket: { flagged: null } }'],
    ['orderPhases', `orderId: "${order}", search: { query: ${of('phase.name', canaries.idOf('phase'))} }`],
  ];
  return { kept, passed };
}

test('kept fields cannot be found out by filters, searches, facets and counts of others', async () => {
  const found = async (who: Name, list: string, args: string) => {
    const query = `query($c: ID) { ${list}(companyId: $c, ${args}) { count { value } nodes { id } } }`;
    const { data, errors } = await firms[who].gql(query, { c: firms[who].company.id });
    const page = data?.[list];
    return errors ?? `${page.count.value > 0 ? 'some' : 'none'} ${page.nodes.length > 0 ? 'some' : 'none'}`;
  };
  const { kept, passed } = questions();
  const answers = async (asked: typeof kept) =>
    Promise.all(asked.map(async ([list, args]) => [list, args, ...(await Promise.all(NAMES.map((who) => found(who, list, args))))]));
  const NONE = 'none none';
  const SOME = 'some some';
  expect(await answers(kept)).toEqual(kept.map((one) => [...one, SOME, NONE, NONE]));
  expect(await answers(passed)).toEqual(passed.map((one) => [...one, SOME, SOME, SOME]));
  // Facets answer one's own records by the jobs of others.
  const ofDriver = (filter: string) => found('last', 'driverFacets', `filter: { job: { ${filter} } }`);
  const external = JSON.stringify(Canaries.of('owner', 'orders.external_id', target.ids.order));
  expect(await ofDriver('states: [completed]')).toBe(SOME);
  expect(await ofDriver(`externalIds: [${external}]`)).toBe(NONE);
  expect(await ofDriver(`salespersonIds: ["${canaries.idOf('salesperson')}"]`)).toBe(NONE);
});
