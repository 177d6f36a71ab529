import { ref } from '@mikro-orm/core';
import { Field, ObjectType } from 'type-graphql';
import { lockMaster } from '../../directory/master-data/master-data.ts';
import { allow } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import type { RecordPath } from '../../platform/context.ts';
import { Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { type GenerateFuelSurchargeRowsInput, SURCHARGES } from './fuel.inputs.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from './fuel-surcharge-schedule.entity.ts';
import { fuelSurchargeSchedulePrices as kind } from './fuel-tables.ts';

/** A row that was generated: what is charged from a price of fuel on. */
@ObjectType({ simpleResolvers: true, description: 'A row of a schedule that a formula gives.' })
export class FuelSurchargeRow {
  @Field(() => DecimalScalar, { description: 'The price of fuel from which it holds.' }) price!: Decimal;
  @Field(() => DecimalScalar, { description: 'Percent of the freight, or money for each unit, by the type of the schedule.' })
  billSurcharge!: Decimal;
}

/** Decimals of a price of fuel and of a surcharge, and the least by which two prices differ. */
const DECIMALS = 4;
const TICK = new Decimal(10).pow(-DECIMALS);
/** Rows of a schedule: a table that people agree on has some dozens. */
const MOST_ROWS = 500;
const model = 'FuelSurchargeSchedule';

/**
 * Returns the rows that charge `ceil((P - base) / step)` times what a step costs, at each price `P` from `from` to `to` (BILLING B6 "helper"). Above the
 * last one, its row holds on. Each step begins at the next price above what is a whole number of steps, since that many steps are full by then. Below the
 * base the number of steps is negative, and a row is a credit.
 * @param perStep what a step costs: percent, or money for each unit
 * @throws Invalid if there are too many, or one charges more than a row may
 */
function rowsOfFormula({ base, step, from, to }: Bounds, perStep: Decimal): FuelSurchargeRow[] {
  const first = from.minus(base).div(step).ceil();
  const last = to.minus(base).div(step).ceil();
  const refuse = (field: string, key: string, params: Record<string, string | number>) => new Invalid([{ model, field, key, params }]);
  const count = last.minus(first).plus(1);
  if (count.gt(MOST_ROWS)) throw refuse('step', 'too_many_rows', { count: count.toNumber(), max: MOST_ROWS });
  const [min, max] = SURCHARGES;
  const rows = Array.from({ length: count.toNumber() }, (_, i): FuelSurchargeRow => {
    const steps = first.plus(i);
    const price = i === 0 ? from : steps.minus(1).mul(step).plus(base).plus(TICK);
    return { price, billSurcharge: steps.mul(perStep).toDecimalPlaces(DECIMALS, Decimal.ROUND_HALF_UP).plus(0) };
  });
  for (const [field, row] of [
    ['from', rows[0]],
    ['to', rows.at(-1)],
  ] as const)
    if (row!.billSurcharge.lt(min) || row!.billSurcharge.gt(max)) throw refuse(field, 'surcharge_out_of_range', { min, max });
  return rows;
}
type Bounds = Pick<GenerateFuelSurchargeRowsInput, 'base' | 'step'> & { from: Decimal; to: Decimal };

/**
 * Writes the rows of a formula to a schedule. One that has rows takes others only if the input replaces them: rows that stay are the same records.
 * @throws Missing, Denied, Invalid
 */
export async function generateRows(tx: TxContext, path: RecordPath, input: GenerateFuelSurchargeRowsInput): Promise<FuelSurchargeRow[]> {
  const schedule = await lockMaster(tx, { entity: FuelSurchargeSchedule }, path, kind.permissions.create);
  const { base, step, perStep, milesPerGallon, to, replace } = input;
  const from = input.from ?? base;
  const items: ErrorItem[] = [];
  const refuse = (field: string, key: string, params = {}) => items.push({ model, field, key, params });
  if (Boolean(perStep) === Boolean(milesPerGallon)) refuse(perStep ? 'milesPerGallon' : 'perStep', 'per_step_or_miles');
  else if (milesPerGallon && schedule.surchargeType !== 'per_unit') refuse('milesPerGallon', 'only_of_per_unit');
  if (to.lt(from)) refuse('to', 'below_from');
  const present = await tx.em.find(FuelSurchargeSchedulePrice, { fuelSurchargeSchedule: schedule.id, discardedAt: null });
  if (present.length > 0 && !replace) refuse('replace', 'schedule_has_rows', { count: present.length });
  if (items.length > 0) throw new Invalid(items);
  const rows = rowsOfFormula({ base, step, from, to }, perStep ?? step.div(milesPerGallon!));
  if (present.length > 0) for (const permission of [kind.permissions.edit, kind.permissions.delete]) allow(tx, permission);
  write(tx, schedule, present, rows);
  return rows;
}

function write(
  tx: TxContext,
  schedule: FuelSurchargeSchedule,
  present: readonly FuelSurchargeSchedulePrice[],
  rows: readonly FuelSurchargeRow[],
): void {
  const left = new Map(present.map((row) => [row.price.toFixed(DECIMALS), row]));
  for (const { price, billSurcharge } of rows) {
    const key = price.toFixed(DECIMALS);
    const found = left.get(key);
    left.delete(key);
    if (found?.billSurcharge.eq(billSurcharge)) continue;
    const row = Object.assign(found ?? new FuelSurchargeSchedulePrice(), { price, billSurcharge });
    if (!found) tx.em.persist(Object.assign(row, { company: schedule.company, fuelSurchargeSchedule: ref(schedule) }));
    emitEvent(tx, `${kind.event}.${found ? 'updated' : 'created'}`, row);
  }
  for (const row of left.values()) {
    row.discardedAt = tx.tx.now;
    emitEvent(tx, `${kind.event}.discarded`, row);
  }
}
