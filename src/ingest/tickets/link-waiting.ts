import { defineConsequence } from '../../platform/commands/consequences.ts';
import type { AuditRecord, Records } from '../../platform/commands/records.ts';
import type { SetTx } from '../../platform/commands/set-tx.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnceForFew } from '../../platform/database/planned-once.ts';
import { localDate } from '../../platform/time.ts';
import { type TicketState, ticketMachine } from '../../proof/ticket.machine.ts';
import { endWait, type WaitingTicket } from '../../proof/waiting-tickets.ts';
import type { Warning } from '../importer.ts';
import { boundWarnings } from '../ledger/bound-warnings.ts';
import { findLoads, lockWork, type Place, type Sought } from './find-loads.ts';
import { findTrucks } from './find-trucks.ts';
import type { LinkTx } from './link-tx.ts';
import { isOfLink, reportAnew } from './link-warnings.ts';
import { findNamedAnew, type NewlyKnown, noteVendors } from './named-records.ts';

/** The columns of an order whose change may give it tickets: its names, its days, and what gives its jobs trucks. */
const OF_ORDER = new Set([
  ...['external_id', 'dispatch_number_id', 'dispatch_number', 'load_at', 'job_start_at', 'truck_delay', 'trucks_per_delay', 'truck_count'],
  ...['equipment_id', 'driver_id', 'vendor_id', 'recurring_loads'],
]);
/** The same of a job. */
const OF_JOB = new Set(['order_id', 'job_start_at', 'equipment_id', 'additional_equipment_ids', 'driver_id', 'recurring_loads', 'job_id']);

/** The same of a ticket that waits for the work of its day: a person corrects what a scale's clock said. */
const OF_TICKET = new Set(['service_date']);
/** The same of a company: its zone says of which day a ticket is. */
const OF_COMPANY = new Set(['time_zone']);
const NONE: ReadonlySet<string> = new Set();

/** The fields by which a payload may name an order before there is one. */
const NAMES = new Set(['external_id', 'dispatch_number_id', 'dispatch_number']);

/**
 * Returns the ids of records of a type that were made, or changed in one of the columns, with the rows that say so.
 * @param ofNew columns of which a new record must have one; by default, as of the others
 */
function changedIn(
  changes: readonly Records[],
  type: string,
  columns: ReadonlySet<string>,
  ofNew: ReadonlySet<string> = columns,
): Map<string, Records> {
  const decides = ({ event, changes: of }: AuditRecord) =>
    event !== 'destroy' && Object.keys(of).some((column) => (event === 'create' ? ofNew : columns).has(column));
  return new Map(
    changes.flatMap((records) =>
      records.audits.filter((audit) => audit.type === type && decides(audit)).map(({ id }) => [id, records] as const),
    ),
  );
}

/**
 * Links tickets that came before their order, or before its truck, in the transaction that makes or changes the order or job. Commands that
 * give orders a name or a day, or jobs another day, hold the lock of arrivals (`expectArrivals`), and those that change jobs the lock of
 * their order.
 */
export const linkingOfTickets = defineConsequence('tickets that wait for their order', async (tx, changes) => {
  // No ticket can have named a new order without a name.
  const orders = changedIn(changes, 'Order', OF_ORDER, NAMES);
  const jobs = changedIn(changes, 'Job', OF_JOB);
  const tickets = changedIn(changes, 'Ticket', OF_TICKET, NONE);
  const companies = changedIn(changes, 'Company', OF_COMPANY, NONE);
  if (companies.size > 0)
    await moveWaits(
      tx,
      (await tx.query<{ id: string }>(OF_DAYS, [[...companies.keys()]])).map(({ id }) => id),
    );
  if (tickets.size > 0) await linkTickets(tx, await moveWaits(tx, [...tickets.keys()]), ({ ticket_id }) => tickets.get(ticket_id)!);
  if (orders.size + jobs.size === 0) return;
  const waiting = await tx.query<{ ticket_id: string; via: string }>(planOnceForFew(WAITING, orders.size + jobs.size), [
    [...orders.keys()],
    [...jobs.keys()],
  ]);
  if (waiting.length === 0) return;
  const records = (via: string): Records => orders.get(via) ?? changes[0]!;
  const byId = new Map(waiting.map(({ ticket_id, via }) => [ticket_id, records(via)]));
  await linkTickets(tx, [...byId.keys()], ({ ticket_id }) => byId.get(ticket_id)!);
});

const WAITS = namedStatement(`
select w.ticket_id, (extract(epoch from t.service_date) * 1000)::float8 as served, c.time_zone
from waiting_ticket w join ticket t on t.id = w.ticket_id join company c on c.id = w.company_id
where w.ticket_id = any($1::uuid[]) and w.dispatch_number is not null and t.service_date is not null`);
const OF_DAYS = 'select w.ticket_id as id from waiting_ticket w where w.company_id = any($1::uuid[]) and w.dispatch_number is not null';
const MOVE = namedStatement(
  `update waiting_ticket w set day = d.day from unnest($1::uuid[], $2::date[]) d(ticket, day) where w.ticket_id = d.ticket`,
);

/** Has tickets wait for the work of the day that they have now. @returns those that wait for the work of a day */
async function moveWaits({ query }: SetTx, ticketIds: string[]): Promise<string[]> {
  const waits = await query<{ ticket_id: string; served: number; time_zone: string }>(WAITS, [ticketIds]);
  const ids = waits.map(({ ticket_id }) => ticket_id);
  if (ids.length > 0) await query(MOVE, [ids, waits.map(({ served, time_zone }) => localDate(new Date(served), time_zone))]);
  return ids;
}

/** A waiting ticket, locked. */
export interface Unlinked extends WaitingTicket {
  time_zone: string;
  state: TicketState;
  of_order: string | null;
  equipment_id: string | null;
  /** Milliseconds of the epoch. */
  served: number;
  truck_id: string;
  /** As it was sent; null if it is not kept any more. */
  payload: Record<string, unknown> | null;
  warnings: Warning[] | null;
  /** Its sender wants no guesses. */
  strict: boolean | null;
  material_id: string | null;
  account_id: string | null;
  site_id: string | null;
}

/** The outcome of a waiting ticket. */
export interface Linked {
  /** It has a load now. */
  linked: boolean;
  /** All warnings of its import, as they would be if it came now. */
  warnings: Warning[];
}

/**
 * Looks for the loads of waiting tickets and for what else they name, as an import of them would now. Those that have a load become `pending`; of
 * the others the order may change. Their imported records warn of what is left.
 * @param recordsOf returns the rows in whose name a ticket is linked
 * @returns what became of each by its id; none for tickets that do not wait any more
 */
export async function linkTickets(
  tx: SetTx,
  ticketIds: readonly string[],
  recordsOf: (ticket: Unlinked) => Records,
): Promise<Map<string, Linked>> {
  const results = new Map<string, Linked>();
  if (ticketIds.length === 0) return results;
  await tx.query(LOCK, [ticketIds]);
  const all = await tx.query<Unlinked & Record<string, unknown>>(UNLINKED, [ticketIds]);
  for (const [companyId, tickets] of Map.groupBy(all, ({ company_id }) => company_id)) {
    const moved = await placesOf(tx, companyId, tickets, recordsOf);
    const now = moved.map((one) => ({ ...one, changes: writeDown(one.ticket, one.place, one.known, recordsOf(one.ticket)) }));
    const changed = now.filter(({ changes }) => Object.keys(changes).length > 0);
    if (changed.length > 0) {
      await tx.query(LINK, [
        changed.map(({ ticket }) => ticket.ticket_id),
        changed.map(({ place }) => place.orderId ?? null),
        changed.map(({ place }) => place.jobId ?? null),
        changed.map(({ place }) => place.loadId ?? null),
        changed.map(({ place }) => place.equipmentId ?? null),
        changed.map(({ ticket }) => ticket.state),
        tx.now.toISOString(),
        changed.map(({ known }) => known.material ?? null),
        changed.map(({ known }) => known.customer ?? null),
        changed.map(({ known }) => known.site ?? null),
      ]);
    }
    await noteVendors(tx, new Map(now.flatMap(({ ticket, known }) => (known.vendor ? [[ticket.ticket_id, known.vendor] as const] : []))));
    await endWait(
      tx,
      now.flatMap(({ ticket, place }) => (place.loadId ? [ticket.ticket_id] : [])),
    );
    const said = now.filter(({ ticket, warnings }) => JSON.stringify(ticket.warnings ?? []) !== JSON.stringify(warnings));
    await reportAnew(
      tx,
      companyId,
      said.map(({ ticket, warnings }) => ({
        ticketId: ticket.ticket_id,
        recordId: ticket.record_id,
        warnings,
        records: recordsOf(ticket),
      })),
    );
    for (const { ticket, place, warnings } of now) results.set(ticket.ticket_id, { linked: place.loadId !== undefined, warnings });
  }
  return results;
}

async function placesOf(tx: SetTx, companyId: string, tickets: readonly Unlinked[], recordsOf: (ticket: Unlinked) => Records) {
  const sought = tickets.map((ticket) => ({ ticket, ...soughtOf(ticket) }));
  const byRecord = new Map(sought.map(({ record, ticket }) => [record as object, ticket]));
  const byDraft = new Map(sought.map(({ draft, ticket }) => [draft as object, ticket]));
  const linkTx: LinkTx = {
    em: tx.em,
    now: tx.now,
    query: tx.query,
    company: { id: companyId, timeZone: tickets[0]!.time_zone },
    recordsOf: (by) => recordsOf(byRecord.get(by)!),
    matched: () => undefined,
  };
  const work = await lockWork(linkTx, sought, false);
  const named = await findNamedAnew(linkTx, sought);
  const trucks = await findTrucks(linkTx, sought, (draft) => {
    const ticket = byDraft.get(draft)!;
    return ticket.vendor_id ?? named.get(ticket)?.known.vendor;
  });
  const places = await findLoads(linkTx, sought, trucks, work);
  return sought.flatMap(({ ticket, record, draft }) => {
    const place = places.get(record)!;
    if (place.unknownOrder) return [];
    const { known = {}, warnings = ticket.warnings ?? [] } = named.get(ticket) ?? {};
    const others = warnings.filter((warning) => !isOfLink(warning));
    return [{ ticket, place, known, warnings: boundWarnings([...others, ...draft.warnings]) }];
  });
}

const soughtOf = (ticket: Unlinked): Sought => ({
  record: {
    limits:
      ticket.site_ids || ticket.person_id
        ? { ...(ticket.site_ids ? { siteIds: ticket.site_ids } : {}), ...(ticket.person_id ? { personId: ticket.person_id } : {}) }
        : undefined,
  },
  draft: {
    platformOrderId: ticket.order_id ?? undefined,
    orderExternalId: ticket.order_external_id ?? undefined,
    dispatchNumber: ticket.dispatch_number ?? undefined,
    serviceDate: new Date(ticket.served),
    truckId: ticket.truck_id,
    warnings: [],
  },
  strict: ticket.strict === true,
});

/** Adds what changes on a ticket to the records, and moves its state if it has a load. @returns the changes; none if all stays */
function writeDown(
  ticket: Unlinked,
  { orderId, jobId, loadId, equipmentId }: Place,
  known: NewlyKnown,
  records: Records,
): AuditRecord['changes'] {
  const changes: AuditRecord['changes'] = {};
  const of = { type: 'Ticket', id: ticket.ticket_id, companyId: ticket.company_id };
  if ((orderId ?? null) !== ticket.of_order) changes.order_id = [ticket.of_order, orderId ?? null];
  if (equipmentId !== undefined && equipmentId !== ticket.equipment_id) changes.equipment_id = [ticket.equipment_id, equipmentId];
  for (const [column, id] of [
    ['material_id', known.material],
    ['account_id', known.customer],
    ['site_id', known.site],
  ] as const)
    if (id !== undefined && ticket[column] === null) changes[column] = [null, id];
  if (loadId !== undefined) {
    Object.assign(changes, { job_id: [null, jobId], load_id: [null, loadId], state: [ticket.state, 'pending'] });
    const subject = { id: ticket.ticket_id, companyId: ticket.company_id, state: ticket.state };
    ticketMachine.fireMany(() => records, [subject], 'link');
    ticket.state = subject.state;
  }
  if (Object.keys(changes).length === 0) return changes;
  records.audits.push({ event: 'update', ...of, changes });
  records.events.push({ name: 'ticket.updated', ...of });
  return changes;
}

// Each step is a look-up by an index: an order that nobody waits for costs four of them. The last one finds tickets that have the order by a name or day that it
// has no more.
const WAITING = namedStatement(`
with o as materialized (
  select x.id, x.company_id, x.external_id, d.name, c.time_zone
  from orders x join company c on c.id = x.company_id left join dispatch_number d on d.id = x.dispatch_number_id
  where x.id = any($1::uuid[]) or x.id = any(array(select j.order_id from job j where j.id = any($2::uuid[])))
)
select distinct on (w.ticket_id) w.ticket_id, o.id as via from o, lateral (
  select a.ticket_id from waiting_ticket a where a.order_id = o.id
  union all
  select b.ticket_id from waiting_ticket b where b.company_id = o.company_id and b.order_external_id = o.external_id
  union all
  select e.ticket_id from (select distinct (j.job_start_at at time zone o.time_zone)::date as day from job j where j.order_id = o.id and o.name is not null offset 0) s,
    lateral (select f.ticket_id from waiting_ticket f where f.company_id = o.company_id and f.dispatch_number = o.name and f.day = s.day offset 0) e
  union all
  select h.ticket_id from (select t.id from ticket t where t.order_id = o.id and t.load_id is null and t.voided_at is null offset 0) g,
    lateral (select i.ticket_id from waiting_ticket i where i.ticket_id = g.id offset 0) h) w
order by w.ticket_id, o.id`);

const LOCK = namedStatement('select from ticket t where t.id = any($1::uuid[]) order by t.id for update of t');

// The rows are read after their tickets are locked: a person may have decided their loads meanwhile.
const UNLINKED = namedStatement(`
select w.ticket_id, w.company_id, w.record_id, w.order_id, w.order_external_id, w.dispatch_number, w.vendor_id, w.site_ids::text[], w.person_id,
  c.time_zone, t.state, t.order_id as of_order, t.equipment_id, (extract(epoch from t.service_date) * 1000)::float8 as served,
  t.external_truck_id as truck_id, t.material_id, t.account_id, t.site_id, r.payload, r.warnings,
  (select b.strict from import_batch b where b.id = r.batch_id) as strict
from waiting_ticket w join ticket t on t.id = w.ticket_id join company c on c.id = w.company_id
  left join lateral (select i.payload, i.warnings, i.batch_id from imported_record i where i.id = w.record_id offset 0) r on true
where w.ticket_id = any($1::uuid[]) and t.load_id is null and t.state = 'new' and t.voided_at is null and t.service_date is not null and t.external_truck_id is not null
order by w.ticket_id`);

const LINK = namedStatement(`
update ticket t set order_id = r.order_id, job_id = r.job_id, load_id = r.load_id, equipment_id = coalesce(r.equipment_id, t.equipment_id), state = r.state,
  material_id = coalesce(t.material_id, r.material_id), account_id = coalesce(t.account_id, r.account_id), site_id = coalesce(t.site_id, r.site_id),
  updated_at = $7::timestamptz, version = t.version + 1
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $8::uuid[], $9::uuid[], $10::uuid[])
  r(id, order_id, job_id, load_id, equipment_id, state, material_id, account_id, site_id) where t.id = r.id`);
