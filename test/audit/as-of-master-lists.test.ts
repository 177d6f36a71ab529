import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ref } from '@mikro-orm/core';
import { CompanyShare } from '../../src/directory/shares/company-share.entity.ts';
import { makeBooks } from '../billing/books.ts';
import { makeStaffedTenant, type StaffedTenant } from '../helpers/staffed-tenant.ts';
import { makeTenant } from '../helpers/tenant.ts';
import { merged, undo } from '../merging/merging.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks();

/** A moment that is clearly after what was done before, and before what is done next. */
async function moment(): Promise<string> {
  await books.app.settled();
  // The log has the beginning of a transaction, to the millisecond.
  await sleep(5);
  const [row] = await books.app.orm.em.fork().execute<{ now: string }[]>('select clock_timestamp() as now');
  await sleep(5);
  return new Date(row!.now).toISOString();
}

/** Returns the fields of a record itself: no other records, and none that count or ask them. */
const ownOf = ({ updated_at: _, version: __, ...body }: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value !== 'object' || value === null));

/** The kinds of master data: where they are listed, how one is made, and what of it is changed. */
const KINDS: { list: string; make: (n: string, of: Json) => object; field: string; one?: string }[] = [
  { list: 'sites', make: (n) => ({ name: `Pit ${n}`, site_type: 'Quarry' }), field: 'name' },
  { list: 'materials', make: (n) => ({ name: `Sand ${n}` }), field: 'name' },
  { list: 'accounts', make: (n) => ({ name: `Acme ${n}`, account_types: ['customer'] }), field: 'name' },
  { list: 'equipment', make: (n, { type }) => ({ name: `Truck ${n}`, equipment_type_id: type }), field: 'name' },
  {
    list: 'users',
    make: (n, { role, key }) => ({ first_name: 'Dora', last_name: `Wheel ${n}`, email: `${n}-${key}@example.com`, iam_role_ids: [role] }),
    field: 'last_name',
  },
  { list: 'projects', make: (n, { account }) => ({ name: `Road ${n}`, account_id: account }), field: 'name' },
  {
    list: 'rates',
    make: (n) => ({ name: `Card ${n}`, owner_type: 'customer', type: 'RatePerTon', unit_rate: 4.25, unit_minimum: 0, unit_increment: 0 }),
    field: 'name',
  },
  { list: 'departments', make: (n) => ({ name: `Night ${n}` }), field: 'name' },
  { list: 'service_classes', make: (n) => ({ name: `Class ${n}` }), field: 'name' },
  { list: 'labels', make: (n) => ({ name: `Label ${n}`, color: '#112233' }), field: 'name', one: 'company' },
  { list: 'equipment_types', make: (n) => ({ name: `Tri-axle ${n}` }), field: 'name' },
  { list: 'compliance_document_types', make: (n) => ({ name: `Licence ${n}` }), field: 'name', one: 'company' },
  { list: 'add_ons', make: (n) => ({ name: `Washout ${n}`, add_on_types: ['job'] }), field: 'name' },
  { list: 'fuel_price_indices', make: (n) => ({ name: `Index ${n}` }), field: 'name' },
  {
    list: 'fuel_surcharge_schedules',
    make: (n, { index }) => ({ name: `Schedule ${n}`, fuel_price_index_id: index, surcharge_type: 'percentage' }),
    field: 'name',
  },
];

/** They are made below the company. */
const SCOPED = /^(labels|compliance_document_types|fuel_)/;

/** Reads lists at moments between steps, and again afterwards as of these moments. */
function recorder(at: StaffedTenant, lists: readonly string[]) {
  const seen: { list: string; instant: string; found: Json[] }[] = [];
  const get = async (list: string, instant?: string): Promise<Json> => {
    const path = at.path(`/${list}${list.includes('?') ? '&' : '?'}page[limit]=100`);
    const { status, body } = await at.admin.http('GET', instant ? `${path}&as_of=${encodeURIComponent(instant)}` : path);
    return status === 200 ? body.data.map(ownOf) : body;
  };
  return {
    seen,
    async look() {
      const then = await Promise.all(lists.map((list) => get(list)));
      const instant = await moment();
      for (const [i, list] of lists.entries()) seen.push({ list, instant, found: then[i] });
      return instant;
    },
    /** Returns the answers that are others today than those that were seen. */
    async differences(): Promise<string[]> {
      const all: string[] = [];
      for (const [i, { list, instant, found }] of seen.entries()) {
        const was = await get(list, instant);
        if (!Array.isArray(was)) all.push(`${i} ${list} ${JSON.stringify(was)}`);
        else if (JSON.stringify(was) !== JSON.stringify(found))
          all.push(...[...found.keys(), ...was.keys()].flatMap((n) => differ(`${i} ${list} ${n}`, found[n], was[n])));
      }
      return [...new Set(all)];
    },
  };
}

const differ = (where: string, then: Json, was: Json): string[] =>
  Object.keys({ ...then, ...was }).flatMap((name) =>
    JSON.stringify(then?.[name]) === JSON.stringify(was?.[name]) ? [] : [`${where} ${name}: ${then?.[name]} -> ${was?.[name]}`],
  );

async function makeKinds(at: StaffedTenant) {
  const { data } = await at.gql('{ iamRoles(first: 20) { nodes { id key } } }');
  const role = data.iamRoles.nodes.find(({ key }: Json) => key === 'driver').id;
  const of = {
    ...{ role, key: at.company.platformId, account: at.account.id },
    type: (await at.must('POST', '/v1/equipment_types', { name: 'First type' })).id,
    index: (await at.must('POST', at.path('/fuel_price_indices'), { name: 'First index' })).id,
  };
  return Promise.all(
    KINDS.map(async ({ list, make }) => {
      const made: Json[] = [];
      for (const n of ['a', 'b', 'c'])
        made.push(await at.must('POST', SCOPED.test(list) ? at.path(`/${list}`) : `/v1/${list}`, make(n, of), at.admin.token));
      return made;
    }),
  );
}

test('lists of master data have the records that were there then, as they were', async () => {
  const at = await makeStaffedTenant(books.app, { timeZone: 'America/Chicago' });
  const lists = [...KINDS.map(({ list }) => list), 'drivers', 'foremen', 'accounts/connected', 'services', 'users?filter[discarded]=true'];
  const { look, differences, seen } = recorder(at, lists);
  await look();
  const made = await makeKinds(at);
  await look();
  const path = (kind: number, id: string) => (KINDS[kind]!.one ? at.path(`/${KINDS[kind]!.list}/${id}`) : `/v1/${KINDS[kind]!.list}/${id}`);
  for (const [kind, { field }] of KINDS.entries())
    await at.must('PATCH', path(kind, made[kind]![0].id), { [field]: 'Changed' }, at.admin.token);
  await look();
  for (const kind of KINDS.keys()) {
    const { id } = made[kind]![1];
    if (KINDS[kind]!.list !== 'add_ons') await at.must('DELETE', path(kind, id), undefined, at.admin.token);
    else expect((await at.gql('mutation ($id: ID!) { deleteAddOn(id: $id) }', { id })).data).toEqual({ deleteAddOn: id });
    await at.must('PATCH', path(kind, made[kind]![2].id), { [KINDS[kind]!.field]: 'Changed, too' }, at.admin.token);
  }
  await look();
  const merges: Json[] = [];
  for (const [kind, { list }] of KINDS.entries())
    if (['sites', 'materials', 'accounts', 'equipment', 'users'].includes(list))
      merges.push(await merged(at, list as 'sites', made[kind]![2].id, [made[kind]![0].id]));
  await look();
  for (const { id } of merges.slice(1)) expect((await undo(at, id)).status).toBe(200);
  await look();
  for (const kind of KINDS.keys())
    if (KINDS[kind]!.list !== 'sites')
      await at.must('PATCH', path(kind, made[kind]![0].id), { [KINDS[kind]!.field]: 'At last' }, at.admin.token);
  expect(await differences()).toEqual([]);
  // Each list was another one nearly every time.
  for (const { list } of KINDS)
    expect([list, new Set(seen.filter((one) => one.list === list).map(({ found }) => JSON.stringify(found))).size >= 4]).toEqual([
      list,
      true,
    ]);
}, 240_000);

test('a record that was merged, separated and merged again is in the lists of the times in between', async () => {
  const at = await makeStaffedTenant(books.app);
  const [kept, gone] = [
    await at.must('POST', '/v1/sites', { name: 'Pit', site_type: 'Quarry' }),
    await at.must('POST', '/v1/sites', { name: 'The pit', site_type: 'Quarry' }),
  ];
  const { look, differences, seen } = recorder(at, ['sites', 'sites?filter[site_types][]=Quarry']);
  const steps = [
    () => merged(at, 'sites', kept.id, [gone.id]),
    async ({ id }: Json) => expect((await undo(at, id)).status).toBe(200),
    () => merged(at, 'sites', kept.id, [gone.id]),
  ];
  let last: Json;
  await look();
  for (const step of steps) {
    last = await step(last);
    await look();
  }
  const merges = seen.filter(({ list }) => list === 'sites').map(({ found }) => found.some(({ id }: Json) => id === gone.id));
  expect(merges).toEqual([true, false, true, false]);
  expect(await differences()).toEqual([]);
}, 60_000);

test('a list of master data of the past is what the audit log says', async () => {
  const at = await makeStaffedTenant(books.app);
  const made: Json[] = [];
  for (let i = 0; i < 6; i++) made.push(await at.must('POST', '/v1/sites', { name: `Pit ${i}`, site_type: i % 2 ? 'Quarry' : 'JobSite' }));
  const instants = [await moment()];
  // As if by chance, and the same each time.
  for (let step = 0; step < 24; step++) {
    const site = made[(step * 7) % made.length];
    if (step % 8 === 7 && !site.gone) {
      await at.must('DELETE', `/v1/sites/${site.id}`);
      site.gone = true;
    } else if (!site.gone)
      await at.must('PATCH', `/v1/sites/${site.id}`, { name: `Pit of step ${step}`, site_type: step % 3 ? 'Quarry' : 'JobSite' });
    if (step % 4 === 3) instants.push(await moment());
  }
  const entries: Json[] = await at.admin.must('GET', at.path('/audit_entries?page[limit]=100&filter[subject_type]=Site'));
  /** The sites as one gets them who applies the entries of the log one after the other. */
  const replayed = (instant: string): Json[] => {
    const sites = new Map<string, Json>();
    for (const { subject_id, created_at, object_changes } of entries.toReversed().filter((one) => one.created_at <= instant)) {
      const site = sites.get(subject_id) ?? { id: subject_id, created_at };
      sites.set(subject_id, site);
      for (const [column, [, value]] of Object.entries<Json>(object_changes)) site[column] = value;
    }
    return [...sites.values()].filter((site) => !site.discarded_at);
  };
  const ids = new Set(made.map(({ id }) => id));
  const listed = async (instant: string, filter = ''): Promise<Json[]> =>
    (await at.admin.must('GET', at.path(`/sites?page[limit]=100&as_of=${encodeURIComponent(instant)}${filter}`))).filter(({ id }: Json) =>
      ids.has(id),
    );
  const shown = (sites: Json[]): string[] => sites.map(({ id, name, site_type }) => `${id} ${name} ${site_type}`).sort();
  const sizes = new Set<number>();
  for (const instant of instants) {
    const then = replayed(instant);
    sizes.add(then.length);
    expect([instant, shown(await listed(instant))]).toEqual([instant, shown(then)]);
    const quarries = then.filter(({ site_type }) => site_type === 'Quarry');
    expect(shown(await listed(instant, '&filter[site_types][]=Quarry'))).toEqual(shown(quarries));
  }
  expect(sizes.size).toBeGreaterThan(2);
}, 120_000);

test('a list of master data of the past is paged, exported, and refused where other records would be asked', async () => {
  const at = await makeStaffedTenant(books.app);
  const made: Json[] = [];
  for (let i = 0; i < 5; i++) made.push(await at.must('POST', at.path('/labels'), { name: `Label ${i}`, color: '#112233' }));
  const then = await moment();
  for (const { id } of made.slice(1, 4)) await at.must('DELETE', at.path(`/labels/${id}`));
  await at.must('POST', at.path('/labels'), { name: 'Later', color: '#112233' });
  const paged: string[] = [];
  const query =
    'query ($companyId: ID, $asOf: DateTime, $after: String) { labels(companyId: $companyId, asOf: $asOf, first: 2, after: $after) { nodes { name } pageInfo { endCursor hasNextPage } } }';
  let after: string | null = null;
  do {
    const { body }: Json = await books.app.graphql(query, { companyId: at.company.id, asOf: then, after }, at.admin);
    paged.push(...body.data.labels.nodes.map(({ name }: Json) => name));
    after = body.data.labels.pageInfo.hasNextPage ? body.data.labels.pageInfo.endCursor : null;
  } while (after);
  expect(paged).toEqual(['Label 4', 'Label 3', 'Label 2', 'Label 1', 'Label 0']);
  const path = (list: string) => at.path(`/${list}${list.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(then)}`);
  const sheet = await books.app.http('GET', path('labels'), { token: at.admin.token, headers: { accept: 'application/x-ndjson' } });
  const exported = String(sheet.body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).name);
  expect(exported).toEqual(paged);

  const refused = async (list: string, by: { http: Json } = at.admin): Promise<Json[]> => {
    const { status, body } = await by.http('GET', path(list));
    return [status, ...(body.error?.errors ?? []).map(({ field }: Json) => field)];
  };
  expect(await refused('sites?sort[name]=asc')).toEqual([422, 'sort']);
  expect(await refused('sites?search[query]=pit')).toEqual([422, 'search']);
  expect(await refused('equipment?filter[dispatchable]=true')).toEqual([422, 'filter[dispatchable]']);
  expect(await refused('drivers?filter[availability]=true')).toEqual([422, 'filter[availability]']);
  expect(await refused('sites', at.dispatcher)).toEqual([403, 'view_audit_log']);
  const stranger = await makeTenant(books.app);
  expect((await stranger.http('GET', path('sites'))).status).toBe(404);
});

test('what others share is in no list of the past, and what was discarded is read as it was', async () => {
  const at = await makeStaffedTenant(books.app);
  const receiver = await makeStaffedTenant(books.app);
  const { id } = await at.must('POST', '/v1/sites', { name: 'Pit', site_type: 'Quarry' });
  await at.save(CompanyShare, {
    ...{ companyId: at.company.id, senderCompany: ref(at.company), receiverCompany: ref(receiver.company), dispatchable: true },
    ...{ companyShareableType: 'Site', companyShareableId: id },
  });
  const then = await moment();
  const names = async (of: StaffedTenant, more = ''): Promise<string[]> =>
    (await of.admin.must('GET', of.path(`/sites?page[limit]=100${more}`)))
      .filter((one: Json) => one.id === id)
      .map(({ name }: Json) => name);
  const past = `&as_of=${encodeURIComponent(then)}`;
  expect([await names(receiver), await names(receiver, past), await names(at, past)]).toEqual([['Pit'], [], ['Pit']]);
  await at.must('PATCH', `/v1/sites/${id}`, { name: 'Quarry' });
  await at.must('DELETE', `/v1/sites/${id}`);
  const gone = await moment();
  const one = (instant: string) => at.admin.http('GET', `/v1/sites/${id}?as_of=${encodeURIComponent(instant)}`);
  expect([await names(at), await names(at, past)]).toEqual([[], ['Pit']]);
  expect([(await one(then)).body.data.name, (await one(gone)).status, (await at.admin.http('GET', `/v1/sites/${id}`)).status]).toEqual([
    'Pit',
    404,
    404,
  ]);
});
