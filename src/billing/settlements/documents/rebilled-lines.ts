import { Decimal, decimalText } from '../../../platform/decimal.ts';
import type { SettlementLineItemType } from '../settlement.entity.ts';
import type { SettledQuantity, SettlementLineItem } from '../settlement-line-items.ts';

/**
 * Returns the lines of a settlement that is billed anew as they are printed: those of one work that had rates of their own, such as bands, and are billed at one
 * rate now, are one line. By themselves, each would have the quantity of before next to what it comes to now.
 * @param by what each line is for
 */
export function atOneRate(lines: readonly SettlementLineItem[], by: SettlementLineItemType): SettlementLineItem[] {
  return [...Map.groupBy(lines, (line) => keyOf(line, by)).values()].map(([first, ...others]) => others.reduce(merged, first!));
}

/** A line that is billed as it was, or at several rates, is like no other one. */
function keyOf(line: SettlementLineItem, by: SettlementLineItemType): unknown {
  const { ids, lineItemType, rateTypes, rebillRateValue } = line;
  if (rebillRateValue === null) return line;
  const work = ids.map(({ orderId, jobId, loadId }) => ({ order: orderId, job: jobId, load: loadId ?? jobId })[by]);
  return JSON.stringify([lineItemType, rateTypes, decimalText(rebillRateValue), [...new Set(work)].sort()]);
}

const plus = (one: string | null, other: string | null): string => decimalText(new Decimal(one ?? 0).plus(other ?? 0));
const union = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])];

function merged(one: SettlementLineItem, other: SettlementLineItem): SettlementLineItem {
  const known = new Set(one.ids.map((id) => JSON.stringify(id)));
  return {
    ...one,
    date: one.date < other.date ? one.date : other.date,
    truckExternalIds: union(one.truckExternalIds, other.truckExternalIds),
    equipmentTypes: union(one.equipmentTypes, other.equipmentTypes),
    equipmentNames: union(one.equipmentNames, other.equipmentNames),
    services: union(one.services, other.services),
    materials: union(one.materials, other.materials),
    ticketNumbers: union(one.ticketNumbers, other.ticketNumbers),
    ids: [...one.ids, ...other.ids.filter((id) => !known.has(JSON.stringify(id)))],
    quantities: sumOf([...one.quantities, ...other.quantities]),
    totalQuantity: plus(one.totalQuantity, other.totalQuantity),
    totalAmount: plus(one.totalAmount, other.totalAmount),
    rebillTotalAmount: plus(one.rebillTotalAmount, other.rebillTotalAmount),
  };
}

const sumOf = (quantities: readonly SettledQuantity[]): SettledQuantity[] =>
  [...Map.groupBy(quantities, ({ unitOfMeasure }) => unitOfMeasure)].map(([unitOfMeasure, of]) => ({
    unitOfMeasure,
    quantity: of.reduce((sum, { quantity }) => plus(sum, quantity), '0'),
  }));
