import { type EntityProperty, Type } from '@mikro-orm/core';
import { Decimal } from 'decimal.js';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { Invalid } from './errors.ts';
import { literally } from './literal.ts';

// 60 digits hold the product of two numeric(18,4) with room to spare; half-up is the rounding of every bill (DESIGN section 4).
Decimal.set({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

export { Decimal };

/** Digits of the widest money column: numeric(18,4). */
const PRECISION = 18;
const SCALE = 4;
const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)$/;
const CANONICAL = /^(0|-?[1-9]\d*|-?0(?=\.\d*[1-9]))(?:\.(\d*?)0*)?$/;
/** Four digits behind the point, as most columns have them. */
const USUAL = /^-?[1-9]\d*\.\d{4}$/;
const WITH_EXPONENT = /^-?\d+(\.\d+)?e[+-]?\d{1,3}$/;

/** Plain digits without exponent or trailing zeros: `12.5000` -> `12.5`, `-0.0` -> `0`. */
export function decimalText(value: Decimal | string | number): string {
  // A copy of one of the widest answers is a fifth of what writing it takes.
  if (value instanceof Decimal) return value.isZero() ? '0' : value.toFixed();
  // PostgreSQL's text needs no arithmetic: only zeros are cut.
  if (typeof value === 'string' && USUAL.test(value)) return withoutZeros(value);
  const match = typeof value === 'string' ? CANONICAL.exec(value) : null;
  if (match) return match[2] ? `${match[1]}.${match[2]}` : (match[1] as string);
  const exact = new Decimal(value);
  return exact.isZero() ? '0' : exact.toFixed();
}

function withoutZeros(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end--;
  return text.slice(0, text.charCodeAt(end - 1) === POINT ? end - 1 : end);
}

const ZERO = 48;
const POINT = 46;

/** Reads a number or numeric text; undefined for anything else, NaN and infinities included. */
export function readDecimal(value: unknown): Decimal | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
  if (typeof value === 'bigint') return new Decimal(String(value));
  if (value instanceof Decimal) return value.isFinite() ? value : undefined;
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const text = value.trim();
  if (!PLAIN.test(text) && !WITH_EXPONENT.test(text.toLowerCase())) return undefined;
  return new Decimal(text);
}

/** Numbers as measurements are written: a double distinguishes them, and every column holds them. */
const SHORT = /^-?\d{1,7}(\.\d{1,8})?$/;

/** True for a text that is a short decimal number, which `Number` reads without changing how it compares with others. */
export const isShortDecimal = (text: string): boolean => SHORT.test(text);

/** True when the value, rounded to `scale`, fits numeric(precision, scale). */
export function fitsNumeric(value: Decimal, precision = PRECISION, scale = SCALE): boolean {
  // Rounding adds one digit at most.
  if (value.e < precision - scale - 1) return true;
  const rounded = value.toDecimalPlaces(scale, Decimal.ROUND_HALF_UP).abs();
  return rounded.lt(`1e${precision - scale}`);
}

/**
 * `Decimal`: numbers in, decimal strings out (SPEC conventions). JSON numbers lose digits beyond 17 in JavaScript,
 * so a body parser may hand the source text over as a string instead.
 * Errors carry `extensions.key` (`decimal_invalid`, `decimal_out_of_range`) for the edges to translate.
 */
export const DecimalScalar = new GraphQLScalarType<Decimal, string>({
  name: 'Decimal',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema-2/#decimal',
  description:
    'A decimal number. Sent as a number or a numeric string, returned as a string such as "12.5". At most 14 digits before the point.',
  serialize: (value) => decimalText(value as Decimal | string | number),
  parseValue: coerce,
  parseLiteral: literally('Decimal', (node) => {
    if (node.kind === Kind.INT || node.kind === Kind.FLOAT || node.kind === Kind.STRING) return coerce(node.value);
    throw problem('decimal_invalid');
  }),
});

/** Column type numeric(precision, scale), by default numeric(18,4), as `Decimal` in entities; rounds half-up on the way in. */
export class DecimalType extends Type<Decimal | null | undefined, string | null | undefined> {
  readonly precision: number;
  readonly scale: number;

  constructor(precision = PRECISION, scale = SCALE) {
    super();
    this.precision = precision;
    this.scale = scale;
  }

  /** @throws Invalid when the value does not fit the column: a 422, never the driver's overflow error. */
  override convertToDatabaseValue(value: Decimal | number | string | null | undefined): string | null | undefined {
    if (value === null || value === undefined) return value;
    const exact = readDecimal(value);
    const at = { model: this.meta?.className ?? '', field: this.prop?.name ?? '' };
    if (!exact) throw new Invalid([{ ...at, key: 'decimal_invalid' }]);
    if (!fitsNumeric(exact, this.precision, this.scale)) throw new Invalid([{ ...at, key: 'decimal_out_of_range' }]);
    return decimalText(exact.toDecimalPlaces(this.scale, Decimal.ROUND_HALF_UP));
  }

  override convertToJSValue(value: Decimal | string | number | null | undefined): Decimal | null | undefined {
    return value === null || value === undefined ? value : new Decimal(value);
  }

  override toJSON(value: Decimal | null | undefined): string | null | undefined {
    return value === null || value === undefined ? value : decimalText(value);
  }

  override compareAsType(): string {
    return 'string';
  }

  override getColumnType(_prop: EntityProperty): string {
    return `numeric(${this.precision},${this.scale})`;
  }
}

function coerce(value: unknown): Decimal {
  const exact = readDecimal(value);
  if (!exact) throw problem('decimal_invalid');
  if (!fitsNumeric(exact)) throw problem('decimal_out_of_range');
  return exact;
}

function problem(key: string): GraphQLError {
  return new GraphQLError(key === 'decimal_invalid' ? 'is not a decimal number' : 'is out of range', { extensions: { key } });
}
