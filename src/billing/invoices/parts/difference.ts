import { Decimal } from '../../../platform/decimal.ts';
import { type AddOnCharge, isCompanyFuel } from '../../charges/add-on-charge.entity.ts';
import { assignmentOf } from '../../charges/charged-bill.ts';
import { type Charge, COMPANY_FUEL } from '../../pricing/charges.ts';
import { CENTS, type Figure, given, sum } from '../../pricing/figure.ts';
import { type Line, linesTotal } from '../../pricing/freight.ts';
import type { Priced } from '../../pricing/price.ts';
import type { Invoice, InvoiceLineItem } from '../invoice.entity.ts';
import { typeOf } from '../lines/edits-of-lines.ts';
import { placesOf, printed } from '../write-price.ts';
import type { Rebilled } from './rebilled.ts';

/** The lines and charges that a part of the work should have. */
export interface Wanted {
  priced: Priced;
  /** Material is a line of its own. */
  itemized: boolean;
}

/** An invoice that stays as it is, with what it charges. */
export interface Billed {
  invoice: Invoice;
  items: readonly InvoiceLineItem[];
  charges: readonly AddOnCharge[];
  /** The prices by which its settlement bills it instead. */
  rebilled?: Rebilled | undefined;
}

/** A charge that differs, with what was billed of it. */
export interface ChargeDifference extends Charge {
  billed: readonly AddOnCharge[];
}

/** The lines and charges that should have been billed in addition, or not at all. */
export interface Difference extends Priced {
  charges: ChargeDifference[];
  /** Nothing differs. */
  isNone: boolean;
}

const ZERO = new Decimal(0);
const ONE = given('one', 1);
const total = <T>(list: readonly T[], of: (one: T) => Decimal | null | undefined): Decimal =>
  list.reduce((all, one) => all.plus(of(one) ?? 0), ZERO);

/**
 * Returns what should be billed less what was, line by line and charge by charge (BILLING B2.4): what nobody has billed is a line like any other, and
 * what was billed otherwise is a line of the difference. Tax is the tax of what should be billed less that of what was.
 * @param wanted the price of each part of the work
 */
export function differenceOf(wanted: readonly Wanted[], billed: readonly Billed[]): Difference {
  const lines = linesOf(
    wanted.flatMap(({ priced, itemized }) => printed(priced.lines, itemized)),
    billed,
  );
  const charges = chargesOf(
    wanted.flatMap(({ priced }) => priced.charges),
    billed,
  );
  const tax = taxOf(wanted, billed);
  const pretax = sum('before tax', [
    linesTotal(lines),
    sum(
      'charges',
      charges.map(({ amount }) => amount),
    ),
  ]);
  const blockers = [...lines, ...charges].flatMap(({ blocker }) => (blocker ? [blocker] : []));
  return {
    ...{ lines, charges, pretax, tax, total: sum('total', tax ? [pretax, tax] : [pretax]), blockers: [...new Set(blockers)] },
    isNone: lines.length === 0 && charges.length === 0 && (tax?.value.isZero() ?? true),
  };
}

/** A line that was billed, and the lines that corrected it. */
interface BilledLine {
  items: InvoiceLineItem[];
  figures: Figure[];
  /** Its settlement bills it at another rate, which is one for all of its load. */
  isRebilled: boolean;
}

function linesOf(wanted: readonly Line[], billed: readonly Billed[]): Line[] {
  const known = billedLines(billed);
  const keyOf = placesOf();
  const lines = wanted.flatMap((line): Line[] => {
    const key = keyOf(typeOf(line), line.loadId);
    const before = known.get(key);
    known.delete(key);
    return before ? differenceOfLine(line, before) : [line];
  });
  // The lines of work that is not there any more.
  return [...lines, ...[...known.values()].flatMap((before) => differenceOfLine(nothingOf(before.items[0]!), before))];
}

function billedLines(billed: readonly Billed[]): Map<string, BilledLine> {
  const known = new Map<string, BilledLine>();
  const keys = new Map<string, string>();
  const keyOf = placesOf();
  for (const { invoice, items, rebilled } of billed)
    for (const item of items) {
      const key = (item.correctsId && keys.get(item.correctsId)) || keyOf(item.lineItemType, item.load?.id);
      keys.set(item.id, key);
      const line = known.get(key) ?? { items: [], figures: [], isRebilled: rebilled !== undefined };
      const amount = rebilled?.amountOf(item) ?? item.totalAmount;
      line.items.push(item);
      line.figures.push(given(`billed on ${invoice.invoiceId}`, amount.negated(), { type: 'InvoiceLineItem', id: item.id }));
      known.set(key, line);
    }
  return known;
}

const nothingOf = (item: InvoiceLineItem): Line => ({
  ...{ kind: item.lineItemType === 'MaterialRateLineItem' ? 'material' : 'freight', loadId: item.load?.id ?? null, name: item.name ?? '' },
  ...{ delivered: given('nothing', 0), quantity: given('nothing', 0), unit: item.unitOfMeasure ?? null, rate: given('rate', item.rate) },
  ...{ rateType: item.rateType ?? null, amount: given('nothing', 0) },
});

/**
 * A line is printed as a quantity at a rate: what was delivered more at the same rate, or the same at what the rate is more. What differs in both, or
 * was corrected before, is one at its amount. The amount is always that of both lines, so roundings do not add up.
 */
function differenceOfLine(line: Line, { items, figures, isRebilled }: BilledLine): Line[] {
  const { blocker: _, ...rest } = line;
  const amount = sum(`difference of ${line.name}`, [line.amount, ...figures]);
  const quantity = line.quantity.value.minus(total(items, (item) => item.quantity));
  if (amount.value.isZero() && (quantity.isZero() || items.length > 1 || isRebilled)) return [];
  const [billed] = items as [InvoiceLineItem];
  const common = {
    ...rest,
    ...{ correctsId: billed.id, name: `difference of ${line.name}`, amount },
    delivered: given('delivered more', line.delivered.value.minus(total(items, (item) => item.deliveredQuantity))),
  };
  const isAtRate = !isRebilled && items.every((item) => item.rate.equals(line.rate.value));
  if (isAtRate)
    return [
      { ...common, quantity: sum('billed more', [line.quantity, given('billed before', line.quantity.value.minus(quantity).negated())]) },
    ];
  if (items.length === 1 && quantity.isZero() && !isRebilled)
    return [{ ...common, rate: sum('difference of the rates', [line.rate, given('rate before', billed.rate.negated())]) }];
  return [{ ...common, quantity: ONE, unit: null, rate: given('difference', amount.value) }];
}

/** By what a charge is known: its request, or the assignment by which it comes. What was withdrawn is known by its name. */
const keyOfBilled = (copy: AddOnCharge): string => (isWithdrawn(copy) ? `withdrawn ${copy.name}` : keyOfCopy(copy));

/** By what a charge is known among those of its invoice, of which several that were withdrawn may have one name. */
export const keyOfCopy = (copy: AddOnCharge): string =>
  isCompanyFuel(copy) ? COMPANY_FUEL : (copy.requestedCharge?.id ?? assignmentOf(copy) ?? copy.id);

const isWithdrawn = (copy: AddOnCharge): boolean =>
  !(isCompanyFuel(copy) || copy.requestedCharge || assignmentOf(copy) || copy.requestedById);

function chargesOf(wanted: readonly Charge[], billed: readonly Billed[]): ChargeDifference[] {
  const billedOn = new Map(billed.flatMap((one) => one.charges.map((charge) => [charge, one] as const)));
  const before = Map.groupBy(billedOn.keys(), keyOfBilled);
  const amountOf = (copy: AddOnCharge): Decimal => billedOn.get(copy)!.rebilled?.chargeOf(keyOfCopy(copy)) ?? copy.amount ?? ZERO;
  const now = Map.groupBy(wanted, ({ id }) => id!);
  return [...new Set([...now.keys(), ...before.keys()])].flatMap((key): ChargeDifference[] => {
    const [charges, copies] = [now.get(key) ?? [], before.get(key) ?? []];
    const name = (charges[0] ?? copies[0])!.name;
    const amount = sum(`difference of ${name}`, [
      ...charges.map((one) => one.amount),
      ...copies.map((one) =>
        given(`billed on ${billedOn.get(one)!.invoice.invoiceId}`, amountOf(one).negated(), { type: 'AddOnCharge', id: one.id }),
      ),
    ]);
    const blocker = charges.find((one) => one.blocker)?.blocker;
    if (amount.value.isZero() && !blocker) return [];
    const first = charges[0];
    const { quantity, rate } = countedDifference(charges, copies, amount);
    const base = charges.some((one) => one.base) || copies.some((one) => one.baseAmount);
    return [
      {
        ...{ id: key, name, taxable: first?.taxable ?? copies[0]!.taxable, isFuel: first?.isFuel ?? false, billed: copies, amount },
        ...{ quantity: given(`quantity of ${name}`, quantity), rate: given(`rate of ${name}`, rate) },
        percentage: first?.percentage ?? given(`percentage of ${name}`, copies[0]!.percentage),
        ...(base ? { base: given('base', total(charges, (one) => one.base?.value).minus(total(copies, (one) => one.baseAmount))) } : {}),
        ...(blocker ? { blocker } : {}),
      },
    ];
  });
}

/**
 * The difference of a charge as a quantity at a rate, like that of a line: more of it, less of it at the rate that is taken back, as much at what the rate is
 * more, or else one at its amount. A percentage and fuel are counted by nothing.
 */
function countedDifference(
  charges: readonly Charge[],
  copies: readonly AddOnCharge[],
  { value: amount }: Figure,
): Record<'quantity' | 'rate', Decimal> {
  const [now, before] = [charges[0], copies[0]];
  const isCounted =
    (now === undefined || !(now.base || now.isFuel)) && copies.every((one) => BY_QUANTITY.includes(one.revenueCostRateType));
  const is = { quantity: total(charges, (one) => one.quantity.value), rate: now?.rate.value ?? before!.revenueRateValue };
  if (!before) return is;
  if (!isCounted) return { ...is, quantity: Decimal.max(0, is.quantity.minus(total(copies, (one) => one.quantity))) };
  const more = is.quantity.minus(before.quantity);
  const rateMore = is.rate.minus(before.revenueRateValue);
  const candidates = [
    ...(rateMore.isZero() ? [{ quantity: more.abs(), rate: more.isNegative() ? is.rate.negated() : is.rate }] : []),
    ...(more.isZero() ? [{ quantity: is.quantity, rate: rateMore }] : []),
  ];
  const isAll = charges.length <= 1 && copies.length === 1;
  const found = candidates.find((one) => amount.eq(one.quantity.mul(one.rate).toDecimalPlaces(CENTS, Decimal.ROUND_HALF_UP)));
  return isAll && found ? found : { quantity: new Decimal(1), rate: amount };
}
const BY_QUANTITY: readonly string[] = ['RateForEach', 'PerLoad'];

function taxOf(wanted: readonly Wanted[], billed: readonly Billed[]): Figure | null {
  const now = wanted.flatMap(({ priced }) => priced.tax ?? []);
  const before = billed.flatMap(({ invoice: { id, invoiceId, taxTotalAmount }, rebilled }) => {
    const tax = rebilled ? rebilled.tax : taxTotalAmount;
    return tax ? [given(`tax of ${invoiceId}`, tax.negated(), { type: 'Invoice', id })] : [];
  });
  return now.length + before.length === 0 ? null : sum('tax', [...now, ...before]);
}
