import type { Job } from '../model/job.entity.ts';
import type { Order } from '../model/order.entity.ts';
import type { Project } from '../model/project.entity.ts';

// Apart from types this file imports nothing, because `haulgate-send` uses it, too, to read sheets on senders' machines.

/** The type of a field decides the form of its values in a request, in a payload, in the cell of a sheet and in its column. */
export type FieldKind = 'text' | 'decimal' | 'whole' | 'flag' | 'unit' | 'rateType' | 'quantityType' | 'instant';

/** A field of an order or a project that holds a value, not a reference. */
export interface WorkField {
  kind: FieldKind;
  /** The value of a new record if none is sent. In a request, null sets it back to this value. */
  initial?: string | number | boolean;
  /** The same for an import, where SPEC differs. */
  initialOnImport?: string;
  /** Set if rules of this field alone decide how commands set it or how payloads are read. */
  apart?: 'in requests' | 'in payloads' | 'in both';
  /** The field of the project from which a new order takes its value if the field is absent; null counts as a value. */
  fromProject?: keyof Project & string;
  /** The field of its jobs that follows this one until they have left. */
  job?: keyof Job & string;
}

/**
 * The fields of an order that hold values. They decide what creating and changing set, what a project passes on, what jobs follow, how
 * payloads and cells of sheets are read, and what a new order has by default. References to other records are in order-fields.ts. Problems
 * of a payload are reported in this order within each kind.
 */
export const ORDER_FIELDS = {
  externalId: { kind: 'text', apart: 'in payloads' },
  name: { kind: 'text' },
  // A project's own notes stay with the project; `orderNotes` are meant for its orders.
  notes: { kind: 'text', fromProject: 'orderNotes' },
  internalNotes: { kind: 'text' },
  jobNotes: { kind: 'text', fromProject: 'jobNotes', job: 'notes' },
  orderNotes: { kind: 'text' },
  poJobNumber: { kind: 'text', fromProject: 'poJobNumber' },
  zone: { kind: 'text' },
  chargeToAccount: { kind: 'text', fromProject: 'chargeToAccount' },
  quantity: { kind: 'decimal', fromProject: 'orderQuantity' },
  jobQuantity: { kind: 'decimal', fromProject: 'jobQuantity', job: 'quantity' },
  // Rates stay with the project, where they are shown.
  customerRateValue: { kind: 'decimal', job: 'customerRateValue' },
  vendorRateValue: { kind: 'decimal', job: 'vendorRateValue' },
  driverRateValue: { kind: 'decimal', job: 'driverRateValue' },
  equipmentTypeGrossCapacity: { kind: 'decimal', fromProject: 'equipmentTypeGrossCapacity' },
  pickupToDropoffDistanceMeters: { kind: 'decimal' },
  materialRateSellPrice: { kind: 'decimal' },
  materialRateBuyPrice: { kind: 'decimal' },
  taxRate: { kind: 'decimal', fromProject: 'taxRate' },
  unitsPerHour: { kind: 'whole', fromProject: 'unitsPerHour' },
  jobTime: { kind: 'whole', fromProject: 'jobTime', job: 'jobTime' },
  loadsPerTruck: { kind: 'whole', fromProject: 'loadsPerTruck' },
  truckDelay: { kind: 'whole', initial: 0, apart: 'in requests' },
  trucksPerDelay: { kind: 'whole', initial: 1 },
  pickupOnsiteMinutes: { kind: 'whole' },
  dropoffOnsiteMinutes: { kind: 'whole' },
  pickupToDropoffTimeMinutes: { kind: 'whole' },
  expectedTotalLoads: { kind: 'whole' },
  cycleTimeMinutes: { kind: 'whole' },
  geofenceDelaySeconds: { kind: 'whole' },
  recurringLoads: { kind: 'flag', initial: false, fromProject: 'recurringLoads', job: 'recurringLoads' },
  materialRateItemized: { kind: 'flag', initial: false },
  chaseMissingTickets: { kind: 'flag', initial: false, fromProject: 'chaseMissingTickets' },
  defaultDigitalTicketView: { kind: 'flag', initial: false, fromProject: 'defaultDigitalTicketView' },
  taxFreight: { kind: 'flag', initial: false, fromProject: 'taxFreight' },
  taxMaterial: { kind: 'flag', initial: false, fromProject: 'taxMaterial' },
  taxAddOns: { kind: 'flag', initial: false, fromProject: 'taxAddOns' },
  // SPEC UnitOfMeasure: "default `Load` on Orders; `Ton` on import".
  unitOfMeasure: { kind: 'unit', initial: 'Load', initialOnImport: 'Ton', fromProject: 'orderUnitOfMeasure' },
  loadUnitOfMeasure: { kind: 'unit', fromProject: 'loadUnitOfMeasure' },
  jobUnitOfMeasure: { kind: 'unit', fromProject: 'jobUnitOfMeasure', job: 'unitOfMeasure' },
  materialRateUnitOfMeasure: { kind: 'unit' },
  equipmentTypeGrossCapacityUnitOfMeasure: { kind: 'unit', fromProject: 'equipmentTypeGrossCapacityUnitOfMeasure' },
  haulerRateType: { kind: 'rateType', fromProject: 'haulerRateType', job: 'haulerRateType' },
  customerRateType: { kind: 'rateType', job: 'customerRateType' },
  vendorRateType: { kind: 'rateType', job: 'vendorRateType' },
  driverRateType: { kind: 'rateType', job: 'driverRateType' },
  requestedQuantityType: { kind: 'quantityType' },
  jobStartAt: { kind: 'instant', apart: 'in payloads' },
} as const satisfies Partial<Record<keyof Order, WorkField>>;

/** The same for a project. */
export const PROJECT_FIELDS = {
  externalId: { kind: 'text', apart: 'in both' },
  name: { kind: 'text', apart: 'in both' },
  notes: { kind: 'text' },
  orderNotes: { kind: 'text' },
  jobNotes: { kind: 'text' },
  internalNotes: { kind: 'text' },
  poJobNumber: { kind: 'text' },
  chargeToAccount: { kind: 'text' },
  orderQuantity: { kind: 'decimal' },
  jobQuantity: { kind: 'decimal' },
  equipmentTypeGrossCapacity: { kind: 'decimal' },
  taxRate: { kind: 'decimal' },
  customerRateValue: { kind: 'decimal' },
  vendorRateValue: { kind: 'decimal' },
  driverRateValue: { kind: 'decimal' },
  unitsPerHour: { kind: 'whole' },
  jobTime: { kind: 'whole' },
  loadsPerTruck: { kind: 'whole' },
  truckCount: { kind: 'whole' },
  recurringLoads: { kind: 'flag', initial: false },
  chaseMissingTickets: { kind: 'flag', initial: false },
  defaultDigitalTicketView: { kind: 'flag', initial: false },
  taxFreight: { kind: 'flag', initial: false },
  taxMaterial: { kind: 'flag', initial: false },
  taxAddOns: { kind: 'flag', initial: false },
  orderUnitOfMeasure: { kind: 'unit' },
  jobUnitOfMeasure: { kind: 'unit' },
  loadUnitOfMeasure: { kind: 'unit' },
  equipmentTypeGrossCapacityUnitOfMeasure: { kind: 'unit' },
  haulerRateType: { kind: 'rateType' },
  customerRateType: { kind: 'rateType' },
  vendorRateType: { kind: 'rateType' },
  driverRateType: { kind: 'rateType' },
  effectiveAt: { kind: 'instant', apart: 'in payloads' },
  expiresAt: { kind: 'instant', apart: 'in payloads' },
} as const satisfies Partial<Record<keyof Project, WorkField>>;

export type WorkFields = Readonly<Record<string, WorkField>>;

/** Returns the column of a field, which is also its name in payloads. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the fields that requests set without special rules: those that null clears, and those that null sets back to the default. */
export function requestFieldsOf(fields: WorkFields): { plain: string[]; defaulted: Record<string, unknown> } {
  const all = Object.entries(fields).filter(([, { apart }]) => apart !== 'in requests' && apart !== 'in both');
  return {
    plain: all.flatMap(([name, { initial }]) => (initial === undefined ? name : [])),
    defaulted: Object.fromEntries(all.flatMap(([name, { initial }]) => (initial === undefined ? [] : [[name, initial]]))),
  };
}

/** Returns the columns of the fields that payloads set without special rules, with their kinds. */
export const payloadColumnsOf = (fields: WorkFields): [column: string, kind: FieldKind][] =>
  Object.entries(fields).flatMap(([name, { kind, apart }]): [string, FieldKind][] =>
    apart === 'in payloads' || apart === 'in both' ? [] : [[columnOf(name), kind]],
  );

/** Returns the default values of a new record in an import, by column. */
export const importedDefaultsOf = (fields: WorkFields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { initial, initialOnImport }]) =>
      initial === undefined ? [] : [[columnOf(name), initialOnImport ?? initial]],
    ),
  );
