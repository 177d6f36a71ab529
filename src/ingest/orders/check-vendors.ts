import { startsOf } from '../../dispatch/assignment/truck-starts.ts';
import { type Hire, type Objection, objectionsTo } from '../../dispatch/assignment/vendor-gate.ts';
import { TO_ASSIGN } from '../apply/create-permissions.ts';
import type { BatchTx, Warning } from '../importer.ts';
import type { ExistingOrder } from './existing-orders.ts';
import type { Matches } from './nested.ts';
import type { OrderDraft } from './order-draft.ts';
import type { Item } from './order-item.ts';

/** The vendor of a draft: the first. One that was discarded comes to nothing new, and stays where it is. */
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
 * Leaves vendors out that may not be given the work, and tells why. An import asks of a vendor what everybody asks who assigns one, in one
 * statement for the whole batch and none where nobody is named; but it never fails for it: the order is haulage that must be seen
 * to, and is there for dispatch to assign.
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

/** Whose sender may not assign keeps the vendor it has, or none. */
function leaveVendor(item: Item): void {
  const { draft, existing, vendorId } = item;
  const kept = (existing?.columns.vendor_id as string | null | undefined) ?? null;
  if (vendorId === kept) return;
  item.vendorId = kept;
  const [first] = draft.vendors;
  draft.warnings.push({ code: 'may_not_assign', pointer: first?.pointer ?? '/vendors', given: first?.name ?? first?.externalId ?? null });
}

/** Somebody new is to come to an order that is worked on: what stays as it is asks nothing. */
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
  // Jobs of an order that is there stay with whom dispatch gave them to; trucks that are added later are asked about then.
  return { vendorId: vendorId!, until: starts.at(-1)!, starts: existing ? [] : starts };
}

/** One warning for each kind of objection: it lists all documents that are missing, or all that have expired. */
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
