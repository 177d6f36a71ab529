import { Account } from '../directory/account.entity.ts';
import { EquipmentType } from '../directory/equipment-type.entity.ts';
import { User } from '../directory/user.entity.ts';
import type { TxContext } from '../platform/commands/transact.ts';
import { queryIn } from '../platform/database/sql.ts';
import { decimalText } from '../platform/decimal.ts';
import type { Order } from './order.entity.ts';
import { HAULING, NOT_STARTED, type OrderJobFacts } from './order.machine.ts';
import { Phase } from './phase.entity.ts';
import type { OrderFacts } from './plan-jobs.ts';

const text = (value: Parameters<typeof decimalText>[0] | null | undefined): string | null =>
  value === null || value === undefined ? null : decimalText(value);

/** An order as planning wants to know it. The order must be flushed. */
export async function factsForPlan(tx: TxContext, order: Order): Promise<OrderFacts> {
  const [equipmentType, driver, vendor, phase] = [
    order.equipmentType ? await tx.em.findOne(EquipmentType, order.equipmentType.id) : null,
    order.driver ? await tx.em.findOne(User, order.driver.id) : null,
    order.vendor && !order.driver ? await tx.em.findOne(Account, order.vendor.id) : null,
    await tx.em.findOne(Phase, { orderId: order.id, primary: true }),
  ];
  return {
    id: order.id,
    companyId: order.company.id,
    orderId: order.orderId,
    routeId: order.routeId,
    projectId: order.project?.id,
    loadAt: order.loadAt!,
    jobStartAt: order.jobStartAt,
    truckDelay: order.truckDelay,
    trucksPerDelay: order.trucksPerDelay,
    loadsPerTruck: order.loadsPerTruck,
    jobQuantity: text(order.jobQuantity),
    jobUnitOfMeasure: order.jobUnitOfMeasure,
    loadUnitOfMeasure: order.loadUnitOfMeasure,
    unitOfMeasure: order.unitOfMeasure,
    jobNotes: order.jobNotes,
    serviceId: order.service?.id,
    serviceClassId: order.serviceClass?.id,
    materialId: order.material?.id,
    equipmentId: order.equipment?.id,
    equipmentTypeName: equipmentType?.name,
    equipmentTypeGrossCapacity: text(order.equipmentTypeGrossCapacity ?? equipmentType?.grossCapacity),
    equipmentTypeGrossCapacityUnitOfMeasure: order.equipmentTypeGrossCapacityUnitOfMeasure ?? equipmentType?.grossCapacityUnitOfMeasure,
    recurringLoads: order.recurringLoads,
    jobTime: order.jobTime,
    phaseId: phase?.id,
    foremanIds: order.foremanIds,
    collaboratorIds: order.collaboratorIds,
    salespersonIds: order.salespersonIds,
    contacts: {
      sales: order.salesContact?.id,
      foreman: order.foremanContact?.id,
      supervisor: order.supervisorContact?.id,
      collaborator: order.collaboratorContact?.id,
    },
    rates: {
      hauler_rate_type: order.haulerRateType ?? null,
      customer_rate_id: order.customerRate?.id ?? null,
      customer_rate_value: text(order.customerRateValue),
      customer_rate_type: order.customerRateType ?? null,
      vendor_rate_id: order.vendorRate?.id ?? null,
      vendor_rate_value: text(order.vendorRateValue),
      vendor_rate_type: order.vendorRateType ?? null,
      driver_rate_id: order.driverRate?.id ?? null,
      driver_rate_value: text(order.driverRateValue),
      driver_rate_type: order.driverRateType ?? null,
    },
    material: {
      sellPrice: text(order.materialRateSellPrice),
      buyPrice: text(order.materialRateBuyPrice),
      unitOfMeasure: order.materialRateUnitOfMeasure,
      siteId: order.materialRateSite?.id,
    },
    driver: driver ? { id: driver.id, equipmentId: (driver.equipment ?? driver.defaultEquipment)?.id } : undefined,
    vendor: vendor ? { accountId: vendor.id, companyId: vendor.connectedCompany?.id } : undefined,
  };
}

/** What the order machine's guards ask about jobs and loads; call with the order locked. */
export async function jobFactsOf(tx: TxContext, order: Order): Promise<OrderJobFacts> {
  const [facts] = await queryIn<{ started: boolean; hauling: boolean; approved: boolean; discarded: boolean }>(
    tx.em,
    `select exists (select 1 from job j where j.order_id = $1 and not j.state = any($2)) as started,
            exists (select 1 from job j where j.order_id = $1 and j.state = any($3)) as hauling,
            exists (select 1 from load l where l.order_id = $1 and l.billing_approved_at is not null) as approved,
            exists (select 1 from account a where a.id = $4 and a.discarded_at is not null) as discarded`,
    [order.id, NOT_STARTED, HAULING, order.account.id],
  );
  return {
    jobsStarted: facts!.started,
    jobsHauling: facts!.hauling,
    loadsBillingApproved: facts!.approved,
    accountDiscarded: facts!.discarded,
  };
}
