import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Person } from '../../helpers/tenant.ts';
import { type Dice, dateOf, type Json, type Scene } from './scene.ts';
import { ask, byId, KINDS, type KindName, listed, NAMES, pages, sorted, type Truth } from './truth.ts';

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';
/** What changes without a change of the record: where a telephone was last heard of. */
const lasting = ({ gps_status: _, ...record }: Json): Json => record;

/** Compares what lists answer of records, over GraphQL and REST, with what each record says alone. @returns the records over REST, each read alone */
export async function compareLists(scene: Scene, truth: Truth): Promise<Record<KindName, Map<string, Json>>> {
  const { admin } = scene.at;
  const rest = {} as Record<KindName, Map<string, Json>>;
  for (const name of NAMES) {
    const { list, path, fields } = KINDS[name];
    const alone = truth[name];
    const { records, count } = await listed(admin, list, fields);
    expect([name, count, sorted(records.map(({ id }) => id))]).toEqual([name, alone.size, sorted(alone.keys())]);
    for (const record of records) expect([name, record]).toEqual([name, alone.get(record.id)]);
    const found: [string, Json][] = [];
    for (const id of alone.keys()) found.push([id, lasting(await admin.must('GET', `/v1/${path}/${id}`))]);
    rest[name] = new Map(found);
    for (const [id, record] of found) compareForms(name, alone.get(id), record);
  }
  for (const name of ['order', 'job', 'ticket', 'day'] as const) {
    const inList = byId((await pages(admin, scene.at.path(`/${KINDS[name].path}`))).map(lasting));
    expect([name, Object.fromEntries(inList)]).toEqual([name, Object.fromEntries(rest[name])]);
    await compareSheets(scene, name, rest[name]);
  }
  const onBoard = byId((await pages(admin, scene.at.path('/orders/dispatch'))).map(lasting));
  expect(Object.fromEntries(onBoard)).toEqual(Object.fromEntries(rest.order));
  return rest;
}

/** Compares a list as lines and as a sheet with the records. */
async function compareSheets({ app, at }: Scene, name: KindName, records: ReadonlyMap<string, Json>): Promise<void> {
  const as = async (type: string): Promise<string> => {
    const { status, body } = await app.http('GET', at.path(`/${KINDS[name].path}`), { token: at.admin.token, headers: { Accept: type } });
    expect([name, type, status]).toEqual([name, type, 200]);
    return typeof body === 'string' ? body : body === undefined ? '' : `${JSON.stringify(body)}\n`;
  };
  const lines = (await as('application/x-ndjson')).split('\n').filter(Boolean);
  const inLines = byId(lines.map((line) => lasting(JSON.parse(line))));
  expect([name, Object.fromEntries(inLines)]).toEqual([name, Object.fromEntries(records)]);
  const rows: Json[] = parse(await as('text/csv'), { bom: true, columns: true });
  const said = ({ id, state, updated_at, driver_day_date }: Json) => [id, { state, updated_at, driver_day_date }];
  expect([name, Object.fromEntries(rows.map(said))]).toEqual([name, Object.fromEntries([...records.values()].map(said))]);
}

/** Compares the plain values of a record that both interfaces have. */
function compareForms(name: KindName, graphql: Json, rest: Json): void {
  for (const [field, value] of Object.entries(graphql)) {
    const other = rest[snake(field)];
    if (other === undefined || !isScalar(value) || !isScalar(other)) continue;
    expect([name, field, other === null ? null : String(other)]).toEqual([name, field, value === null ? null : String(value)]);
  }
}

/** Compares the records below each record with those that name it, in all forms of nested lists, with their counts. */
export async function compareNested(scene: Scene, truth: Truth, rest: Record<KindName, Map<string, Json>>): Promise<void> {
  const { admin } = scene.at;
  const page = (field: string) => `${field}(first: 100) { nodes { id } count(exact: true) { value } }`;
  const parents: [string, string, (record: Json) => unknown, KindName][] = [
    ['orders', 'jobs', ({ order }) => order.id, 'job'],
    ['orders', 'tickets', ({ orderId }) => orderId, 'ticket'],
    ['jobs', 'loads', ({ job }) => job.id, 'load'],
    ['jobs', 'tickets', ({ jobId }) => jobId, 'ticket'],
    ['projects', 'orders', ({ project }) => project?.id, 'order'],
    ['accounts', 'orders', ({ account }) => account.id, 'order'],
    ['users', 'jobs', ({ driver }) => driver?.id, 'job'],
    ['equipmentList', 'jobs', ({ equipment }) => equipment?.id, 'job'],
  ];
  for (const [parent, child, keyOf, name] of parents) {
    const { records } = await listed(admin, parent, `id ${page(child)}`);
    const expected = Map.groupBy(truth[name].values(), keyOf);
    for (const { id, [child]: found } of records) {
      const ids = sorted((expected.get(id) ?? []).map((one) => one.id));
      expect([parent, child, id, sorted(found.nodes.map((one: Json) => one.id)), found.count.value]).toEqual([
        parent,
        child,
        id,
        ids,
        ids.length,
      ]);
    }
  }
  for (const { id } of truth.order.values()) {
    const ofOrder = (records: Map<string, Json>, keyOf: (one: Json) => unknown) =>
      sorted([...records.values()].filter((one) => keyOf(one) === id).map((one) => one.id));
    const jobs = byId((await pages(admin, scene.at.path(`/orders/${id}/jobs`))).map(lasting));
    expect([id, sorted(jobs.keys())]).toEqual([id, ofOrder(truth.job, ({ order }) => order.id)]);
    for (const [job, record] of jobs) expect(record).toEqual(rest.job.get(job));
    const loads = await pages(admin, scene.at.path(`/orders/${id}/loads`));
    expect([id, sorted(loads.map((one) => one.id))]).toEqual([id, ofOrder(truth.load, ({ job }) => truth.job.get(job.id).order.id)]);
    for (const { load_summary: _, ...load } of loads) expect(load).toEqual(rest.load.get(load.id));
    const tickets = byId(await pages(admin, scene.at.path(`/orders/${id}/tickets`)));
    expect([id, sorted(tickets.keys())]).toEqual([id, ofOrder(truth.ticket, ({ orderId }) => orderId)]);
  }
}

/** A filter, and whether it finds a record: by what the record says alone. */
type Question = [filter: object, finds: (record: Json) => boolean];

const atSite = (type: string, site: string) => (one: Json) =>
  one.waypoints.some((stop: Json) => stop.type === type && stop.site.id === site);

/** Asks each list by filters of some values, and by numbers that people search for. */
export async function compareFilters(scene: Scene, truth: Truth, dice: Dice): Promise<void> {
  const { admin } = scene.at;
  const all = (name: KindName) => [...truth[name].values()];
  const some = (name: KindName): Json => dice.of(all(name));
  const states = (name: KindName): string[] => [some(name).state, some(name).state];
  const day = dateOf(scene, some('job').jobStartAt);
  const [driver, truck] = [dice.of(scene.drivers).id, dice.of(scene.trucks).id];
  const [material, project] = [dice.of(scene.materials), dice.of(scene.projects)];
  const [pit, bridge] = [dice.of(scene.pits), dice.of(scene.bridges)];
  const jobOf = (load: Json): Json => truth.job.get(load.job.id);
  const jobsOf = Map.groupBy(truth.job.values(), ({ order }) => order.id);
  const onDay = (time: string) => dateOf(scene, time) === day;
  const lacks = (field: string) => (one: Json) => one[field] === null;
  const [jobStates, orderStates, loadStates, ticketStates] = [
    states('job'),
    states('order'),
    states('load'),
    [dice.of(['new', 'pending', 'approved', 'voided'])],
  ];
  const moment = some('job').jobStartAt;
  const ofJobs: Question[] = [
    [{ states: jobStates }, ({ state }) => jobStates.includes(state)],
    [{ not: [{ states: jobStates }] }, ({ state }) => !jobStates.includes(state)],
    [{ or: [{ states: jobStates }, { driverIds: [driver] }] }, (one) => jobStates.includes(one.state) || one.driver?.id === driver],
    [{ driverIds: [driver] }, (one) => one.driver?.id === driver],
    [{ equipmentIds: [truck] }, ({ equipment }) => equipment?.id === truck],
    [{ startDate: day, endDate: day }, ({ jobStartAt }) => onDay(jobStartAt)],
    [{ startDate: day, states: jobStates }, (one) => dateOf(scene, one.jobStartAt) >= day && jobStates.includes(one.state)],
    [{ materialIds: [material] }, (one) => one.material?.id === material],
    [{ projectIds: [project] }, (one) => one.project?.id === project],
    [{ pickupSiteIds: [pit] }, atSite('pickup', pit)],
    [{ dropoffSiteIds: [bridge] }, atSite('drop_off', bridge)],
    [{ customerAccountIds: [scene.at.account.id] }, ({ order }) => order.account.id === scene.at.account.id],
    [{ without: ['driver'] }, lacks('driver')],
    [{ without: ['equipment', 'material'] }, (one) => !one.equipment && !one.material],
    [{ jobStartAt: { from: moment } }, ({ jobStartAt }) => jobStartAt >= moment],
    [{ quantity: { min: 12 } }, ({ quantity }) => quantity !== null && Number(quantity) >= 12],
  ];
  const ofOrders: Question[] = [
    [{ states: orderStates }, ({ state }) => orderStates.includes(state)],
    [{ startDate: day, endDate: day }, ({ loadAt }) => onDay(loadAt)],
    [{ projectIds: [project] }, (one) => one.project?.id === project],
    [{ job: { driverIds: [driver] } }, ({ id }) => (jobsOf.get(id) ?? []).some((job) => job.driver?.id === driver)],
    [
      { job: { driverIds: [driver], states: jobStates } },
      ({ id }) => (jobsOf.get(id) ?? []).some((job) => job.driver?.id === driver && jobStates.includes(job.state)),
    ],
    [{ job: { startDate: day, endDate: day } }, ({ id }) => (jobsOf.get(id) ?? []).some(({ jobStartAt }) => onDay(jobStartAt))],
    [{ job: { pickupSiteIds: [pit] } }, ({ id }) => (jobsOf.get(id) ?? []).some(atSite('pickup', pit))],
    [{ job: { equipmentIds: [truck] } }, ({ id }) => (jobsOf.get(id) ?? []).some(({ equipment }) => equipment?.id === truck)],
    [{ without: ['project'] }, lacks('project')],
    [{ without: ['externalId', 'quantity'] }, (one) => one.externalId === null && one.quantity === null],
  ];
  const unloaded = all('load')
    .map(({ loadSummary }) => loadSummary.unloadedAt)
    .filter(Boolean);
  const since: string = unloaded.length > 0 ? dice.of(unloaded) : moment;
  const ofLoads: Question[] = [
    [{ states: loadStates }, ({ state }) => loadStates.includes(state)],
    [{ driverIds: [driver] }, (load) => jobOf(load).driver?.id === driver],
    [
      { job: { states: jobStates, driverIds: [driver] } },
      (load) => jobStates.includes(jobOf(load).state) && jobOf(load).driver?.id === driver,
    ],
    [{ job: { materialIds: [material] } }, (load) => jobOf(load).material?.id === material],
    [{ siteIds: [pit] }, ({ waypoints }) => waypoints.some(({ site }: Json) => site.id === pit)],
    [{ without: ['ticket'] }, lacks('ticket')],
    [{ not: [{ without: ['ticket'] }] }, ({ ticket }) => ticket !== null],
    [{ without: ['unloadedAt'] }, ({ loadSummary }) => loadSummary.unloadedAt === null],
    [{ unloadedAt: { from: since } }, ({ loadSummary }) => loadSummary.unloadedAt !== null && loadSummary.unloadedAt >= since],
    [{ needsReview: true }, ({ needsReview }) => needsReview],
    [{ needsReview: false }, ({ needsReview }) => !needsReview],
    [{ ticket: { flagged: true } }, ({ ticket }) => ticket !== null && truth.ticket.get(ticket.id).flagged],
  ];
  const ofTickets: Question[] = [
    [{ states: ticketStates }, ({ state }) => ticketStates.includes(state)],
    [{ flagged: true }, ({ flagged }) => flagged],
    [{ without: ['load'] }, lacks('loadId')],
    [{ without: ['job', 'quantity'] }, (one) => one.jobId === null && one.quantity === null],
    [{ without: ['order'] }, lacks('orderId')],
    [{ quantity: { min: 12, max: 30 } }, ({ quantity }) => quantity !== null && Number(quantity) >= 12 && Number(quantity) <= 30],
    [{ fromDate: dateOf(scene, Date.now()) }, () => true],
    [
      { needsReview: true },
      (one) => ['new', 'pending'].includes(one.state) && (one.flagged || (one.load && truth.load.get(one.load.id).needsReview)),
    ],
  ];
  const ofDays: Question[] = [
    [{ driverIds: [driver] }, (one) => one.driver.id === driver],
    [{ startDate: day, endDate: day }, ({ driverDayDate }) => driverDayDate === day],
    [{ endDate: day }, ({ driverDayDate }) => driverDayDate <= day],
  ];
  for (const [name, type, questions] of [
    ['job', 'JobFilter', ofJobs],
    ['order', 'OrderFilter', ofOrders],
    ['load', 'LoadFilter', ofLoads],
    ['ticket', 'TicketFilter', ofTickets],
    ['day', 'DriverDayFilter', ofDays],
  ] as const) {
    await compareAnswers(admin, KINDS[name].list, type, questions, all(name));
  }
  await compareSearches(scene, truth, dice);
}

/** Lists of a hundred that are within the cost of a document. */
const LISTS = 4;

async function compareAnswers(by: Person, list: string, type: string, questions: readonly Question[], all: readonly Json[]): Promise<void> {
  for (let from = 0; from < questions.length; from += LISTS) {
    const some = questions.slice(from, from + LISTS);
    const variables = Object.fromEntries(some.map(([filter], i) => [`f${i}`, filter]));
    const heads = some.map((_, i) => `$f${i}: ${type}`).join(', ');
    const fields = some.map((_, i) => `a${i}: ${list}(filter: $f${i}, first: 100) { nodes { id } count(exact: true) { value } }`).join(' ');
    const data = await ask(by, `query (${heads}) { ${fields} }`, variables);
    for (const [i, [filter, finds]] of some.entries()) {
      const { nodes, count } = data[`a${i}`];
      const ids = sorted(all.filter(finds).map(({ id }) => id));
      expect([list, filter, count.value]).toEqual([list, filter, ids.length]);
      if (ids.length <= 100) expect([list, filter, sorted(nodes.map(({ id }: Json) => id))]).toEqual([list, filter, ids]);
    }
  }
}

/** Searches for numbers and names, of which records say all words that are searched. */
async function compareSearches({ at }: Scene, truth: Truth, dice: Dice): Promise<void> {
  const { admin, company } = at;
  const ofOrder = ({ orderId, externalId, account, project }: Json) => [
    orderId,
    externalId,
    account.name,
    project?.name,
    company.legalName,
  ];
  const ofJob = ({ jobId, order, project, driver }: Json) => [
    jobId,
    order.orderId,
    order.account.name,
    project?.name,
    driver?.firstName,
    driver?.lastName,
    company.legalName,
  ];
  const wordsOf = { job: ofJob, order: ofOrder, load: ({ loadId }: Json) => [loadId], ticket: ({ ticketNumber }: Json) => [ticketNumber] };
  for (const name of ['job', 'order', 'load', 'ticket'] as const) {
    const all = [...truth[name].values()];
    const said = all.flatMap((one) => wordsOf[name](one).filter(Boolean)) as string[];
    if (said.length === 0) continue;
    const words = [dice.of(said), dice.of(said)];
    const { list } = KINDS[name];
    const type = name === 'order' ? 'OrderSearch' : 'SearchInput';
    const query = `query ($a: ${type}, $b: ${type}) { a: ${list}(search: $a, first: 100) { nodes { id } } b: ${list}(search: $b, first: 100) { nodes { id } } }`;
    const found = await ask(admin, query, { a: { datagrid: words[0] }, b: { datagrid: words[1] } });
    for (const [i, key] of ['a', 'b'].entries()) {
      const terms = words[i]!.toLowerCase().split(/\s+/);
      const has = (one: Json) =>
        terms.every((term) => wordsOf[name](one).some((text: string | null | undefined) => text?.toLowerCase().includes(term)));
      const expected = sorted(all.filter(has).map(({ id }) => id));
      if (expected.length <= 100)
        expect([list, words[i], sorted(found[key].nodes.map(({ id }: Json) => id))]).toEqual([list, words[i], expected]);
    }
  }
}
