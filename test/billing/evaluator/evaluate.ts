import { add, by, cents, type Fraction, isAbove0, isLess, minus, read, round, stepped, times, written, ZERO } from './fractions.ts';

/** The agreed terms, as plain texts. */
export interface Terms {
  type: string;
  rate: string;
  minimum: string;
  increment: string;
  /** Minutes of a regular day; only of hours. */
  overtimeAfter?: number;
  /** Other rates from a quantity of the order on, ascending. */
  /** A prevailing wage for an hour, instead of the rate. */
  wage?: { base: string; fringe: string; credit: string };
  tiers?: { mode: string; bands: { from: string; rate: string }[] };
}
export interface Load {
  quantity: string | null;
  unit: string;
  /** Tonnes of a cubic metre. */
  density?: string;
  /** Minutes at its sites. */
  onSite?: string[];
}
export interface ChargeCase {
  type: 'RateForEach' | 'Waiting' | 'PerLoad' | 'RatePercentOfTotal' | 'FuelPercentage' | 'FuelPerUnit';
  /** Money for each, a percentage, or what fuel costs; null of fuel whose price nobody knows. */
  value: string | null;
  quantity: string;
  taxable: boolean;
  /** A percentage is taken of fuel, too. */
  isOfFuel?: boolean;
  /** Of waiting, which is counted in hours or minutes. */
  waiting?: { unit: string; free: string; increment: string };
}
export interface Case {
  terms: Terms;
  loads: Load[];
  /** Loads of other jobs of the order that were completed before these, and after them. */
  others?: { before: Load[]; after: Load[] };
  minutes: string;
  /** Minutes of all jobs of the day that are paid with it, and which one this is. */
  day?: { minutes: string[]; place: number; isMinimumOfDay: boolean; total?: string };
  /** The payer's own receivable, of which a commission is a share. */
  customer?: Terms;
  material?: { price: string; unit: string };
  charges: ChargeCase[];
  tax?: { rate: string; freight: boolean; material: boolean; addOns: boolean; isExempt: boolean };
}
export interface Amounts {
  lines: string[];
  charges: string[];
  tax: string | null;
  total: string;
}

interface Row {
  quantity: Fraction;
  amount: Fraction;
}

/** Works a case out as the tables of BILLING.md say (B3, B4, B6, B7), with exact fractions and nothing of the product. */
export function evaluate(job: Case): Amounts {
  const freight = freightOf(job.terms, job);
  const material = job.material ? job.loads.map((load) => materialOf(load, job.material!)) : [];
  const freightSum = add(...freight.map(({ amount }) => amount));
  const materialSum = add(...material.map(({ amount }) => amount));
  const lines = add(freightSum, materialSum);
  const fuel = add(...job.charges.filter(({ type }) => type.startsWith('Fuel')).map((charge) => chargeOf(charge, job, freight, lines)));
  const charges = job.charges.map((charge) => chargeOf(charge, job, freight, charge.isOfFuel ? add(lines, fuel) : lines));
  const pretax = add(freightSum, materialSum, ...charges);
  let tax: Fraction | null = null;
  if (job.tax) {
    let base = ZERO;
    if (job.tax.freight) base = add(base, freightSum);
    if (job.tax.material) base = add(base, materialSum);
    job.charges.forEach(({ type, taxable }, i) => {
      const isFuel = type.startsWith('Fuel');
      if (isFuel ? job.tax!.freight : job.tax!.addOns && taxable) base = add(base, charges[i]!);
    });
    tax = job.tax.isExempt ? ZERO : cents(by(times(base, read(job.tax.rate)), read(100)));
  }
  return {
    lines: [...freight, ...material].map(({ amount }) => written(amount)),
    // Nobody waited: there is no such charge.
    charges: charges.filter((_, i) => job.charges[i]!.type !== 'Waiting' || isAbove0(waited(job.charges[i]!, job))).map(written),
    tax: tax && written(tax),
    total: written(add(pretax, tax ?? ZERO)),
  };
}

function freightOf(terms: Terms, job: Case): Row[] {
  const rate = read(terms.rate);
  const row = (quantity: Fraction, at = rate): Row => ({ quantity, amount: cents(times(quantity, at)) });
  switch (terms.type) {
    case 'RateFlatRate':
      return [row(read(1))];
    case 'RatePerHour':
      return hours(terms, job);
    case 'RatePerDay':
      return [days(terms, job)];
    case 'RateCommission':
      return freightOf(job.customer!, job).map(({ quantity, amount }) => ({ quantity, amount: cents(by(times(amount, rate), read(100))) }));
    case 'RateFlatCommission':
      return freightOf(job.customer!, job).map(({ quantity }) => row(quantity));
    default:
      return terms.tiers ? tiered(terms, job) : job.loads.map((load) => row(billed(terms, load)));
  }
}

/** Of a load that was turned away, a ticket or a report says 0. */
const isRejected = ({ quantity }: Load): boolean => quantity !== null && !isAbove0(read(quantity));

const billed = (terms: Terms, load: Load): Fraction =>
  terms.type === 'RatePerLoad'
    ? read(isRejected(load) ? 0 : 1)
    : round(raised(inUnit(load, terms.type.replace('RatePer', '')) ?? ZERO, terms), 4);

/** Slab: walk along the quantity of the order, band after band. Volume: one rate for all, that of the band which the whole order reaches. */
function tiered(terms: Terms, { loads, others }: Case): Row[] {
  const { mode, bands } = terms.tiers!;
  const sum = (of: Load[] = []) => add(...of.map((load) => billed(terms, load)));
  const whole = add(sum(others?.before), sum(loads), sum(others?.after));
  let at = sum(others?.before);
  return loads.flatMap((load) => {
    const quantity = billed(terms, load);
    if (mode === 'volume') {
      let rate = terms.rate;
      for (const band of bands) if (!isLess(whole, read(band.from))) rate = band.rate;
      return [{ quantity, amount: cents(times(quantity, read(rate))) }];
    }
    const rows: Row[] = [];
    const end = add(at, quantity);
    let rate = terms.rate;
    for (const band of [...bands, null]) {
      const until = band && isLess(read(band.from), end) ? read(band.from) : end;
      if (isLess(at, until)) {
        const part = minus(until, at);
        rows.push({ quantity: part, amount: cents(times(part, read(rate))) });
        at = until;
      }
      if (band) rate = band.rate;
    }
    return rows.length > 0 ? rows : [{ quantity: ZERO, amount: ZERO }];
  });
}

/** A minimum is for what is above 0 only. */
function raised(quantity: Fraction, { minimum, increment }: Terms): Fraction {
  const least = isAbove0(quantity) && isLess(quantity, read(minimum)) ? read(minimum) : quantity;
  return stepped(least, read(increment));
}

/** One Ton is 0.90718474 Tonne, one Yard 0.764554858 CubicMeter; weight and volume by density; everything else converts into itself only. */
function inUnit({ quantity, unit, density }: Load, wanted: string): Fraction | null {
  if (quantity === null) return null;
  const given = read(quantity);
  if (unit === wanted) return given;
  const tonne = read('0.90718474');
  const cubicMeter = read('0.764554858');
  switch (`${unit} to ${wanted}`) {
    case 'Ton to Tonne':
      return times(given, tonne);
    case 'Tonne to Ton':
      return by(given, tonne);
    case 'Yard to CubicMeter':
      return times(given, cubicMeter);
    case 'CubicMeter to Yard':
      return by(given, cubicMeter);
  }
  const tonnes: Record<string, Fraction> = { Ton: tonne, Tonne: read(1) };
  const cubicMeters: Record<string, Fraction> = { Yard: cubicMeter, CubicMeter: read(1) };
  if (density === undefined) return null;
  if (tonnes[unit] && cubicMeters[wanted]) return by(by(times(given, tonnes[unit]), read(density)), cubicMeters[wanted]);
  if (cubicMeters[unit] && tonnes[wanted]) return by(times(times(given, cubicMeters[unit]), read(density)), tonnes[wanted]);
  return null;
}

function hours(terms: Terms, { minutes, day }: Case): Row[] {
  const all = day?.minutes.map(read) ?? [read(minutes)];
  const place = day?.place ?? 0;
  // Time away from home or of the shift is that of the day, as a minimum of the day is.
  const whole = day?.total === undefined ? add(...all) : read(day.total);
  const isShared = day?.isMinimumOfDay || day?.total !== undefined;
  const billed = isShared ? largestRemainders(raised(whole, terms), all) : all.map((one) => raised(one, terms));
  const own = billed[place]!;
  const row = (paid: Fraction, rate: Fraction): Row => {
    const quantity = round(by(paid, read(60)), 4);
    return { quantity, amount: cents(times(quantity, rate)) };
  };
  const { wage } = terms;
  const rate = wage ? minus(add(read(wage.base), read(wage.fringe)), read(wage.credit)) : read(terms.rate);
  if (terms.overtimeAfter === undefined) return [row(own, rate)];
  const left = minus(read(terms.overtimeAfter), add(...billed.slice(0, place)));
  const regular = isLess(left, ZERO) ? ZERO : isLess(left, own) ? left : own;
  const over = minus(own, regular);
  if (!isAbove0(over)) return [row(own, rate)];
  // Of a wage, overtime multiplies the base only.
  const more = round(times(wage ? read(wage.base) : rate, read('1.5')), 4);
  const overtime = row(over, wage ? minus(add(more, read(wage.fringe)), read(wage.credit)) : more);
  return isAbove0(regular) ? [row(regular, rate), overtime] : [overtime];
}

/** Whole minutes for each; those with the largest remainders get one more until nothing is left, of equal ones the first. */
function largestRemainders(whole: Fraction, weights: Fraction[]): Fraction[] {
  const sum = add(...weights);
  if (!isAbove0(sum)) return weights.map(() => ZERO);
  const shares = weights.map((weight, i) => {
    const { over, under } = by(times(whole, weight), sum);
    return { i, floor: over / under, rest: { over: over % under, under } };
  });
  let left = whole.over / whole.under - shares.reduce((total, { floor }) => total + floor, 0n);
  for (const share of [...shares].sort((a, b) => (isLess(b.rest, a.rest) ? -1 : isLess(a.rest, b.rest) ? 1 : a.i - b.i))) {
    if (left === 0n) break;
    share.floor += 1n;
    left -= 1n;
  }
  return shares.map(({ floor }) => ({ over: floor, under: 1n }));
}

function days(terms: Terms, { minutes, day }: Case): Row {
  const all = day?.minutes.map(read) ?? [read(minutes)];
  const sum = add(...all);
  const full = read(terms.minimum);
  const count = isAbove0(sum) ? (isLess(sum, full) ? round(by(sum, full), 4) : read(1)) : ZERO;
  const whole = cents(times(count, read(terms.rate)));
  if (all.length === 1 || !isAbove0(sum)) return { quantity: count, amount: whole };
  const last = all.map(isAbove0).lastIndexOf(true);
  const shares = all.map((one) => cents(by(times(whole, one), sum)));
  shares[last] = minus(whole, add(...shares.filter((_, i) => i !== last)));
  return { quantity: round(by(times(count, all[day!.place]!), sum), 4), amount: shares[day!.place]! };
}

function materialOf(load: Load, { price, unit }: { price: string; unit: string }): Row {
  const quantity = round(inUnit(load, unit) ?? ZERO, 4);
  return { quantity, amount: cents(times(quantity, read(price))) };
}

/** How long trucks waited beyond what is free, at each site of each load. */
function waited({ waiting }: ChargeCase, { loads }: Case): Fraction {
  const { unit, free, increment } = waiting!;
  const paid = loads.flatMap(({ onSite = [] }) => onSite.map((minutes) => minus(read(minutes), read(free)))).filter(isAbove0);
  const minutes = add(...paid.map((one) => stepped(one, read(increment))));
  return unit === 'hour' ? round(by(minutes, read(60)), 4) : minutes;
}

function chargeOf(charge: ChargeCase, job: Case, freight: Row[], lines: Fraction): Fraction {
  const { type, value, quantity } = charge;
  if (value === null) return ZERO;
  switch (type) {
    case 'RateForEach':
      return cents(times(read(quantity), read(value)));
    case 'Waiting':
      return cents(times(waited(charge, job), read(value)));
    case 'PerLoad':
      return cents(times(read(job.loads.filter((load) => !isRejected(load)).length), read(value)));
    case 'RatePercentOfTotal':
      return cents(by(times(lines, read(value)), read(100)));
    case 'FuelPercentage':
      return cents(by(times(add(...freight.map(({ amount }) => amount)), read(value)), read(100)));
    case 'FuelPerUnit': {
      const units = job.terms.type === 'RateFlatRate' ? read(1) : add(...freight.map((row) => row.quantity));
      return cents(times(units, read(value)));
    }
  }
}
