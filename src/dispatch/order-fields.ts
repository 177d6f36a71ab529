import { ref } from '@mikro-orm/core';
import { Account } from '../directory/account.entity.ts';
import type { Telling } from '../directory/contacts.ts';
import { Equipment } from '../directory/equipment.entity.ts';
import { EquipmentType } from '../directory/equipment-type.entity.ts';
import { Department, Material, Service, ServiceClass } from '../directory/named.entities.ts';
import { Rate } from '../directory/rate.entity.ts';
import { Site } from '../directory/site.entity.ts';
import { User } from '../directory/user.entity.ts';
import { referMany, type Wish } from '../platform/authz/fences.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import './dispatch.messages.ts';
import type { Order } from './order.entity.ts';
import type { OrderFields } from './order.inputs.ts';
import { Project } from './project.entity.ts';

/** Fields that go from the input to the order as they are. */
const PLAIN = [
  'notes',
  'orderNotes',
  'internalNotes',
  'jobNotes',
  'name',
  'poJobNumber',
  'zone',
  'externalId',
  'chargeToAccount',
  'quantity',
  'jobQuantity',
  'unitsPerHour',
  'jobTime',
  'loadsPerTruck',
  'loadUnitOfMeasure',
  'jobUnitOfMeasure',
  'materialRateUnitOfMeasure',
  'equipmentTypeGrossCapacityUnitOfMeasure',
  'haulerRateType',
  'customerRateType',
  'vendorRateType',
  'driverRateType',
  'customerRateValue',
  'vendorRateValue',
  'driverRateValue',
  'jobStartAt',
  'requestedQuantityType',
  'equipmentTypeGrossCapacity',
  'pickupOnsiteMinutes',
  'dropoffOnsiteMinutes',
  'pickupToDropoffTimeMinutes',
  'pickupToDropoffDistanceMeters',
  'expectedTotalLoads',
  'cycleTimeMinutes',
  'geofenceDelaySeconds',
  'materialRateSellPrice',
  'materialRateBuyPrice',
  'taxRate',
] as const;

/** Fields that cannot be null: null puts them back to their default. */
const DEFAULTED = {
  unitOfMeasure: 'Load',
  trucksPerDelay: 1,
  recurringLoads: false,
  materialRateItemized: false,
  chaseMissingTickets: false,
  defaultDigitalTicketView: false,
  taxFreight: false,
  taxMaterial: false,
  taxAddOns: false,
} as const;

/** Relations by the id fields that set them. */
const RELATIONS = {
  serviceId: [Service, 'service'],
  serviceClassId: [ServiceClass, 'serviceClass'],
  departmentId: [Department, 'department'],
  equipmentId: [Equipment, 'equipment'],
  equipmentTypeId: [EquipmentType, 'equipmentType'],
  materialId: [Material, 'material'],
  projectId: [Project, 'project'],
  requesterId: [User, 'requester'],
  customerRateId: [Rate, 'customerRate'],
  vendorRateId: [Rate, 'vendorRate'],
  driverRateId: [Rate, 'driverRate'],
  materialRateSiteId: [Site, 'materialRateSite'],
} as const;

const PEOPLE = ['foremanIds', 'collaboratorIds', 'salespersonIds'] as const;

type Referred = Record<string, unknown>;
type Discardable = { id: string; discardedAt?: Date | null; state?: string };

/** Everything an order's input refers to, through the fence of the order's company; unknown ids are told on their fields. */
export async function referOrder(tx: TxContext, input: OrderFields & object, companyId: string, to: Telling): Promise<Referred> {
  const wishes: Record<string, Wish> = {
    account: [Account, 'accountId'],
    driver: [User, 'driverId'],
    vendor: [Account, 'vendorId'],
  };
  for (const [field, [entity]] of Object.entries(RELATIONS)) wishes[field] = [entity, field] as unknown as Wish;
  for (const field of PEOPLE) wishes[field] = [User, field];
  const options = { model: to.model, companyId, items: to.items };
  const own = await referMany(tx, input, wishes, options);
  // Trucks go also to places that other companies share.
  const places = await referMany(tx, input, { sites: [Site, 'waypoints.*.siteId'] }, { ...options, shared: true });
  return { ...own, ...places };
}

/** Copies what the input gives onto the order; absent fields stay as they are. */
export function applyOrderFields(order: Order, input: OrderFields, referred: Referred, to: Telling): void {
  const given = input as Record<string, unknown>;
  const target = order as unknown as Record<string, unknown>;
  for (const field of PLAIN) if (given[field] !== undefined) target[field] = given[field];
  for (const [field, fallback] of Object.entries(DEFAULTED)) if (given[field] !== undefined) target[field] = given[field] ?? fallback;
  for (const [field, [, relation]] of Object.entries(RELATIONS)) {
    if (given[field] === undefined) continue;
    const record = referred[field] as Discardable | null | undefined;
    const before = (target[relation] as { id: string } | null | undefined)?.id;
    if (record && record.id !== before) tellUnusable(record, field, to);
    if (record !== undefined) target[relation] = record ? ref(record) : null;
  }
  for (const field of PEOPLE) {
    const people = referred[field] as ({ id: string } | undefined)[] | null | undefined;
    if (given[field] !== undefined) target[field] = (people ?? []).flatMap((person) => (person ? [person.id] : []));
  }
  if (input.taxRate && input.taxRate.decimalPlaces() > 4) to.items.push({ model: to.model, field: 'taxRate', key: 'four_decimals' });
}

/** Discarded and inactive records take no new work (DOMAIN 1.9). */
export function tellUnusable(record: Discardable, field: string, to: Telling): void {
  if (record.discardedAt) to.items.push({ model: to.model, field, key: 'is_discarded' });
  else if (record.state === 'inactive') to.items.push({ model: to.model, field, key: 'is_inactive' });
}
