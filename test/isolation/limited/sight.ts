import { type Rights, rightsOf } from './rights.ts';
import type { Rows } from './rows.ts';
import type { Json } from './scene.ts';

/** The kinds of records of which people see some only. */
export const KINDS = [
  ...(['Order', 'Job', 'Load', 'Ticket', 'DriverDay', 'Project', 'Site', 'FileAttachment', 'JobAssignment', 'JobEvent'] as const),
  ...(['Invoice', 'Settlement', 'AddOnCharge', 'MaterialRate'] as const),
];
export type Kind = (typeof KINDS)[number];

/** The rows of each kind. */
export function rowsOf(rows: Rows): Readonly<Record<Kind, readonly Json[]>> {
  const Site = rows.site.filter(({ discarded_at }) => !discarded_at);
  // Prices of a merged site are put aside with what is left of it.
  const open = new Set([null, ...Site.map(({ id }) => id)]);
  return {
    ...{ Order: rows.order, Job: rows.job, Load: rows.load, Ticket: rows.ticket, DriverDay: rows.day, Project: rows.project, Site },
    ...{ FileAttachment: rows.file, JobAssignment: rows.link, JobEvent: rows.event, Invoice: rows.invoice, Settlement: rows.settlement },
    ...{ AddOnCharge: rows.charge, MaterialRate: rows.price.filter(({ site_id }) => open.has(site_id)) },
  };
}

/** What somebody sees of each kind: the ids. */
export type Sight = Readonly<Record<Kind, ReadonlySet<string>>> & { rights: Rights };

const byId = (rows: readonly Json[]): ReadonlyMap<string, Json> => new Map(rows.map((row) => [row.id, row]));

/**
 * What is where, by the stops of the work (D-IDENTITY-38): an order is at a site if it, one of its jobs or one of its loads stops there, and all of its work is
 * with it.
 */
function placesOf(rows: Rows): ReadonlyMap<string, ReadonlySet<string>> {
  const stops = Map.groupBy(rows.stop, ({ route_id }) => route_id);
  const sitesOf = (route: string): string[] => (stops.get(route) ?? []).map(({ site_id }) => site_id);
  const places = new Map(rows.order.map((order) => [order.id, new Set(sitesOf(order.route_id))]));
  for (const { order_id, route_id } of [...rows.job, ...rows.load]) for (const site of sitesOf(route_id)) places.get(order_id)!.add(site);
  return places;
}

/** Works out what somebody sees, by docs/users.md ("Own records", "Limits to sites") and docs/permissions.md. */
export function sightOf(rows: Rows, person: string): Sight {
  const rights = rightsOf(rows, person);
  const { ownOnly, sites } = rights;
  const [orders, jobs, loads, days] = [byId(rows.order), byId(rows.job), byId(rows.load), byId(rows.day)];
  const [projects, tickets, settlements, invoices] = [byId(rows.project), byId(rows.ticket), byId(rows.settlement), byId(rows.invoice)];
  const jobsOfOrder = Map.groupBy(rows.job, ({ order_id }) => order_id);
  const jobsOfDay = Map.groupBy(rows.job, ({ driver_day_id }) => driver_day_id);
  const places = placesOf(rows);

  // Whose work it is.
  const isCrew = (one: Json) => [one.foreman_ids, one.collaborator_ids, one.salesperson_ids].some((ids) => ids.includes(person));
  const leads = (one: Json) => one !== undefined && (one.requester_id === person || isCrew(one));
  const takesPart = (job: Json) => job.driver_id === person || isCrew(job);
  const ownJob = (job: Json) => job !== undefined && (takesPart(job) || leads(orders.get(job.order_id)));
  const ownOrder = (order: Json) => order !== undefined && (leads(order) || (jobsOfOrder.get(order.id) ?? []).some(takesPart));
  const ownDay = (day: Json) => day !== undefined && (day.driver_id === person || (jobsOfDay.get(day.id) ?? []).some(ownJob));
  const ownProject = (project: Json) => leads(project) || rows.order.some((order) => order.project_id === project.id && ownOrder(order));
  const ownTicket = (ticket: Json) => (ticket.job_id ? ownJob(jobs.get(ticket.job_id)) : leads(orders.get(ticket.order_id)));
  const ownOfFile: Readonly<Record<string, (id: string) => boolean>> = {
    Order: (id) => ownOrder(orders.get(id)),
    Job: (id) => ownJob(jobs.get(id)),
    Load: (id) => ownJob(jobs.get(loads.get(id)?.job_id)),
    Project: (id) => ownProject(projects.get(id)),
    DriverDay: (id) => ownDay(days.get(id)),
    Ticket: (id) => ownTicket(tickets.get(id)),
    Settlement: (id) => settlements.get(id)?.driver_id === person,
  };

  // Where it is.
  const here = (order: string | null) =>
    order !== null && order !== undefined && [...(places.get(order) ?? [])].some((id) => sites!.has(id));
  const jobHere = (id: string) => here(jobs.get(id)?.order_id);
  const dayHere = (id: string) => (jobsOfDay.get(id) ?? []).some(({ order_id }) => here(order_id));
  const invoicesOf = (id: string): Json[] => [
    ...rows.invoice.filter((invoice) => invoice.id === id),
    ...rows.settled.filter(({ settlement_id }) => settlement_id === id).map(({ invoice_id }) => invoices.get(invoice_id)),
  ];
  /** A total says something of each part. */
  const altogetherHere = (id: string) => invoicesOf(id).every(({ order_id }) => here(order_id));
  const fileHere: Readonly<Record<string, (id: string) => boolean>> = {
    Order: here,
    Job: jobHere,
    Load: (id) => jobHere(loads.get(id)?.job_id),
    Project: () => true,
    DriverDay: dayHere,
    Ticket: (id) => here(tickets.get(id)?.order_id),
    Settlement: altogetherHere,
  };

  const readsAll = rights.can('view_settlements');
  const reads = readsAll || rights.can('view_settlements:own');
  const all = rowsOf(rows);
  const anybody = () => true;
  const see = (kind: Kind, own: (row: Json) => boolean, near: (row: Json) => boolean, may: (row: Json) => boolean = anybody): Set<string> =>
    new Set(all[kind].filter((row) => may(row) && (!ownOnly || own(row)) && (!sites || near(row))).map(({ id }) => id));
  const nobody = new Set<string>();
  const ofJob = (row: Json) => ownJob(jobs.get(row.job_id));
  return {
    rights,
    Order: see('Order', ownOrder, ({ id }) => here(id)),
    Job: see('Job', ownJob, ({ order_id }) => here(order_id)),
    Load: see('Load', ofJob, ({ order_id }) => here(order_id)),
    Ticket: see('Ticket', ownTicket, ({ order_id }) => here(order_id)),
    DriverDay: see('DriverDay', ownDay, ({ id }) => dayHere(id)),
    Project: see('Project', ownProject, anybody),
    Site: see('Site', anybody, ({ id }) => sites!.has(id)),
    FileAttachment: see(
      'FileAttachment',
      (file) => file.uploaded_by_id === person || ownOfFile[file.file_attachable_type]!(file.file_attachable_id),
      (file) => fileHere[file.file_attachable_type]!(file.file_attachable_id),
    ),
    JobAssignment: see('JobAssignment', ofJob, ({ job_id }) => jobHere(job_id)),
    JobEvent: see('JobEvent', ofJob, ({ job_id }) => jobHere(job_id)),
    Invoice: reads
      ? see(
          'Invoice',
          ({ payee_driver_id }) => payee_driver_id === person,
          ({ order_id, driver_day_id }) => here(order_id) || (driver_day_id && dayHere(driver_day_id)),
          ({ payee_driver_id }) => readsAll || payee_driver_id === person,
        )
      : nobody,
    Settlement: reads
      ? see(
          'Settlement',
          ({ driver_id }) => driver_id === person,
          ({ id }) => altogetherHere(id),
          ({ driver_id }) => readsAll || driver_id === person,
        )
      : nobody,
    // What is charged on an invoice or a settlement is read by those who read these.
    AddOnCharge: see(
      'AddOnCharge',
      (charge) =>
        charge.add_on_applicable_id
          ? charge.payee_driver_id === person
          : ownJob(jobs.get(charge.job_id)) || ownDay(days.get(charge.driver_day_id)),
      ({ job_id, add_on_applicable_id }) =>
        (job_id === null || jobHere(job_id)) && (add_on_applicable_id === null || altogetherHere(add_on_applicable_id)),
      ({ add_on_applicable_id, payee_driver_id }) => readsAll || add_on_applicable_id === null || (reads && payee_driver_id === person),
    ),
    MaterialRate: see('MaterialRate', anybody, ({ site_id }) => site_id === null || sites!.has(site_id)),
  };
}
