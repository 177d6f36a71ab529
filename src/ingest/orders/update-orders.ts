import { followOrders } from '../../dispatch/follow-orders.ts';
import { decimalText } from '../../platform/decimal.ts';
import { newId } from '../../platform/ids.ts';
import type { BatchTx, Outcome } from '../importer.ts';
import { cancelOrders } from './cancel-orders.ts';
import { contactRows, type Item } from './import-order.ts';
import { insert, type Matches } from './match.ts';

/** Notes are all that changes on a locked order (DOMAIN section 5). */
const NOTES = new Set(['notes', 'internal_notes', 'job_notes', 'order_notes']);
const TYPES: Record<string, string> = {
  ...Object.fromEntries(
    [
      'quantity',
      'job_quantity',
      'customer_rate_value',
      'vendor_rate_value',
      'driver_rate_value',
      'equipment_type_gross_capacity',
      'pickup_to_dropoff_distance_meters',
      'material_rate_sell_price',
      'material_rate_buy_price',
      'tax_rate',
    ].map((column) => [column, 'numeric']),
  ),
  ...Object.fromEntries(
    [
      'units_per_hour',
      'job_time',
      'loads_per_truck',
      'truck_delay',
      'trucks_per_delay',
      'pickup_onsite_minutes',
      'dropoff_onsite_minutes',
      'pickup_to_dropoff_time_minutes',
      'expected_total_loads',
      'cycle_time_minutes',
      'geofence_delay_seconds',
      'truck_count',
    ].map((column) => [column, 'int']),
  ),
  ...Object.fromEntries(
    [
      'recurring_loads',
      'material_rate_itemized',
      'chase_missing_tickets',
      'default_digital_ticket_view',
      'tax_freight',
      'tax_material',
      'tax_add_ons',
    ].map((column) => [column, 'boolean']),
  ),
  ...Object.fromEntries(
    [
      'account_id',
      'service_id',
      'material_id',
      'equipment_type_id',
      'vendor_id',
      'dispatch_number_id',
      'sales_contact_id',
      'foreman_contact_id',
      'supervisor_contact_id',
      'collaborator_contact_id',
    ].map((column) => [column, 'uuid']),
  ),
  load_at: 'timestamptz',
  job_start_at: 'timestamptz',
};
const LISTS = ['foreman_ids', 'collaborator_ids', 'salesperson_ids'];

/**
 * Updates matched orders (SPEC): root fields given change, absent ones stay; foremen, vendors, collaborators and salespeople are
 * replaced even when omitted; sites are upserted by waypoint type; what a person edited stays.
 */
export async function updateOrders(tx: BatchTx, items: Item[], matches: Matches, outcomes: Map<string, Outcome>): Promise<void> {
  if (items.length === 0) return;
  const contacts: object[] = [];
  const changes = items.map((item) => ({ item, change: changeOf(tx, item, contacts) }));
  await insert(tx, 'contact', contacts);
  const canceling = items.filter((item) => item.draft.state === 'canceled' && item.existing!.state !== 'canceled');
  const changed = changes.filter(({ change }) => Object.keys(change.set).length > 0);
  await writeColumns(
    tx,
    changed.map(({ item, change }) => ({ id: item.existing!.id, c: change.set })),
  );
  const sited = await upsertSites(
    tx,
    items.filter((item) => !item.existing!.locked && item.draft.sites.length > 0),
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
    const touched = Object.keys(change.set).length > 0 || sited.has(existing!.id) || canceling.includes(item);
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
      draft.warnings.push({ code: 'user_edit_kept', pointer: `/${column}`, given: after, used: before });
      continue;
    }
    change.set[column] = after;
    change.audit[column] = [before, after];
  }
  if (
    existing!.locked &&
    Object.keys(wanted).some((column) => !NOTES.has(column) && !isSame(column, existing!.columns[column] ?? null, wanted[column]))
  ) {
    draft.warnings.push({ code: 'order_locked', pointer: '' });
  }
  return change;
}

function isSame(column: string, before: string | null, after: unknown): boolean {
  if (before === null || after === null || after === undefined) return (before ?? null) === (after ?? null);
  if (LISTS.includes(column)) return before === JSON.stringify(after).replaceAll(',', ', ') || before === JSON.stringify(after);
  if (TYPES[column] === 'timestamptz') return Date.parse(before) === Date.parse(String(after));
  if (TYPES[column] === 'numeric') return decimalText(before) === decimalText(String(after));
  return before === String(after);
}

/** Sets the given columns of many orders in one statement; a column not given keeps its value. */
async function writeColumns(tx: BatchTx, rows: { id: string; c: Record<string, unknown> }[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row.c)))];
  const value = (column: string) =>
    LISTS.includes(column)
      ? `(select coalesce(array_agg(x::uuid), '{}') from jsonb_array_elements_text(r.c->'${column}') x)`
      : `(r.c->>'${column}')::${TYPES[column] ?? 'text'}`;
  const set = columns.map((column) => `${column} = case when r.c ? '${column}' then ${value(column)} else o.${column} end`).join(', ');
  await tx.query(
    `update orders o set ${set}, updated_at = $2, version = o.version + 1 from jsonb_to_recordset($1::jsonb) r(id uuid, c jsonb) where o.id = r.id`,
    [JSON.stringify(rows), tx.now],
  );
}

/** SPEC: sites are matched by waypoint type and the waypoint's id is preserved. @returns orders whose sites changed */
async function upsertSites(tx: BatchTx, items: Item[], matches: Matches): Promise<Set<string>> {
  if (items.length === 0) return new Set();
  const known = await tx.query<{ id: string; route_id: string; type: string; site_id: string; ordinality: number }>(
    'select id, route_id, type, site_id, ordinality from waypoint where route_id = any($1::uuid[]) order by ordinality',
    [items.map((item) => item.existing!.routeId)],
  );
  const moved: { id: string; site_id: string }[] = [];
  const added: object[] = [];
  const touched = new Set<string>();
  for (const { draft, existing } of items) {
    const own = known.filter((waypoint) => waypoint.route_id === existing!.routeId);
    let next = Math.max(-1, ...own.map((waypoint) => waypoint.ordinality)) + 1;
    for (const site of draft.sites) {
      const siteId = matches.site(site)!;
      const waypoint = own.find((one) => one.type === site.waypoint);
      if (waypoint?.site_id === siteId) continue;
      touched.add(existing!.id);
      if (waypoint) moved.push({ id: waypoint.id, site_id: siteId });
      else
        added.push({
          id: newId(),
          company_id: tx.company.id,
          route_id: existing!.routeId,
          type: site.waypoint,
          ordinality: next++,
          site_id: siteId,
          created_at: tx.now,
          updated_at: tx.now,
        });
    }
  }
  if (moved.length > 0) {
    await tx.query(
      'update waypoint w set site_id = r.site_id, updated_at = $2 from jsonb_to_recordset($1::jsonb) r(id uuid, site_id uuid) where w.id = r.id',
      [JSON.stringify(moved), tx.now],
    );
  }
  await insert(tx, 'waypoint', added);
  return touched;
}

/** A repeated payload adds and takes away no trucks: dispatch may have changed them meanwhile (docs/decisions.md). */
function noteTrucks(items: Item[]): void {
  for (const { draft, existing } of items) {
    if (draft.truckCount === undefined || draft.truckCount === existing!.truckCount) continue;
    draft.warnings.push({ code: 'truck_count_kept', pointer: '/truck_count', given: draft.truckCount, used: existing!.truckCount });
  }
}
