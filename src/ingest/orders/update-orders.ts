import { cancelOrders } from '../../dispatch/orders/cancel-orders.ts';
import { updateOrders as update } from '../../dispatch/orders/write-orders.ts';
import { Change } from '../apply/change.ts';
import { upsertContacts } from '../apply/contacts.ts';
import { inNameOf } from '../apply/in-name-of.ts';
import { syncPhases } from '../apply/phases.ts';
import { upsertWaypoints } from '../apply/waypoints.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { customerKept, type Matches, warnOfInactive } from '../nested/nested.ts';
import { referredTo } from '../payload/sent-fields.ts';
import type { Item } from './order-item.ts';
import { type OrderChange, warnOfFullDays, warnOfKeptOnJobs } from './warn-of-jobs.ts';

/**
 * Updates matched orders (SPEC). Root fields that were sent change, absent ones are kept. Foremen, vendors, collaborators and salespeople
 * are replaced even if omitted. Sites are upserted by waypoint type, phases are synced, and what a person edited is kept.
 */
export async function updateOrders(tx: BatchTx, items: Item[], matches: Matches, outcomes: Map<string, Outcome>): Promise<void> {
  if (items.length === 0) return;
  const changes = items.map((item) => changeOf(item, matches));
  await writeParts(tx, changes, matches);
  await warnOfFullDays(tx, changes);
  const canceling = items.filter((item) => item.draft.state === 'canceled' && item.existing!.state !== 'canceled');
  const isCanceled = new Set(canceling);
  const stayed = await update(
    tx,
    tx.company.id,
    changes.map(({ item, change: { known, record, set, audit } }) => ({
      ...{ id: known.id, by: inNameOf(tx, record), set, changes: audit },
      ...{ noted: item.existing!.noted, isCanceled: isCanceled.has(item) },
    })),
  );
  for (const { change } of changes) warnOfKeptOnJobs(change, stayed);
  await cancelOrders(
    tx,
    canceling.map(({ record, existing }) => ({
      ...{ id: existing!.id, companyId: tx.company.id, state: existing!.state, heldFrom: existing!.heldFrom },
      // If a load or an invoice is approved for billing, the whole payload was refused before.
      ...{ facts: { billingApproved: existing!.locked }, by: inNameOf(tx, record) },
    })),
  );
  await settleAll(tx, changes, isCanceled, outcomes);
}

/** Returns the changes of a payload to the columns of its order. */
function changeOf(item: Item, matches: Matches): OrderChange {
  const { record, draft } = item;
  const change = new Change(record, item.existing!, draft.warnings);
  change.columns(wantedOf(item));
  if (item.lacks) change.meetsLock();
  if (change.set.material_id) warnOfInactive(draft.warnings, 'material', draft.material!, matches);
  return { item, change };
}

/** Writes contacts, waypoints and phases, which are rows of their own. */
async function writeParts(tx: BatchTx, changes: readonly OrderChange[], matches: Matches): Promise<void> {
  await upsertContacts(
    tx,
    changes.map(({ change, item }) => ({ change, contacts: item.draft.contacts })),
  );
  await upsertWaypoints(
    tx,
    changes.flatMap(({ change, item: { draft, existing } }) =>
      draft.sites.length > 0 ? [{ routeId: existing!.routeId, sites: draft.sites, change }] : [],
    ),
    matches,
  );
  await syncPhases(
    tx,
    'order_id',
    changes.flatMap(({ change, item: { draft } }) => (draft.phases ? [{ id: change.known.id, phases: draft.phases, change }] : [])),
  );
}

/** Sets the outcome of each payload. */
async function settleAll(
  tx: BatchTx,
  changes: readonly OrderChange[],
  canceling: ReadonlySet<Item>,
  outcomes: Map<string, Outcome>,
): Promise<void> {
  const used = await referredTo(
    tx,
    changes.flatMap(({ change }) => change.kept.flatMap(({ reference }) => reference ?? [])),
  );
  for (const { item, change } of changes) {
    outcomes.set(item.record.id, change.settle(tx.company.language, used, canceling.has(item)));
    noteIgnored(item);
  }
}

function wantedOf(item: Item): Record<string, unknown> {
  const { draft } = item;
  const wanted: Record<string, unknown> = {
    ...draft.root,
    load_at: draft.loadAt.toISOString(),
    account_id: customerOf(item),
    foreman_ids: item.foremanIds,
    collaborator_ids: item.collaboratorIds,
    salesperson_ids: item.salespersonIds,
    vendor_id: item.vendorId,
  };
  if (draft.service) wanted.service_id = item.serviceId;
  if (draft.material) wanted.material_id = item.materialId;
  if (item.supplierId) wanted.material_rate_supplier_account_id = item.supplierId;
  if (draft.equipmentType) wanted.equipment_type_id = item.equipmentTypeId;
  if (draft.dispatchNumber) wanted.dispatch_number_id = item.dispatchNumberId;
  return wanted;
}

/** SPEC: the account of an order in a project is the project's. A payload of another customer does not part the two. */
function customerOf({ accountId, draft, existing }: Item): string {
  const { projectAccountId, columns, locked } = existing!;
  const kept = columns.account_id!;
  if (projectAccountId === null || accountId === projectAccountId || accountId === kept || locked) return accountId;
  draft.warnings.push(customerKept(draft.customer));
  return kept;
}

/**
 * A repeated payload neither adds nor removes trucks, and moves an order to no state but canceled: dispatch may have changed both meanwhile
 * (D-INGEST-68).
 */
function noteIgnored({ draft, existing }: Item): void {
  const { warnings, truckCount, state } = draft;
  if (truckCount !== undefined && truckCount !== existing!.truckCount)
    warnings.push({ code: 'truck_count_kept', pointer: '/truck_count', given: truckCount, used: existing!.truckCount });
  if (state !== undefined && state !== 'canceled' && state !== existing!.state)
    warnings.push({ code: 'state_kept', pointer: '/state', given: state, used: existing!.state });
}
