import { poolOf } from '../../../src/platform/database/sql.ts';
import { foldText } from '../../../src/platform/fold.ts';
import type { TestApp } from '../../helpers/app.ts';
import type { Tenant } from '../../helpers/tenant.ts';
import {
  CONTACTS,
  CUSTOMERS,
  MATERIALS,
  mailOf,
  type OrderWord,
  PHASES,
  type Plan,
  type ProjectWord,
  SITES,
  type TicketWord,
} from './words.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not typed
type Json = any;

const fold = (text: string | null | undefined): string | null => (text ? foldText(text) : null);
const sorted = (all: Json[]): Json[] => all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const phasesOf = (all: Json[]) => sorted(all.map(({ name, code, primary }) => ({ name, code, primary })));
const mailsOf = (all: Json[]) => sorted(all.map(({ email }) => email));
const mails = (all: readonly number[]) => sorted(all.map(mailOf));
const phasesMeant = (all: readonly number[]) =>
  sorted(all.map((n) => ({ name: PHASES[n]!.name, code: PHASES[n]!.code, primary: n === 0 })));
/** A local time in November, as an instant. */
const instantOf = ({ day, hour, minute }: OrderWord['at']): string => new Date(Date.UTC(2026, 10, day, hour + 6, minute)).toISOString();

/** What REST shows of an order, in the words of its sender. */
export const orderShown = (order: Json) => ({
  ...{ external_id: order.external_id, state: order.state, load_at: order.load_at, truck_count: order.truck_count },
  ...{ loads_per_truck: order.loads_per_truck, quantity: order.quantity, unit: order.unit_of_measure, rate: order.customer_rate_value },
  ...{ notes: order.notes, name: order.name, po_job_number: order.po_job_number, tax: [order.tax_rate, order.tax_freight] },
  ...{ customer: [order.account.external_id, fold(order.account.name)], material: order.material?.external_id ?? null },
  ...{ truck_type: order.equipment_type?.external_id ?? null, dispatch_number: order.dispatch_number?.name ?? null },
  ...{ stops: order.waypoints.map(({ type, site }: Json) => [type, fold(site.name)]), foremen: mailsOf(order.foremen) },
  ...{ collaborators: mailsOf(order.collaborators), phases: phasesOf(order.phases) },
  contact: order.sales_contact && { name: order.sales_contact.name, email: order.sales_contact.email, phone: order.sales_contact.phone },
});

/** The same of what its sender means. */
export function orderMeant(plan: Plan, word: OrderWord): ReturnType<typeof orderShown> {
  const { trucks, loads, customer } = plan.orders.get(word.key)!;
  return {
    ...{ external_id: word.key, state: word.isCanceled ? 'canceled' : 'created', load_at: instantOf(word.at), truck_count: trucks },
    ...{ loads_per_truck: loads, quantity: word.quantity, unit: word.unit, rate: word.rate },
    ...{ ...word.texts, tax: word.isTaxed ? ['8.25', true] : [null, false] },
    ...{ customer: [`C-${customer}`, fold(CUSTOMERS[customer])], material: word.material === null ? null : `M-${word.material}` },
    ...{ truck_type: word.truckType === null ? null : `E-${word.truckType}`, dispatch_number: `D-${word.key}` },
    stops: word.stops.map((n, i) => [i === 0 ? 'pickup' : 'drop_off', fold(SITES[n])]),
    ...{ foremen: mails(word.foremen), collaborators: mails(word.collaborators), phases: phasesMeant(word.phases) },
    contact: word.contact === null ? null : CONTACTS[word.contact]!,
  };
}

export const projectShown = (project: Json) => ({
  ...{ external_id: project.external_id, name: project.name, notes: project.notes, customer: project.account.external_id },
  ...{ dates: [project.effective_at, project.expires_at], foremen: mailsOf(project.foremen), phases: phasesOf(project.phases) },
  stops: project.waypoints.map(({ type, site }: Json) => [type, fold(site.name)]),
  materials: sorted(
    project.project_material_totals.map(({ material, total_quantity, unit_of_measure }: Json) => [
      ...[fold(material.name), total_quantity, unit_of_measure],
    ]),
  ),
});

export function projectMeant(word: ProjectWord): ReturnType<typeof projectShown> {
  const midnight = (day: number | null) => (day === null ? null : new Date(Date.UTC(2026, 11, day, 6)).toISOString());
  return {
    ...{ external_id: word.key, name: `Project ${word.key}`, notes: word.notes, customer: 'C-0' },
    ...{ dates: [midnight(word.from), midnight(word.until)], foremen: mails(word.foremen), phases: phasesMeant(word.phases) },
    stops: [['drop_off', fold(SITES[word.stop])]],
    materials: sorted(word.materials.map(({ material, total, unit }) => [fold(MATERIALS[material]), total, unit])),
  };
}

export const sqlOf = async (app: TestApp, text: string, values: unknown[]): Promise<Json[]> =>
  (await (await poolOf(app.orm.em.fork())).query(text, values)).rows;

const TICKETS = `select t.ticket_number as key, t.state, trim_scale(t.quantity)::text as quantity, t.unit_of_measure as unit, o.external_id as order, t.load_id is not null as has_load,
    (select e.external_id from equipment e where e.id = j.equipment_id) as truck, (select a.external_id from account a where a.id = t.account_id) as customer,
    to_char(t.service_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, t.notes, count(*) over (partition by t.load_id) as of_load
  from ticket t left join orders o on o.id = t.order_id left join job j on j.id = t.job_id where t.company_id = $1 order by t.ticket_number`;

/** The tickets of a company. @throws Error if two have one load */
export async function ticketsShown(app: TestApp, { company }: Tenant): Promise<Json[]> {
  const rows = await sqlOf(app, TICKETS, [company.id]);
  return rows.map(({ of_load, ...ticket }) => {
    if (ticket.has_load && of_load !== '1') throw new Error(`the load of ticket ${ticket.key} has ${of_load}`);
    return ticket;
  });
}

export function ticketMeant(plan: Plan, word: TicketWord): Json {
  const { order, truck, isHauled, customer } = plan.tickets.get(word.key)!;
  const linked = { state: isHauled ? 'pending' : 'new', has_load: isHauled, truck: isHauled ? `TRK-${truck}` : null };
  const more = { key: word.key, quantity: word.tons, unit: 'Ton', order: plan.orders.has(order) ? order : null, at: instantOf(word.at) };
  return { ...more, ...linked, customer: customer === null ? null : `C-${customer}`, notes: word.notes };
}

/** What each company has for itself: ids, numbers, and when something was written. */
const OWN = /(^|_)(ids?|at|number|version|source|text|name)$|^(id|number)$/;
const WHEN = new Set(['load_at', 'job_start_at', 'effective_at', 'expires_at']);
const alike = (row: Json): Json =>
  Object.fromEntries(Object.entries(row).filter(([column]) => WHEN.has(column) || !(OWN.test(column) || column.startsWith('created_by'))));

/** All that is left of the rows of live orders, their jobs and loads, without what is of one company alone; and how much they are in sum. */
export async function workOf(app: TestApp, { company }: Tenant): Promise<Json> {
  const live = `select o.id from orders o where o.company_id = $1 and o.state <> 'canceled'`;
  const jobs = await sqlOf(
    app,
    `select o.external_id as key, to_jsonb(o) as order, to_jsonb(j) as job, (select e.external_id from equipment e where e.id = j.equipment_id) as truck,
       array(select a.external_id from job_assignment x join account a on a.id = x.vendor_account_id where x.job_id = j.id order by 1) as vendors,
       (select m.external_id from material m where m.id = j.material_id) as material,
       (select coalesce(jsonb_agg(to_jsonb(l) order by l.ordinality), '[]') from load l where l.job_id = j.id) as loads,
       array(select t.ticket_number from ticket t where t.job_id = j.id order by 1) as tickets,
       array(select w.type || ' ' || s.external_id from waypoint w join site s on s.id = w.site_id where w.route_id = j.route_id order by 1) as stops
     from orders o join job j on j.order_id = o.id where o.id in (${live}) order by o.external_id, j.number`,
    [company.id],
  );
  const sums = await sqlOf(
    app,
    `select count(distinct o.id)::int as orders, (select trim_scale(sum(q.quantity))::text from orders q where q.id in (${live})) as quantity,
       (select count(*)::int from job j where j.order_id in (${live})) as jobs, (select count(*)::int from load l where l.order_id in (${live})) as loads,
       (select trim_scale(sum(t.quantity))::text from ticket t where t.company_id = $1 and t.load_id is not null) as hauled
     from orders o where o.id in (${live})`,
    [company.id],
  );
  return {
    sums,
    jobs: jobs.map(({ order, job, loads, ...named }) => ({ ...named, order: alike(order), job: alike(job), loads: loads.map(alike) })),
  };
}
