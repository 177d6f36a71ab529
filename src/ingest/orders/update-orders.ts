import { followOrders } from '../../dispatch/follow-orders.ts';
import { insertRows } from '../../platform/database/sql.ts';
import { isSame, shownValue, writeColumns } from '../columns.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { upsertWaypoints } from '../waypoints.ts';
import { cancelOrders } from './cancel-orders.ts';
import { contactRows, type Item } from './import-order.ts';
import { type Matches } from './match.ts';

/** Notes are all that changes on a locked order (DOMAIN section 5). */
const NOTES = new Set(['notes', 'internal_notes', 'job_notes', 'order_notes']);

/**
 * Updates matched orders (SPEC): root fields given change, absent ones stay; foremen, vendors, collaborators and salespeople are
 * replaced even when omitted; sites are upserted by waypoint type; what a person edited stays.
 */
export async function updateOrders(tx: BatchTx, items: Item[], matches: Matches, outcomes: Map<string, Outcome>): Promise<void> {
  if (items.length === 0) return;
  const contacts: object[] = [];
  const changes = items.map((item) => ({ item, change: changeOf(tx, item, contacts) }));
  await insertRows(tx.em, 'contact', contacts);
  const canceling = items.filter((item) => item.draft.state === 'canceled' && item.existing!.state !== 'canceled');
  const changed = changes.filter(({ change }) => Object.keys(change.set).length > 0);
  await writeColumns(
    tx,
    'orders',
    changed.map(({ item, change }) => ({ id: item.existing!.id, c: change.set })),
  );
  const sited = await upsertWaypoints(
    tx,
    items
      .filter((item) => !item.existing!.locked && item.draft.sites.length > 0)
      .map((item) => ({ routeId: item.existing!.routeId, sites: item.draft.sites })),
    matches,
  );
  await followOrders(
    (sql, parameters) => tx.query(sql, parameters),
    changed.map(({ item, change }) => ({ id: item.existing!.id, columns: Object.keys(change.set) })),
    tx.now,
  );
  await cancelOrders(tx, canceling);
  noteTrucks(items);
  for (const { item, change } of changes) {
    const { record, draft, existing } = item;
    const at = { type: 'Order', id: existing!.id, companyId: tx.company.id };
    const touched = Object.keys(change.set).length > 0 || sited.has(existing!.routeId) || canceling.includes(item);
    if (Object.keys(change.audit).length > 0) tx.audit(record, { event: 'update', ...at, changes: change.audit });
    if (touched && !canceling.includes(item)) tx.event(record, { name: 'order.updated', ...at });
    const lastError =
      change.kept.length > 0
        ? `user_edit_kept: ${change.kept.map((field) => `/${field}`).join(' ')}: edited in the application`
        : undefined;
    const skipped = change.kept.length > 0 && !touched;
    outcomes.set(record.id, {
      state: skipped ? 'skipped_update' : 'processed',
      resultId: existing!.id,
      warnings: draft.warnings,
      lastError,
    });
  }
}

interface Change {
  /** Columns to set. */
  set: Record<string, unknown>;
  audit: Record<string, [unknown, unknown]>;
  /** Fields that were left because a person edited them. */
  kept: string[];
}

function changeOf(tx: BatchTx, item: Item, contacts: object[]): Change {
  const { draft, existing } = item;
  const wanted: Record<string, unknown> = { ...draft.root };
  if (!existing!.locked) {
    Object.assign(wanted, {
      load_at: draft.loadAt.toISOString(),
      account_id: item.accountId,
      foreman_ids: item.foremanIds,
      collaborator_ids: item.collaboratorIds,
      salesperson_ids: item.salespersonIds,
      vendor_id: item.vendorId,
    });
    if (draft.service) wanted.service_id = item.serviceId;
    if (draft.material) wanted.material_id = item.materialId;
    if (draft.equipmentType) wanted.equipment_type_id = item.equipmentTypeId;
    if (draft.dispatchNumber) wanted.dispatch_number_id = item.dispatchNumberId;
    for (const [kind, id] of Object.entries(contactRows(tx, draft, contacts))) wanted[`${kind}_contact_id`] = id;
  }
  const change: Change = { set: {}, audit: {}, kept: [] };
  for (const [column, after] of Object.entries(wanted)) {
    if (existing!.locked && !NOTES.has(column)) continue;
    const before = existing!.columns[column] ?? null;
    if (isSame(column, before, after)) continue;
    if (existing!.edited.has(column)) {
      change.kept.push(column);
      draft.warnings.push({ code: 'user_edit_kept', pointer: `/${column}`, given: after, used: shownValue(column, before) });
      continue;
    }
    change.set[column] = after;
    change.audit[column] = [shownValue(column, before), after];
  }
  if (
    existing!.locked &&
    Object.keys(wanted).some((column) => !NOTES.has(column) && !isSame(column, existing!.columns[column] ?? null, wanted[column]))
  ) {
    draft.warnings.push({ code: 'order_locked', pointer: '' });
  }
  return change;
}

/** A repeated payload adds and takes away no trucks: dispatch may have changed them meanwhile (docs/decisions.md). */
function noteTrucks(items: Item[]): void {
  for (const { draft, existing } of items) {
    if (draft.truckCount === undefined || draft.truckCount === existing!.truckCount) continue;
    draft.warnings.push({ code: 'truck_count_kept', pointer: '/truck_count', given: draft.truckCount, used: existing!.truckCount });
  }
}
