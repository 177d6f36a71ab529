import type { Account } from '../../directory/accounts/account.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import type { User } from '../../directory/people/user.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { dayBounds, localDate } from '../../platform/time.ts';
import { zoneOf } from '../model/company-day.ts';
import type { Order } from '../model/order.entity.ts';
import { lacking, type Sent } from './compliance-gate.ts';
import { trucksOn } from './subcontract.ts';
import { startsOf } from './truck-starts.ts';
import { guardTrucks } from './vendor-trucks.ts';

/**
 * What speaks against trucks that an order brings to its driver or vendor at once: the same as against assigning each of them (DOMAIN 1.2
 * `assign`). Papers must hold until the last of them starts; a vendor must have enough trucks on every day.
 * @param first place of the first new truck in the order, from 1
 * @param given places among the new trucks, from 0, of those that go to somebody else
 * @param papersHold nobody is asked for papers
 * @param field of the request that is told, instead of the one that names the driver or vendor
 */
export async function validateAssignee(
  tx: TxContext,
  order: Order,
  {
    first,
    count,
    given,
    hasValidDocuments = false,
  }: { first: number; count: number; given?: ReadonlySet<number>; hasValidDocuments?: boolean },
  items: ErrorItem[],
  field?: string,
): Promise<void> {
  const driver = (await order.driver?.load()) ?? null;
  const vendor = driver ? null : ((await order.vendor?.load()) ?? null);
  if ((!driver && !vendor) || count < 1) return;
  const company = order.company.id;
  const starts = startsOf(order, first, count).filter((_, place) => !given?.has(place));
  if (starts.length === 0) return;
  const sent = driver ? await crewOf(tx, driver, order, field) : [{ as: 'vendor' as const, record: vendor!, field: field ?? 'vendorId' }];
  const met: ErrorItem[] = [];
  await lacking(tx, { jobStartAt: starts.at(-1)! }, company, sent, met, hasValidDocuments);
  if (vendor && vendor.truckCount > 0) await collectFullDays(tx, vendor, company, starts, field ?? 'vendorId', met);
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

async function collectFullDays(
  tx: TxContext,
  vendor: Account,
  companyId: string,
  starts: readonly Date[],
  field: string,
  items: ErrorItem[],
): Promise<void> {
  const zone = await zoneOf(tx, companyId);
  const days = [...Map.groupBy(starts, (start) => localDate(start, zone))];
  const bounds = days.map(([date]) => dayBounds(date, zone));
  const hired = await trucksOn(tx, vendor, bounds);
  const full: ErrorItem = { model: 'Order', field, key: 'vendor_full', params: { count: vendor.truckCount } };
  if (days.some(([, more], i) => hired[i]! + more.length > vendor.truckCount)) items.push(full);
  else guardTrucks(tx, vendor, bounds, full);
}
