import { expect } from '@jest/globals';
import type { Dice } from '../../helpers/properties.ts';
import { compareWork, counted, GRAPHQL_LISTS, type Heard, inSheet, LISTS, type List, listed, nodes, PATHS, single } from './doors.ts';
import type { Facts, Visible } from './facts.ts';
import { type Json, type Reader, rowsOf, type World } from './scene.ts';

const sorted = (ids: Iterable<string>): string[] => [...ids].sort();
const idsOf = (rows: readonly Json[]): string[] => rows.map(({ id }) => id);

/** Runs checks one after the other, also where one of them fails; all that was wrong is said at the end. */
export async function checkAll(checks: readonly (() => unknown)[]): Promise<void> {
  const wrong: unknown[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      wrong.push(error);
    }
  }
  if (wrong.length === 1) throw wrong[0];
  if (wrong.length > 1) throw new Error(wrong.map((one) => (one instanceof Error ? (one.stack ?? one.message) : String(one))).join('\n\n'));
}

/** What somebody may read of one type is the same in every door, and in none of them is there anything else. */
export async function compareDoors(world: World, dice: Dice, heard: Heard, visible: Visible, facts: Facts): Promise<void> {
  const records = new Map<string, Json>();
  await checkAll([
    ...(Object.entries(LISTS) as [List, string][]).map(
      ([path, type]) =>
        () =>
          compareList(heard, path, type, visible, records),
    ),
    ...Object.entries(GRAPHQL_LISTS).map(
      ([field, type]) =>
        () =>
          compareCounted(heard, field, type, visible),
    ),
    () => compareWork(heard, dice),
    () =>
      compareFilters(
        heard,
        dice,
        facts,
        [...records].flatMap(([key, row]) => (key.startsWith('Job ') ? [row] : [])),
      ),
    () => compareSingles(heard, dice, visible, facts, records),
    () => compareNodes(world, heard, visible),
  ]);
}

async function compareList(heard: Heard, path: List, type: string, visible: Visible, records: Map<string, Json>): Promise<void> {
  const { side, name: by } = heard.reader;
  if (!visible[type]) return;
  const rows = await listed(heard, side.path(path));
  for (const row of rows) records.set(`${type} ${row.id}`, row);
  expect([by, path, sorted(idsOf(rows))]).toEqual([by, path, sorted(visible[type])]);
  expect([by, path, 'csv', sorted(await inSheet(heard, side.path(path)))]).toEqual([by, path, 'csv', sorted(visible[type])]);
}

async function compareCounted(heard: Heard, field: string, type: string, visible: Visible): Promise<void> {
  const by = heard.reader.name;
  if (visible[type]) expect([by, field, sorted(idsOf(await counted(heard, field, 'id')))]).toEqual([by, field, sorted(visible[type])]);
}

/** One record is what lists show of it, and of what is hidden there is nothing. */
async function compareSingles(heard: Heard, dice: Dice, visible: Visible, facts: Facts, records: Map<string, Json>): Promise<void> {
  const by = heard.reader.name;
  const everywhere: Record<string, Json[]> = {
    ...{ Order: facts.orders, Job: facts.jobs, Load: facts.loads, JobAssignment: facts.links, CompanyShare: facts.shares },
    ...{ Site: facts.sites, Equipment: facts.trucks, driver: facts.people, foreman: facts.people, Ticket: facts.tickets },
    ...{ Invoice: facts.invoices, Settlement: facts.settlements, FileAttachment: facts.files },
  };
  for (const type of Object.keys(PATHS)) {
    if (!visible[type]) continue;
    const all = everywhere[type]!;
    for (let i = 0; i < 4 && all.length > 0; i++) {
      const { id } = dice.of(all);
      const found = await single(heard, type, id);
      // Whoever may see it, by its own company only: a discarded record is still there.
      if (found === undefined) expect([by, type, id, visible[type].has(id)]).toEqual([by, type, id, false]);
      else if (!isOwnDiscarded(heard, all, id)) expect([by, type, id, visible[type].has(found.id)]).toEqual([by, type, id, true]);
      const row = records.get(`${type} ${id}`);
      if (row) expect([by, type, found]).toEqual([by, type, row]);
    }
  }
}

const isOwnDiscarded = ({ reader }: Heard, all: Json[], id: string): boolean => {
  const row = all.find((one) => one.id === id);
  return row?.company_id === reader.side.company.id && row.discarded_at != null;
};

/** The types that are found by any id, of those that facts know by other names. */
const BY_ID = ['Order', 'Job', 'Load', 'JobAssignment', 'CompanyShare', 'Invoice', 'Settlement', 'FileAttachment', 'Ticket'] as const;
async function compareNodes(world: World, heard: Heard, visible: Visible): Promise<void> {
  const known = BY_ID.filter((type) => visible[type]);
  const tables = { Order: 'orders', Job: 'job', Load: 'load', JobAssignment: 'job_assignment', CompanyShare: 'company_share' };
  const more = { Invoice: 'invoice', Settlement: 'settlement', FileAttachment: 'file_attachment', Ticket: 'ticket' };
  for (const type of known) {
    const all = idsOf(await rowsOf(world.app, `select id from "${{ ...tables, ...more }[type]}"`));
    expect([heard.reader.name, type, sorted((await nodes(heard, all)).keys())]).toEqual([heard.reader.name, type, sorted(visible[type]!)]);
  }
  if (!visible.Site) return;
  for (const [type, table] of [
    ['Site', 'site'],
    ['Equipment', 'equipment'],
  ] as const) {
    const others = await rowsOf(world.app, `select id from "${table}" where company_id <> ?`, [heard.reader.side.company.id]);
    const former = await rowsOf(world.app, `select unnest(former_ids) as id from record_merge where state = 'merged' and company_id <> ?`, [
      heard.reader.side.company.id,
    ]);
    const found = await nodes(heard, idsOf([...others, ...former]));
    const hidden = [...found].filter(([, id]) => !Object.values(visible).some((ids) => ids.has(id)));
    expect([heard.reader.name, type, hidden]).toEqual([heard.reader.name, type, []]);
  }
}

const siteOf = (job: Json, type: string): string[] =>
  job.waypoints.filter((one: Json) => one.type === type).map((one: Json) => one.site.id);
/** Filters of jobs, by what the jobs themselves show. */
const JOB_FILTERS: Readonly<Record<string, (job: Json) => (string | undefined)[]>> = {
  driver_ids: (job) => [job.driver?.id],
  equipment_ids: (job) => [job.equipment?.id],
  material_ids: (job) => [job.material?.id],
  pickup_site_ids: (job) => siteOf(job, 'pickup'),
  dropoff_site_ids: (job) => siteOf(job, 'drop_off'),
  company_ids: (job) => [job.company.id],
  states: (job) => [job.state],
};

/** A filter finds the records that show what it asks for, also by the ids of what the reader does not know. */
async function compareFilters(heard: Heard, dice: Dice, facts: Facts, jobs: readonly Json[]): Promise<void> {
  const by = heard.reader.name;
  const { side } = heard.reader;
  const values: Record<string, Json[]> = {
    ...{ driver_ids: facts.people, equipment_ids: facts.trucks, pickup_site_ids: facts.sites, dropoff_site_ids: facts.sites },
    ...{ company_ids: facts.jobs.map(({ company_id: id }) => ({ id })), states: facts.jobs.map(({ state: id }) => ({ id })) },
    material_ids: facts.jobs.map(({ material_id: id }) => ({ id })),
  };
  for (const [name, shown] of Object.entries(JOB_FILTERS)) {
    const { id } = dice.of(values[name]!);
    if (!id) continue;
    const found = await listed(heard, side.path('/jobs'), `&filter[${name}][]=${id}`);
    const expected = jobs.filter((job) => shown(job).includes(id));
    expect([by, name, id, sorted(idsOf(found))]).toEqual([by, name, id, sorted(idsOf(expected))]);
    // Of an order its reader finds by its jobs what those jobs show that they see.
    const orders = await listed(heard, side.path('/orders/dispatch'), `&filter[job][${name}][]=${id}`);
    const ofJobs = new Set(expected.map((job) => job.order.id));
    expect([by, 'orders', name, id, sorted(idsOf(orders))]).toEqual([by, 'orders', name, id, sorted(ofJobs)]);
    await counted(
      heard,
      'jobs',
      'id',
      `, filter: { ${name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())}: [${name === 'states' ? id : `"${id}"`}] }`,
    );
  }
  const company = side.company.id;
  const links = (column: string, mine: string, id: string): string[] =>
    facts.links.filter((link) => link[column] === id && link[mine] === company).map(({ job_id }) => job_id);
  const { id } = dice.of(facts.accounts);
  const orders = new Map(facts.orders.map((order) => [order.id, order]));
  const ownOrder = ({ order_id }: Json) => orders.get(order_id)!.company_id === company && orders.get(order_id)!.account_id === id;
  const expected = {
    vendor_account_ids: links('vendor_account_id', 'customer_company_id', id),
    customer_account_ids: [...links('customer_account_id', 'vendor_company_id', id), ...idsOf(facts.jobs.filter(ownOrder))],
  };
  const seen = new Set(idsOf(jobs));
  for (const [name, of] of Object.entries(expected)) {
    const found = await listed(heard, side.path('/jobs'), `&filter[${name}][]=${id}`);
    const wanted = new Set(of.filter((one) => seen.has(one)));
    expect([by, name, id, sorted(idsOf(found))]).toEqual([by, name, id, sorted(wanted)]);
  }
}

/** What a search and the offers of a form find is nothing that the reader does not see; by hidden words nothing of others is found. */
export async function compareSearches(world: World, dice: Dice, heard: Heard, visible: Visible): Promise<void> {
  const { side, name: by } = heard.reader;
  const words = [...world.kept].filter(([, company]) => company !== side.company.id).map(([one]) => one);
  for (let i = 0; i < 3; i++) {
    const asked = dice.of(words);
    for (const path of ['/orders', '/jobs', '/sites', '/accounts', '/equipment', '/tickets'])
      expect([by, path, asked, await listed(heard, side.path(path), `&search[datagrid]=${asked}`)]).toEqual([by, path, asked, []]);
    expect([by, asked, await listed(heard, side.path('/orders'), `&filter[external_ids][]=${asked}`)]).toEqual([by, asked, []]);
    // Whether a record of others has it, nobody finds out by its opposite.
    const not = async (text: string) =>
      sorted(idsOf(await counted(heard, 'orders', 'id', `, filter: { not: [{ externalIds: ["${text}"] }] }`)));
    expect([by, asked, await not(asked)]).toEqual([by, asked, await not('nothing')]);
  }
  for (const [path, type] of [
    ['/sites/typeahead', 'Site'],
    ['/equipment/typeahead', 'Equipment'],
    ['/drivers/typeahead', 'driver'],
    ['/foremen/typeahead', 'foreman'],
    ['/orders/typeahead', 'Order'],
    ['/jobs/typeahead', 'Job'],
    ['/loads/typeahead', 'Load'],
    ['/sites/dispatch', undefined],
  ] as const) {
    const found = await listed(heard, side.path(path));
    if (type) expect([by, path, idsOf(found).filter((id) => !visible[type]!.has(id))]).toEqual([by, path, []]);
  }
}

/** In all that somebody was answered there is no word that only others may read. */
export function compareWords(world: World, { reader, texts }: Heard, visible: Visible): void {
  const all = new Set(texts.flatMap((text) => text.match(/(?:kept|passed)word\d{5}x/g) ?? []));
  const wrong = [...all].filter((one) => {
    const owner = world.kept.get(one);
    if (owner !== undefined) return owner !== reader.side.company.id;
    const name = `Site ${one}`;
    if (world.names.has(name)) return !world.known.has(`${reader.side.name} ${name}`) && !visible.SiteName?.has(world.names.get(name)!);
    const [type, id] = world.passed.get(one)?.split(' ') ?? [];
    return type !== undefined && visible[type] !== undefined && !visible[type].has(id!);
  });
  expect([reader.name, 'words', wrong.map((one) => [one, world.passed.get(one) ?? world.kept.get(one)])]).toEqual([
    reader.name,
    'words',
    [],
  ]);
}

/** Nor in what it was answered when it changed something, of what is never passed on and of the names of places. */
export function compareAnswers(world: World, reader: Reader, visible: Visible): void {
  const texts = world.answers.flatMap(([side, text]) => (side === reader.side.name ? [text] : []));
  const passed = new Map([...world.passed].filter(([one]) => world.names.has(`Site ${one}`)));
  compareWords({ ...world, passed }, { reader, texts }, visible);
}
