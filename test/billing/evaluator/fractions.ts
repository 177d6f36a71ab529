/** Exact numbers, as a pair of whole numbers. */
export interface Fraction {
  over: bigint;
  under: bigint;
}

/** Reads a decimal text such as `-19.775`. */
export function read(text: string | number): Fraction {
  const written = String(text);
  const isNegative = written.startsWith('-');
  const [whole = '0', decimals = ''] = written.replace('-', '').split('.');
  const over = BigInt(whole + decimals);
  return { over: isNegative ? -over : over, under: 10n ** BigInt(decimals.length) };
}
export const ZERO = read(0);

export const add = (...all: Fraction[]): Fraction =>
  all.reduce((a, b) => ({ over: a.over * b.under + b.over * a.under, under: a.under * b.under }), ZERO);
export const minus = (a: Fraction, b: Fraction): Fraction => add(a, { over: -b.over, under: b.under });
export const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under });
export const by = (a: Fraction, b: Fraction): Fraction =>
  b.over < 0n ? { over: -a.over * b.under, under: a.under * -b.over } : { over: a.over * b.under, under: a.under * b.over };
export const isLess = (a: Fraction, b: Fraction): boolean => a.over * b.under < b.over * a.under;
export const isAbove0 = (a: Fraction): boolean => a.over > 0n;

/** The next whole multiple of a step, of what is not negative. */
export function stepped(a: Fraction, step: Fraction): Fraction {
  if (step.over === 0n) return a;
  const { over, under } = by(a, step);
  return times({ over: (over + under - 1n) / under, under: 1n }, step);
}

/** Rounds half away from zero. */
export function round(a: Fraction, places: number): Fraction {
  const scale = 10n ** BigInt(places);
  const size = a.over < 0n ? -a.over : a.over;
  const rounded = (2n * size * scale + a.under) / (2n * a.under);
  return { over: a.over < 0n ? -rounded : rounded, under: scale };
}
export const cents = (a: Fraction): Fraction => round(a, 2);

/** Writes a number of cents as text with two decimals. */
export function written(a: Fraction): string {
  const { over } = round(a, 2);
  const digits = String(over < 0n ? -over : over).padStart(3, '0');
  return `${over < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
