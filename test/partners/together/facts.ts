import type { Json, Side, World } from './scene.ts';
import { rowsOf } from './scene.ts';

/** The ids of what somebody may read, by the type of record. */
export type Visible = Record<string, Set<string>>;

/** What the tables of all companies say, without whoever may see it. */
export interface Facts {
  orders: Json[];
  jobs: Json[];
  loads: Json[];
  links: Json[];
  shares: Json[];
  sites: Json[];
  trucks: Json[];
  people: Json[];
  accounts: Json[];
  tickets: Json[];
  invoices: Json[];
  settlements: Json[];
  files: Json[];
  waypoints: Json[];
  scopes: Json[];
}

const TABLES = {
  orders: 'orders',
  jobs: 'job',
  loads: 'load',
  links: 'job_assignment',
  shares: 'company_share',
  sites: 'site',
  trucks: 'equipment',
  people: 'app_user',
  accounts: 'account',
  tickets: 'ticket',
  invoices: 'invoice',
  settlements: 'settlement',
  files: 'file_attachment',
  waypoints: 'waypoint',
  scopes: 'resource_scope',
} as const;

/** Reads the facts, and remembers whose links there were. */
export async function factsOf(world: World): Promise<Facts> {
  const found: Partial<Facts> = {};
  for (const [name, table] of Object.entries(TABLES)) {
    // What is left of a merged record is none.
    const left = `not exists (select from merged_record m where m.remains_id = t.id)`;
    const rows = await rowsOf(world.app, `select to_jsonb(t) as row from "${table}" t where ${left}`);
    found[name as keyof Facts] = rows.map(({ row }) => row);
  }
  const facts = found as Facts;
  // What names what is left of a merged record is put aside.
  const remains = new Set((await rowsOf(world.app, 'select remains_id from merged_record')).map(({ remains_id }) => remains_id));
  facts.shares = facts.shares.filter(({ company_shareable_id }) => !remains.has(company_shareable_id));
  noteLinks(world, facts.links);
  return facts;
}

function noteLinks(world: World, links: Json[]): void {
  for (const { id, customer_company_id, vendor_company_id } of links) world.links.set(id, [customer_company_id, vendor_company_id]);
}

/** A share holds while it and those on which it hangs have not expired. */
function holds(share: Json, all: Map<string, Json>): boolean {
  if (share.expires_at !== null && Date.parse(share.expires_at) <= Date.now()) return false;
  if (share.parent_company_share_id === null) return true;
  const parent = all.get(share.parent_company_share_id);
  return parent !== undefined && holds(parent, all);
}

const idsOf = (rows: Json[]): Set<string> => new Set(rows.map(({ id }) => id));

/**
 * What a company may read, by the rules of the guide: its own, the work that was passed on to it, what is shared with it while the share holds, and the bills
 * that were sent to it.
 */
export function visibleTo(side: Side, facts: Facts): Visible {
  const company = side.company.id;
  const own = ({ company_id }: Json) => company_id === company;
  const there = ({ discarded_at }: Json) => discarded_at === null || discarded_at === undefined;
  const received = facts.links.filter(({ vendor_company_id }) => vendor_company_id === company);
  const jobIds = new Set(received.map(({ job_id }) => job_id));
  const jobs = facts.jobs.filter((job) => own(job) || jobIds.has(job.id));
  const passedOn = new Set(facts.jobs.filter(({ id }) => jobIds.has(id)).map(({ order_id }) => order_id));
  const seenJobs = idsOf(jobs);
  const shares = new Map(facts.shares.map((share) => [share.id, share]));
  const shared = (type: string) =>
    new Set(
      facts.shares
        .filter((one) => one.receiver_company_id === company && one.company_shareable_type === type && holds(one, shares))
        .map(({ company_shareable_id }) => company_shareable_id),
    );
  const places = shared('Site');
  const trucks = shared('Equipment');
  const people = shared('User');
  const loads = facts.loads.filter((load) => own(load) || seenJobs.has(load.job_id));
  const jobOfLoad = new Map(facts.loads.map(({ id, job_id }) => [id, job_id]));
  const sentTo = (row: Json) => own(row) || row.sent_to_company_id === company;
  const drives = (role: string) =>
    idsOf(facts.people.filter((one) => there(one) && one.roles.includes(role) && (own(one) || people.has(one.id))));
  return {
    Order: idsOf(facts.orders.filter((order) => own(order) || passedOn.has(order.id))),
    Job: seenJobs,
    Load: idsOf(loads),
    JobAssignment: idsOf(facts.links.filter((link) => link.customer_company_id === company || link.vendor_company_id === company)),
    CompanyShare: idsOf(facts.shares.filter((one) => own(one) || one.receiver_company_id === company)),
    Site: idsOf(facts.sites.filter((one) => there(one) && (own(one) || places.has(one.id)))),
    Equipment: idsOf(facts.trucks.filter((one) => there(one) && (own(one) || trucks.has(one.id)))),
    driver: drives('driver'),
    foreman: drives('foreman'),
    User: idsOf(facts.people.filter(own)),
    Account: idsOf(facts.accounts.filter(own)),
    Ticket: idsOf(facts.tickets.filter(own)),
    Invoice: idsOf(facts.invoices.filter(sentTo)),
    Settlement: idsOf(facts.settlements.filter(sentTo)),
    Company: new Set([company, ...connectedTo(company, facts)]),
    SiteName: namedTo(company, places, facts, jobs, loads, passedOn),
    FileAttachment: idsOf(facts.files.filter((file) => own(file) || isReadFile(file, company, facts, jobIds, jobOfLoad))),
  };
}

/** The companies of which it has an account, and which have one of it. */
function connectedTo(company: string, { accounts }: Facts): string[] {
  const there = accounts.filter(({ discarded_at }) => discarded_at === null);
  const of = (one: Json, other: string) => there.some((two) => two.company_id === other && two.connected_company_id === one.company_id);
  return there
    .filter((one) => one.company_id === company && one.connected_company_id !== null && of(one, one.connected_company_id))
    .map(({ connected_company_id }) => connected_company_id);
}

/** The places whose present name it reads: those that it may see, and those where the work of their own company stops that it may see. */
function namedTo(company: string, shared: Set<string>, facts: Facts, jobs: Json[], loads: Json[], passedOn: Set<string>): Set<string> {
  const byRoute = Map.groupBy(facts.waypoints, ({ route_id }) => route_id as string);
  const owners = new Map(facts.sites.map(({ id, company_id }) => [id, company_id]));
  const work = [...facts.orders.filter((order) => order.company_id === company || passedOn.has(order.id)), ...jobs, ...loads];
  const stops = work.flatMap(({ route_id, company_id }) =>
    (byRoute.get(route_id) ?? []).filter(({ site_id }) => owners.get(site_id) === company_id).map(({ site_id }) => site_id),
  );
  return new Set([...facts.sites.filter(({ company_id }) => company_id === company).map(({ id }) => id), ...shared, ...stops]);
}

/** Remembers which names of places companies could read, because the name of the last day is shown on after a share has ended. */
export async function rememberNames(world: World): Promise<void> {
  const facts = await factsOf(world);
  for (const side of world.sides) {
    const visible = visibleTo(side, facts).SiteName!;
    for (const [name, site] of world.names) {
      const row = facts.sites.find(({ id }) => id === site);
      if (row?.name === name && visible.has(site)) world.known.add(`${side.name} ${name}`);
    }
  }
}

/** Of a job's files a vendor reads those of the owner, its own and those of the companies that have the job now. */
function isReadFile(file: Json, company: string, { links, jobs }: Facts, jobIds: Set<string>, jobOfLoad: Map<string, string>): boolean {
  const { file_attachable_type: type, file_attachable_id: on, uploaded_by_company_id: by } = file;
  const jobId = type === 'Job' ? on : type === 'Load' ? jobOfLoad.get(on) : undefined;
  if (jobId === undefined || !jobIds.has(jobId)) return false;
  const owner = jobs.find(({ id }) => id === jobId)?.company_id;
  return by === null || by === company || by === owner || links.some((link) => link.job_id === jobId && link.vendor_company_id === by);
}

/** What is left of that to somebody who is limited to the work at some sites. */
export function atSites(userId: string, visible: Visible, facts: Facts): Visible {
  const sites = new Set(facts.scopes.filter(({ user_id }) => user_id === userId).map(({ site_id }) => site_id));
  const routes = new Set(facts.waypoints.filter(({ site_id }) => sites.has(site_id)).map(({ route_id }) => route_id));
  const stops = ({ route_id }: Json) => routes.has(route_id);
  const there = new Set([
    ...facts.orders.filter(stops).map(({ id }) => id),
    ...[...facts.jobs, ...facts.loads].filter(stops).map(({ order_id }) => order_id),
  ]);
  const jobs = facts.jobs.filter((job) => visible.Job!.has(job.id) && there.has(job.order_id));
  return workOf(jobs, visible, facts, there);
}

/** What is left of it to a driver: the jobs that they drive. */
export function drivenBy(userId: string, visible: Visible, facts: Facts): Visible {
  const jobs = facts.jobs.filter((job) => visible.Job!.has(job.id) && job.driver_id === userId);
  return workOf(jobs, visible, facts, new Set(jobs.map(({ order_id }) => order_id)));
}

function workOf(jobs: Json[], visible: Visible, facts: Facts, orders: Set<string>): Visible {
  const seen = idsOf(jobs);
  return {
    Order: new Set([...visible.Order!].filter((id) => orders.has(id))),
    Job: seen,
    Load: idsOf(facts.loads.filter(({ job_id }) => seen.has(job_id))),
  };
}
