import { changesOfNew } from '../../platform/commands/audit.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { newId } from '../../platform/ids.ts';
import { localDate } from '../../platform/time.ts';
import { createTickets, type NewTicket } from '../../proof/create-tickets.ts';
import { letWait, type WaitingTicket } from '../../proof/waiting-tickets.ts';
import type { BatchTx, ClaimedRecord, Failure, Importer, Outcome, Repeat } from '../importer.ts';
import { regionOf } from '../payload/region.ts';
import { findLoads, lockWork, type Place } from './find-loads.ts';
import { findTrucks, noteVendorNames } from './find-trucks.ts';
import type { Sender } from './link-tx.ts';
import { linkTickets } from './link-waiting.ts';
import { lockWaited } from './lock-waited.ts';
import { findNamed } from './named-records.ts';
import { parseTicket } from './parse-ticket.ts';
import type { TicketDraft } from './ticket-draft.ts';

interface Read {
  record: ClaimedRecord;
  draft: TicketDraft;
}

const TAKEN: Failure = { state: 'failed', code: 'ticket_number_taken', pointer: '/ticket_number', key: 'ticket_number_taken' };
const UNKNOWN_ORDER: Failure = { state: 'failed', code: 'unknown_order', pointer: '/platform_order_id', key: 'ticket_order_unknown' };

/** `POST /ingest/tickets`: creates tickets and finds their loads, a batch at a time, in a number of statements that does not grow with it. */
export const ticketImporter: Importer = {
  kind: 'ticket',
  // A ticket is created once. Another payload of its number is a mistake; it counts as a correction only while the first one failed.
  supersedes: false,
  // A ticket is one row, an order dozens.
  batch: 600,
  keyField: 'ticket_number',
  gone: {
    code: 'ticket_gone',
    sql: `select g.id from unnest($1::uuid[]) g(id) where not exists (select from ticket t where t.id = g.id and t.voided_at is null)`,
  },
  again: linkAgain,
  async apply(tx, records) {
    const outcomes = new Map<ClaimedRecord, Outcome>();
    const region = regionOf(tx.company.timeZone);
    const parsed = records.map((record) => ({ record, ...parseTicket(record.payload, tx.company.timeZone, region) }));
    for (const { record, failure } of parsed) if (failure) outcomes.set(record, failure);
    const all = parsed.flatMap(({ record, draft }) => (draft ? [{ record, draft }] : []));
    const taken = await takenNumbers(tx, all);
    const free = all.filter(({ record, draft }) => {
      const fits = !taken.has(draft.ticketNumber);
      if (fits) taken.add(draft.ticketNumber);
      else outcomes.set(record, { ...TAKEN, warnings: draft.warnings });
      return fits;
    });
    const work = await lockWork(tx, free, !tx.dry);
    const nested = await findNamed(tx, free);
    const vendorOf = ({ vendor }: TicketDraft) => vendor && nested.get(vendor);
    const trucks = await findTrucks(tx, free, vendorOf);
    const places = await findLoads(tx, free, trucks, work);
    for (const { record, draft } of free)
      if (places.get(record)!.unknownOrder) outcomes.set(record, { ...UNKNOWN_ORDER, warnings: draft.warnings });
    const good = free.filter(({ record }) => !outcomes.has(record));
    await makeTickets(tx, good, nested, places, outcomes);
    await letThemWait(tx, good, places, outcomes, vendorOf);
    await noteVendorNames(tx, good, trucks, vendorOf);
    return records.map((record) => outcomes.get(record)!);
  },
};

// Looked up one by one, because a plan from when a company had few tickets would later read all of them.
const TAKEN_NUMBERS = namedStatement(`select t.ticket_number from unnest($2::text[]) n (number), lateral (
    select x.ticket_number from ticket x where x.company_id = $1 and x.ticket_number = n.number and x.voided_at is null limit 1) t`);

/** Returns the numbers of the company's tickets; the number of a voided ticket is free again (DOMAIN 1.5). */
async function takenNumbers(tx: BatchTx, read: Read[]): Promise<Set<string>> {
  if (read.length === 0) return new Set();
  const rows = await tx.query<{ ticket_number: string }>(TAKEN_NUMBERS, [tx.company.id, read.map(({ draft }) => draft.ticketNumber)]);
  return new Set(rows.map((row) => row.ticket_number));
}

async function makeTickets(
  tx: BatchTx,
  read: Read[],
  nested: Map<object, string>,
  places: ReadonlyMap<Sender, Place>,
  outcomes: Map<ClaimedRecord, Outcome>,
): Promise<void> {
  const tickets = read.map(({ record, draft }): NewTicket => {
    const id = newId();
    outcomes.set(record, { state: 'processed', resultId: id, warnings: draft.warnings });
    const columns = fieldsOf(draft, places.get(record)!, nested);
    return { id, records: tx.recordsOf(record), columns: { ...NEW, ...columns }, changes: changesOfNew(columns) };
  });
  await createTickets(tx, tx.company.id, tickets);
}

/** Lets tickets without a load wait for it, if they name an order; in one statement, and in none if all have loads. */
async function letThemWait(
  tx: BatchTx,
  read: readonly Read[],
  places: ReadonlyMap<Sender, Place>,
  outcomes: ReadonlyMap<ClaimedRecord, Outcome>,
  vendorOf: (draft: TicketDraft) => string | undefined,
): Promise<void> {
  const waiting = read.flatMap(({ record, draft }): WaitingTicket[] => {
    const place = places.get(record)!;
    const outcome = outcomes.get(record);
    const { platformOrderId, orderExternalId = null, dispatchNumber = null } = draft;
    const orderId = platformOrderId === undefined ? null : place.orderId!;
    if (place.loadId || outcome?.state !== 'processed' || (orderId ?? orderExternalId ?? dispatchNumber) === null) return [];
    const byNumber = orderId === null && orderExternalId === null;
    return [
      {
        ticket_id: outcome.resultId!,
        company_id: tx.company.id,
        record_id: record.id,
        order_id: orderId,
        order_external_id: orderId === null ? orderExternalId : null,
        dispatch_number: byNumber ? dispatchNumber : null,
        day: byNumber ? localDate(draft.serviceDate, tx.company.timeZone) : null,
        vendor_id: vendorOf(draft) ?? null,
        site_ids: record.limits?.siteIds ?? null,
        person_id: record.limits?.personId ?? null,
      },
    ];
  });
  await letWait(tx, waiting);
}

/** An equal payload of a ticket without a load looks for it again: a truck may have been named meanwhile, of which there is no other sign. */
async function linkAgain(tx: BatchTx, repeats: readonly Repeat[]): Promise<Map<ClaimedRecord, Outcome>> {
  const byTicket = new Map(repeats.flatMap(({ record, resultId }) => (resultId ? [[resultId, record] as const] : [])));
  const waiting = await lockWaited(tx, [...byTicket.keys()]);
  const linked = await linkTickets(tx, waiting, ({ ticket_id }) => tx.recordsOf(byTicket.get(ticket_id)!));
  return new Map(
    [...linked].map(([id, { linked: done, warnings }]): [ClaimedRecord, Outcome] => [
      byTicket.get(id)!,
      { state: done ? 'processed' : 'skipped', resultId: id, warnings, ...(done ? {} : { lastError: 'duplicate' }) },
    ]),
  );
}

/** The values of every new ticket. */
const NEW = { flagged: false, ocr_processed: false, ai_processed: false };

/** Returns the columns of a ticket that its payload and its load decide. */
function fieldsOf(draft: TicketDraft, place: Place, nested: Map<object, string>) {
  const idOf = (part: object | undefined) => (part && nested.get(part)) ?? null;
  return {
    ticket_number: draft.ticketNumber,
    state: place.jobId ? ('pending' as const) : ('new' as const),
    source: 'api_integration',
    service_date: draft.serviceDate.toISOString(),
    quantity: draft.quantity,
    unit_of_measure: draft.unit,
    gross_quantity: draft.gross,
    tare_quantity: draft.tare,
    weighed_by: draft.weighedBy ?? null,
    order_id: place.orderId ?? null,
    job_id: place.jobId ?? null,
    load_id: place.loadId ?? null,
    material_id: idOf(draft.material),
    account_id: idOf(draft.customer),
    site_id: idOf(draft.site),
    equipment_id: place.equipmentId ?? null,
    notes: draft.notes ?? null,
    external_ticket_number: draft.ticketNumber,
    external_truck_id: draft.truckId,
    external_vendor_name: draft.vendor?.name ?? draft.vendor?.externalId ?? null,
    external_material_material_name: draft.material?.name ?? draft.material?.externalId ?? null,
    external_net_weight: draft.givenQuantity,
    external_net_weight_unit: draft.givenUnit,
  };
}
