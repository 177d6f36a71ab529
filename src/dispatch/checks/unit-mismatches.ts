import { RateOwnerType as Owners, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { queryIn } from '../../platform/database/sql.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import type { Job } from '../model/job.entity.ts';
import type { Order } from '../model/order.entity.ts';
import type { Project } from '../model/project.entity.ts';
import { materialPriceOf } from '../pricing/material-price.ts';
import { type Counted, type CountedPlan, counted, countedRate, type Mismatch, mismatchesOf, wordsOf } from './unit-mismatch.ts';
import { statedType } from './units.ts';

type Id = string | null | undefined;
type Paid = Partial<Record<RateOwnerType, { type?: RateType | null; rateCardId?: Id }>>;

/** The terms of a piece of work that decide its units, at one moment. */
export interface UnitTerms {
  load: Counted;
  material: Counted;
  /**
   * The capacity of the work itself, which is copied from its equipment type when it is created. The capacity of its truck, or else of its
   * equipment type, will do as well.
   */
  capacity: Counted;
  equipmentId: Id;
  equipmentTypeId: Id;
  paid: Paid;
  /** For an order: the columns by which the price list finds its material's price. */
  priced?: Record<string, unknown>;
}

const CAPACITY = ['equipmentTypeGrossCapacityUnitOfMeasure', 'equipmentId', 'equipmentTypeId'] as const;

/** @param pickupId where a new order is loaded, because its stops are not written yet */
export const unitsOfOrder = (order: Order, pickupId?: Id): UnitTerms => ({
  ...unitsOfWork(order),
  load: counted(
    order.loadUnitOfMeasure ? ['loadUnitOfMeasure'] : ['unitOfMeasure', 'loadUnitOfMeasure'],
    order.loadUnitOfMeasure ?? order.unitOfMeasure,
  ),
  material: counted(['materialRateUnitOfMeasure', 'materialId'], order.materialRateUnitOfMeasure),
  equipmentId: order.equipment?.id,
  equipmentTypeId: order.equipmentType?.id,
  priced: {
    company_id: order.company.id,
    material_id: order.material?.id,
    project_id: order.project?.id,
    account_id: order.account?.id,
    route_id: order.routeId,
    material_rate_site_id: order.materialRateSite?.id ?? pickupId,
    material_rate_sell_price: order.materialRateSellPrice?.toString(),
    material_rate_buy_price: order.materialRateBuyPrice?.toString(),
    material_rate_unit_of_measure: order.materialRateUnitOfMeasure,
  },
});

export const unitsOfProject = (project: Project): UnitTerms => ({
  ...unitsOfWork(project),
  load: counted(
    project.loadUnitOfMeasure ? ['loadUnitOfMeasure'] : ['orderUnitOfMeasure', 'loadUnitOfMeasure'],
    project.loadUnitOfMeasure ?? project.orderUnitOfMeasure,
  ),
  material: counted(['materialId']),
  equipmentId: null,
  equipmentTypeId: project.equipmentType?.id,
});

/** @param order of the job */
export const unitsOfJob = (job: Job, order: Order): UnitTerms => ({
  ...unitsOfWork(job),
  load: counted(['loadUnitOfMeasure'], job.loadUnitOfMeasure),
  material: counted(['materialRateAssignment.unitOfMeasure', 'materialRateAssignment', 'materialId'], job.materialRateUnitOfMeasure),
  equipmentId: job.equipment?.id,
  equipmentTypeId: order.equipmentType?.id,
});

/**
 * Collects units of a piece of work that do not convert, if this write causes it (DOMAIN 8.13). A mismatch that existed before is one of
 * the job's conflicts and does not prevent other changes. Rates that the viewer may not see are left out.
 * @param input of the write: the error is put on the field that it names, otherwise on the deciding one
 * @param before the terms before the write; undefined if the write creates the work
 */
export async function collectUnitMismatches(
  tx: TxContext,
  terms: UnitTerms,
  { model, input, before }: { model: string; input: object; before?: UnitTerms },
  items: ErrorItem[],
): Promise<void> {
  const found = mismatchesOf(await planOf(tx, terms));
  if (found.length === 0) return;
  const known = new Set(before ? mismatchesOf(await planOf(tx, before)).map(keyOf) : []);
  const given = input as Record<string, unknown>;
  for (const mismatch of found.filter((one) => !known.has(keyOf(one)))) {
    const fields = [...mismatch.part.fields, ...mismatch.to.fields];
    const field = fields.find((one) => given[one.split('.')[0]!] !== undefined) ?? fields[0]!;
    items.push({ model, field, key: 'unit_mismatch', params: wordsOf(mismatch) });
  }
}

/** True if an input sets a field that decides units. */
export const changesUnits = (input: object): boolean => DECIDING.some((field) => (input as Record<string, unknown>)[field] !== undefined);

const DECIDING = [
  ...['unitOfMeasure', 'orderUnitOfMeasure', 'loadUnitOfMeasure', 'materialRateUnitOfMeasure', 'materialRateAssignment'],
  ...['materialId', 'materialRateSiteId', 'materialRateSellPrice', 'materialRateBuyPrice', ...CAPACITY],
  ...Object.values(Owners).flatMap((side) => [`${side}RateType`, `${side}RateValue`, `${side}RateId`]),
];

const keyOf = ({ name, part, to }: Mismatch) => JSON.stringify([name, part.units, to.units]);

const unitsOfWork = (work: Order | Project | Job) => ({
  capacity: counted(CAPACITY, work.equipmentTypeGrossCapacityUnitOfMeasure),
  paid: {
    customer: paidFor(work.customerRateType, work.customerRateValue, work.customerRate?.id),
    vendor: paidFor(work.vendorRateType, work.vendorRateValue, work.vendorRate?.id),
    driver: paidFor(work.driverRateType, work.driverRateValue, work.driverRate?.id),
  },
});

const paidFor = (type: RateType | null | undefined, value: unknown, rateCardId: string | undefined) => ({
  type: statedType(type, value, rateCardId),
  rateCardId,
});

/** Returns SQL of the units of an equipment type's capacities, as texts. @param y its alias */
export const unitsOfType = (y: string): string =>
  `array_remove(array[${y}.gross_capacity_unit_of_measure] || array(select c ->> 'unitOfMeasure' from jsonb_array_elements(${y}.additional_gross_capacities) c), null)`;

const LOOK_UP = namedStatement(`select
  (select ${unitsOfType('y')} from equipment_type y
    where y.id = (select coalesce((select e.equipment_type_id from equipment e where e.id = $1::uuid), $2::uuid))) as capacities,
  (select jsonb_object_agg(r.id, r.type) from rate r where r.id = any($3::uuid[])) as "rateCards",
  (select ${materialPriceOf('unit_of_measure', 'o.material_rate_unit_of_measure')} from jsonb_to_record($4::jsonb) as o(
    company_id uuid, material_id uuid, project_id uuid, account_id uuid, route_id uuid, material_rate_site_id uuid,
    material_rate_sell_price numeric, material_rate_buy_price numeric, material_rate_unit_of_measure text)) as material`);

interface LookedUp {
  capacities: UnitOfMeasure[] | null;
  rateCards: Record<string, RateType> | null;
  material: UnitOfMeasure | null;
}

async function planOf(tx: TxContext, terms: UnitTerms): Promise<CountedPlan> {
  const viewer = viewerOf(tx);
  const sides = Object.values(Owners).filter((side) => viewer.can(`view_${side}_rates`));
  const rateCards = sides.flatMap((side) => (terms.paid[side]?.type ? [] : (terms.paid[side]?.rateCardId ?? [])));
  const ofTruck = terms.equipmentId || terms.equipmentTypeId;
  const ofPrice = terms.material.units.length === 0 && terms.priced?.material_id;
  const [found] =
    rateCards.length > 0 || ofTruck || ofPrice
      ? await queryIn<LookedUp>(tx.em, LOOK_UP, [
          ...(ofTruck ? [terms.equipmentId ?? null, terms.equipmentTypeId ?? null] : [null, null]),
          rateCards,
          ofPrice ? JSON.stringify(terms.priced) : '{}',
        ])
      : [];
  return {
    load: terms.load,
    material: ofPrice ? counted(['materialId', ...terms.material.fields], found?.material) : terms.material,
    capacity: ofTruck
      ? counted([terms.equipmentId ? 'equipmentId' : 'equipmentTypeId', ...CAPACITY], ...terms.capacity.units, ...(found?.capacities ?? []))
      : terms.capacity,
    rates: Object.fromEntries(
      sides.map((side) => {
        const { type, rateCardId } = terms.paid[side] ?? {};
        return [side, countedRate(side, type, rateCardId ? found?.rateCards?.[rateCardId] : null)];
      }),
    ),
  };
}
