import type { Account } from '../../directory/accounts/account.entity.ts';
import { nameOfCompliant } from '../../directory/compliance/checks.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { zoneOf } from '../model/company-day.ts';
import type { Order } from '../model/order.entity.ts';
import { lacking, type Sent } from './compliance-gate.ts';
import { startsOf } from './truck-starts.ts';
import { objectionsTo } from './vendor-gate.ts';
import { guardTrucks } from './vendor-trucks.ts';

/**
 * Collects what forbids assigning an order's new trucks to its driver or vendor. The rules are those of a single assignment (DOMAIN 1.2
 * `assign`). Compliance documents must be valid until the last truck starts, and a vendor must have enough trucks on every day.
 * @param first place of the first new truck in the order, from 1
 * @param given places among the new trucks, from 0, of those that go to somebody else
 * @param ignoreDocuments skips the check of compliance documents
 * @param later the order is there already: its driver or vendor who has left since gets no truck, and nothing is forbidden
 * @param field of the request that gets the errors, instead of the one that names the driver or vendor
 */
export async function validateAssignee(
  tx: TxContext,
  order: Order,
  {
    first,
    count,
    given,
    ignoreDocuments = false,
    later = false,
  }: { first: number; count: number; given?: ReadonlySet<number>; ignoreDocuments?: boolean; later?: boolean },
  items: ErrorItem[],
  field?: string,
): Promise<void> {
  const driver = (await order.driver?.load()) ?? null;
  const vendor = driver ? null : ((await order.vendor?.load()) ?? null);
  const assignee = driver ?? vendor;
  if (!assignee || (later && assignee.discardedAt) || count < 1) return;
  const company = order.company.id;
  const starts = startsOf(order, first, count).filter((_, place) => !given?.has(place));
  if (starts.length === 0) return;
  const met: ErrorItem[] = [];
  if (driver) await lacking(tx, { jobStartAt: starts.at(-1)! }, company, await crewOf(tx, driver, order, field), met, ignoreDocuments);
  else await collectObjections(tx, vendor!, { companyId: company, starts, field: field ?? 'vendorId', ignoreDocuments }, met);
  items.push(...met.map((item) => ({ ...item, model: 'Order' })));
}

async function crewOf(tx: TxContext, driver: User, order: Order, field = 'driverId'): Promise<Sent[]> {
  const truck = driver.equipment ?? driver.defaultEquipment ?? order.equipment;
  const record = truck && (await tx.em.findOne(Equipment, { id: truck.id }, { filters: { tenant: false } }));
  return [
    { as: driver.company.id === order.company.id ? 'internal_driver' : 'shared_driver', record: driver, field },
    ...(record ? [{ as: 'equipment' as const, record, field }] : []),
  ];
}

/** Asks vendor-gate.ts, as imports do, and counts the trucks once more before the commit, when no other transaction can take one. */
async function collectObjections(
  tx: TxContext,
  vendor: Account,
  { companyId, starts, field, ignoreDocuments }: { companyId: string; starts: readonly Date[]; field: string; ignoreDocuments: boolean },
  items: ErrorItem[],
): Promise<void> {
  const zone = await zoneOf(tx, companyId);
  const hire = { vendorId: vendor.id, until: starts.at(-1)!, starts: vendor.truckCount > 0 ? starts : [], isChosen: true } as const;
  const [objections] = await objectionsTo(setTxOf(tx).query, { companyId, zone, now: tx.tx.now, look: true }, [hire]);
  const full: ErrorItem = { model: 'Order', field, key: 'vendor_full', params: { count: vendor.truckCount } };
  let isFull = false;
  for (const objection of objections!) {
    if (objection.key === 'vendor_full') isFull = true;
    else if ('document' in objection && !ignoreDocuments)
      items.push({ model: 'Order', field, key: objection.key, params: { name: nameOfCompliant(vendor), document: objection.document } });
  }
  if (isFull) items.push(full);
  else if (vendor.truckCount > 0) {
    const dates = new Set(starts.map((start) => localDate(start, zone)));
    guardTrucks(
      tx,
      vendor,
      [...dates].map((date) => dayBounds(date, zone)),
      full,
    );
  }
}
