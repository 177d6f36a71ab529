import { followOrders, type KeptOnJob } from '../../dispatch/follow-orders.ts';
import { fullDaysOf, MOVING_COLUMNS } from '../../dispatch/moved-order.ts';
import { decidesRates, noteFollowing } from '../../dispatch/pricing/rate-source.ts';
import { Change } from '../change.ts';
import { writeColumns } from '../columns.ts';
import { upsertContacts } from '../contacts.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { syncPhases } from '../phases.ts';
import { fieldOf, referredTo } from '../sent-fields.ts';
import { upsertWaypoints } from '../waypoints.ts';
import { cancelOrders } from './cancel-orders.ts';
import type { Item } from './import-order.ts';
import { type Matches, warnOfInactive } from './nested.ts';

/**
 * Updates matched orders (SPEC): root fields given change, absent ones stay; foremen, vendors, collaborators and salespeople are
 * replaced even when omitted; sites are upserted by waypoint type; phases given are synced; what a person edited stays.
 */
export async function updateOrders(tx: BatchTx, items: Item[], matches: Matches, outcomes: Map<string, Outcome>): Promise<void> {
  if (items.length === 0) return;
  const changes = items.map((item) => {
    const { record, draft } = item;
    const change = new Change(record, item.existing!, draft.warnings);
    change.columns(wantedOf(item));
    if (item.lacks) change.meetsLock();
    if (change.set.material_id) warnOfInactive(draft.warnings, 'material', draft.material!, matches);
    return { item, change, draft };
  });
  await upsertContacts(
    tx,
    changes.map(({ change, draft }) => ({ change, contacts: draft.contacts })),
  );
  await upsertWaypoints(
    tx,
    changes.flatMap(({ change, draft, item }) =>
      draft.sites.length > 0 ? [{ routeId: item.existing!.routeId, sites: draft.sites, change }] : [],
    ),
    matches,
  );
  await syncPhases(
    tx,
    'order_id',
    changes.flatMap(({ change, draft: { phases } }) => (phases ? [{ id: change.known.id, phases, change }] : [])),
  );
  const set = changes.flatMap(({ change }) => (Object.keys(change.set).length > 0 ? [{ id: change.known.id, c: change.set }] : []));
  await writeColumns(tx, 'orders', set);
  const { query } = tx;
  const stayed = await followOrders(
    query,
    changes.flatMap(({ change }) => {
      const columns = [...Object.keys(change.set), ...(change.audit.waypoints ? ['route_id'] : [])];
      return columns.length > 0 ? [{ id: change.known.id, columns }] : [];
    }),
    tx.now,
  );
  for (const { change } of changes) tellKeptOnJobs(change, stayed);
  await tellFullDays(tx, changes);
  await noteFollowing(
    query,
    changes.flatMap(({ change, item }) => (item.existing!.noted && decidesRates(Object.keys(change.audit)) ? [change.known.id] : [])),
  );
  const canceling = items.filter((item) => item.draft.state === 'canceled' && item.existing!.state !== 'canceled');
  await cancelOrders(tx, canceling);
  const used = await referredTo(
    tx,
    changes.flatMap(({ change }) => change.kept.flatMap(({ reference }) => reference ?? [])),
  );
  for (const { item, change } of changes) {
    const { record, existing } = item;
    const at = { type: 'Order', id: existing!.id, companyId: tx.company.id };
    const isCanceled = canceling.includes(item);
    if (change.isChange) tx.audit(record, { event: 'update', ...at, changes: change.audit });
    if (change.isChange && !isCanceled) tx.event(record, { name: 'order.updated', ...at });
    outcomes.set(record.id, change.settle(tx.company.language, used, isCanceled));
    noteIgnored(item);
  }
}

/** Jobs on which somebody set something themselves do not follow their order; one warning for each field that they keep. */
function tellKeptOnJobs({ known, record, warnings }: Change, stayed: readonly KeptOnJob[]): void {
  const jobs = new Map<string, string[]>();
  for (const { orderId, jobId, columns } of stayed)
    if (orderId === known.id)
      for (const column of columns) {
        const field = column === 'route_id' ? 'sites' : fieldOf(column).slice(1);
        jobs.set(field, [...(jobs.get(field) ?? []), jobId]);
      }
  for (const [field, kept] of jobs)
    warnings.push({ code: 'job_edit_kept', pointer: `/${field}`, given: record.payload[field], used: { jobs: kept } });
}

/** An import moves work as its sender does; where that is more than a vendor has trucks on a day, somebody must see to it. */
async function tellFullDays({ query }: BatchTx, changes: readonly { item: Item; change: Change }[]): Promise<void> {
  const moved = changes.filter(
    ({ item, change }) => item.draft.state !== 'canceled' && MOVING_COLUMNS.some((column) => column in change.set),
  );
  const days = await fullDaysOf(
    query,
    moved.map(({ change }) => change.known.id),
  );
  for (const { change } of moved)
    for (const { orderId, vendor, date, trucks } of days)
      if (orderId === change.known.id)
        change.warnings.push({
          code: 'vendor_day_full',
          pointer: '/load_at',
          given: change.record.payload.load_at,
          used: { vendor, date, trucks },
        });
}

function wantedOf(item: Item): Record<string, unknown> {
  const { draft } = item;
  const wanted: Record<string, unknown> = {
    ...draft.root,
    load_at: draft.loadAt.toISOString(),
    account_id: item.accountId,
    foreman_ids: item.foremanIds,
    collaborator_ids: item.collaboratorIds,
    salesperson_ids: item.salespersonIds,
    vendor_id: item.vendorId,
  };
  if (draft.service) wanted.service_id = item.serviceId;
  if (draft.material) wanted.material_id = item.materialId;
  if (draft.equipmentType) wanted.equipment_type_id = item.equipmentTypeId;
  if (draft.dispatchNumber) wanted.dispatch_number_id = item.dispatchNumberId;
  return wanted;
}

/**
 * A repeated payload adds and takes away no trucks, and moves an order to no state but canceled: dispatch may have changed both
 * meanwhile (docs/decisions.md).
 */
function noteIgnored({ draft, existing }: Item): void {
  const { warnings, truckCount, state } = draft;
  if (truckCount !== undefined && truckCount !== existing!.truckCount)
    warnings.push({ code: 'truck_count_kept', pointer: '/truck_count', given: truckCount, used: existing!.truckCount });
  if (state !== undefined && state !== 'canceled' && state !== existing!.state)
    warnings.push({ code: 'state_kept', pointer: '/state', given: state, used: existing!.state });
}
