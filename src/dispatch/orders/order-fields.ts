import { Account } from '../../directory/accounts/account.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { Department, Material, Service, ServiceClass } from '../../directory/master-data/named.entities.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Site } from '../../directory/sites/site.entity.ts';
import { type ReferenceSpec, referencesAhead, resolveReferences } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { applyFields, collectNoSupplier, type FieldTable, type References, resolveFields } from '../fields/field-table.ts';
import { ORDER_FIELDS, requestFieldsOf, type WorkField } from '../fields/work-fields.ts';
import type { Order } from '../model/order.entity.ts';
import { Project } from '../model/project.entity.ts';
import type { OrderFields, UpdateOrderInput } from './order.inputs.ts';

const relations: FieldTable['relations'] = {
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
  materialRateSupplierAccountId: [Account, 'materialRateSupplierAccount'],
};

// Every field of the table is one of the input, too.
ORDER_FIELDS satisfies Partial<Record<keyof UpdateOrderInput, WorkField>>;

const ORDER: FieldTable = { ...requestFieldsOf(ORDER_FIELDS), relations };

const SHARED = { sites: [Site, 'waypoints.*.siteId'], driver: [User, 'driverId'] } as const;

/**
 * Resolves everything that an order's input refers to, among the records that the order's company sees. Unknown ids become errors of their
 * fields.
 */
export async function resolveOrderReferences(
  tx: TxContext,
  input: OrderFields & { driverId?: string | null },
  companyId: string,
  to: ErrorCollector,
): Promise<References> {
  // Sites and drivers that other companies share are allowed, too.
  const options = { model: to.model, companyId, items: to.items, shared: true };
  const more: Record<string, ReferenceSpec> = { account: [Account, 'accountId'] };
  // SPEC: with a driver, the vendor is ignored, whatever it is.
  if (input.driverId == null) more.vendor = [Account, 'vendorId'];
  const own = await resolveFields(tx, input, ORDER, companyId, to, { more, behind: referencesAhead(tx, input, SHARED, options) });
  return { ...own, ...(await resolveReferences(tx, input, SHARED, options)) };
}

/** Copies the input onto the order; absent fields keep their values. */
export function applyOrderFields(order: Order, input: OrderFields, referred: References, to: ErrorCollector): void {
  const project = referred.projectId as Project | null | undefined;
  const customer = order.account ?? project?.account ?? (referred.account as Account | undefined);
  const driver = order.driver ?? (referred.driver as User | undefined);
  // SPEC: with a driver, the vendor is ignored.
  const vendor = driver ? undefined : (order.vendor ?? (referred.vendor as Account | undefined));
  applyFields(order, input, ORDER, referred, to, { customer, vendor, driver });
  collectNoSupplier(referred.materialRateSupplierAccountId as Account | null | undefined, 'materialRateSupplierAccountId', to);
}
