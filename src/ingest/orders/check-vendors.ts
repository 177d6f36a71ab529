import { startsOf } from '../../dispatch/assignment/truck-starts.ts';
import { type Hire, type Objection, objectionsTo } from '../../dispatch/assignment/vendor-gate.ts';
import { TO_ASSIGN } from '../apply/create-permissions.ts';
import type { BatchTx, Warning } from '../importer.ts';
import type { Matches } from '../nested/nested.ts';
import type { OrderDraft } from '../payload/order-draft.ts';
import type { ExistingOrder } from './existing-orders.ts';
import type { Item } from './order-item.ts';

/** Returns the vendor of a draft, which is the first one. A discarded vendor cannot be assigned, but stays where it is. */
export function vendorOf(
  { vendors, warnings }: OrderDraft,
  existing: ExistingOrder | undefined,
  { vendor, discarded }: Matches,
): string | null {
  const [first] = vendors;
  const stays = first && discarded.get(first)?.find((id) => id === existing?.columns.vendor_id);
  for (const one of vendors) {
    if (!discarded.has(one) || (stays && one === first)) continue;
    warnings.push({ code: 'vendor_discarded', pointer: one.pointer, given: one.name ?? one.externalId });
  }
  return stays ?? (first && vendor(first)) ?? null;
}

/**
 * Returns who sells the material of a draft; null if it names nobody, or somebody who is no vendor any more or never was one: the order then keeps
 * whom it has.
 */
export function supplierOf(
  { supplier, warnings }: OrderDraft,
  existing: ExistingOrder | undefined,
  { vendor, isVendor, discarded }: Matches,
): string | null {
  if (!supplier) return null;
  const given = supplier.name ?? supplier.externalId;
  const gone = discarded.get(supplier);
  if (gone && !gone.some((id) => id === existing?.columns.material_rate_supplier_account_id))
    warnings.push({ code: 'supplier_discarded', pointer: supplier.pointer, given });
  const id = vendor(supplier);
  if (!id || isVendor(id)) return id ?? null;
  warnings.push({ code: 'supplier_not_a_vendor', pointer: supplier.pointer, given });
  return null;
}

/**
 * Removes vendors that may not be assigned, with a warning. The conditions are those of an assignment by a person, checked in one statement
 * for the whole batch, and in none if no vendor is named. The order itself never fails because of them: it has to be hauled, and dispatch
 * can assign somebody else.
 */
export async function checkVendors(tx: BatchTx, items: readonly Item[]): Promise<void> {
  for (const item of items) if (item.record.lacking?.includes(TO_ASSIGN)) leaveVendor(item);
  const hiring = items.filter(isHired);
  const objections = await objectionsTo(
    (sql, parameters) => tx.query(sql, parameters),
    { companyId: tx.company.id, zone: tx.company.timeZone, now: tx.now, look: tx.dry },
    hiring.map(hireOf),
  );
  for (const [i, item] of hiring.entries()) {
    const against = objections[i]!;
    if (against.length === 0) continue;
    item.vendorId = null;
    const { pointer, name, externalId } = item.draft.vendors[0]!;
    item.draft.warnings.push(...warningsOf(against, pointer, name ?? externalId));
  }
}

/** For a sender who may not assign, the order keeps its vendor, or has none. */
function leaveVendor(item: Item): void {
  const { draft, existing, vendorId } = item;
  const kept = (existing?.columns.vendor_id as string | null | undefined) ?? null;
  if (vendorId === kept) return;
  item.vendorId = kept;
  const [first] = draft.vendors;
  draft.warnings.push({ code: 'may_not_assign', pointer: first?.pointer ?? '/vendors', given: first?.name ?? first?.externalId ?? null });
}

/** Returns whether an open order gets a new vendor. A vendor that stays is not checked. */
function isHired({ draft, existing, vendorId }: Item): boolean {
  if (vendorId === null || draft.state === 'canceled') return false;
  if (!existing) return true;
  const stays = existing.columns.vendor_id === vendorId || existing.edited.has('vendor_id') || existing.locked;
  return !stays && existing.state !== 'canceled';
}

function hireOf({ draft, existing, vendorId }: Item): Hire {
  const column = (name: string) => (draft.root[name] === undefined ? existing?.columns[name] : draft.root[name]) ?? null;
  const jobStartAt = column('job_start_at');
  const departures = {
    loadAt: draft.loadAt,
    jobStartAt: jobStartAt === null ? null : new Date(String(jobStartAt)),
    truckDelay: Number(column('truck_delay') ?? 0),
    trucksPerDelay: Number(column('trucks_per_delay') ?? 1),
  };
  const starts = startsOf(departures, 1, Math.max(1, existing?.truckCount ?? draft.truckCount ?? 1));
  // The jobs of an existing order stay with those to whom dispatch assigned them. Trucks that are added later are checked then.
  return { vendorId: vendorId!, until: starts.at(-1)!, starts: existing ? [] : starts };
}

/** Returns one warning for each kind of objection: it lists all missing documents, or all expired ones. */
function warningsOf(objections: readonly Objection[], pointer: string, vendor: string | undefined): Warning[] {
  return [...Map.groupBy(objections, ({ key }) => key).values()].map((alike): Warning => {
    const [objection] = alike as [Objection, ...Objection[]];
    if (objection.key === 'not_a_vendor') return { code: 'not_a_vendor', pointer, given: vendor };
    if (objection.key === 'vendor_full') {
      const { date, wanted, left } = objection;
      return { code: 'vendor_full', pointer, given: { vendor, date, trucks: wanted }, used: { trucks: left } };
    }
    const code = objection.key === 'compliance_missing' ? 'vendor_papers_missing' : 'vendor_papers_expired';
    const documents = alike.flatMap((one) => ('document' in one ? one.document : []));
    return { code, pointer, given: { vendor, documents } };
  });
}
