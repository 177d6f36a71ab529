import { isOneLine } from '../../directory/contacts/contacts.ts';
import { fitsNumeric, readDecimal } from '../../platform/decimal.ts';
import { asAddress, isEmail } from '../../platform/email.ts';
import type { Rule } from '../../platform/graphql/rules.ts';
import { readPhone } from '../../platform/phone.ts';
import type { Problem, Warning } from '../importer.ts';
import { isExact, isShortened } from './key.ts';
import { LIMITS, MOST_OF, type NamedLimits } from './limits.ts';
import { readMoment, whyNoMoment } from './moments.ts';
import { DIGITS, isPunctuated, rounded } from './numbers.ts';
import type { Named, RootColumns } from './order-draft.ts';
import { columnNamed, namesNothing } from './sent-fields.ts';
import { unitNamed } from './units.ts';

export type Json = Record<string, unknown>;

const LONGEST = 10_000;
const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 };

/** The fields with the units of numbers; `per` for a price of one of that unit. */
const UNIT_OF: Readonly<Record<string, { unit: string; per?: boolean }>> = {
  quantity: { unit: 'unit_of_measure' },
  order_quantity: { unit: 'order_unit_of_measure' },
  job_quantity: { unit: 'job_unit_of_measure' },
  equipment_type_gross_capacity: { unit: 'equipment_type_gross_capacity_unit_of_measure' },
  material_rate_sell_price: { unit: 'material_rate_unit_of_measure', per: true },
  material_rate_buy_price: { unit: 'material_rate_unit_of_measure', per: true },
};

/** The root fields that a payload may set, by kind; the column has the field's name. */
export interface RootFields {
  texts: readonly string[];
  decimals: readonly string[];
  wholes: readonly string[];
  flags: readonly string[];
  units: readonly string[];
  /** Enumerations. */
  choices: Readonly<Record<string, object>>;
}

/**
 * Reads what the payloads of several kinds have in common. Missing or wrong required values are problems; what SPEC drops or guesses
 * silently is done with a warning.
 */
export abstract class PayloadReader {
  readonly problems: Problem[] = [];
  readonly warnings: Warning[] = [];
  /** The rules of the API for root fields. */
  abstract readonly limits: Readonly<Record<string, Rule>>;

  constructor(
    readonly payload: Json,
    readonly zone: string,
    readonly region: 'US' | 'CA',
  ) {}

  missing(pointer: string): void {
    this.problems.push({ code: 'missing_field', pointer, key: 'required' });
  }

  warn(code: Warning['code'], pointer: string, given: unknown, used?: unknown): void {
    this.warnings.push({ code, pointer, given, ...(used === undefined ? {} : { used }) });
  }

  /**
   * Returns a text; of a number its digits, because spreadsheets send ids as numbers.
   * @param limit the API's rule for it
   */
  text(value: unknown, pointer: string, limit?: Rule): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && isExact(value)) return String(value);
    if (typeof value === 'number') {
      this.problems.push({ code: 'invalid_text', pointer, key: 'import_digits_lost' });
      return undefined;
    }
    if (typeof value !== 'string') {
      this.problems.push({ code: 'invalid_text', pointer, key: 'not_a_string' });
      return undefined;
    }
    if (value.length > LONGEST) {
      this.problems.push({ code: 'invalid_text', pointer, key: 'wrong_length', params: { min: 0, max: LONGEST } });
      return undefined;
    }
    const text = value.trim();
    return text !== '' && this.#keeps(limit, text, 'invalid_text', pointer) ? text : undefined;
  }

  /** Returns true if a value keeps to a limit; otherwise notes a problem. */
  #keeps(limit: Pick<Rule, 'check'> | undefined, value: unknown, code: string, pointer: string): boolean {
    const broken = limit?.check(value);
    if (broken) this.problems.push({ code, pointer, ...broken });
    return !broken;
  }

  required(field: string, limit?: Rule): string | undefined {
    const pointer = `/${field}`;
    const value = this.id(this.payload[field], pointer, limit);
    if (value === undefined && !this.problems.some((problem) => problem.pointer === pointer)) this.missing(pointer);
    return value;
  }

  /** Returns a text that identifies something. */
  id(value: unknown, pointer: string, limit?: Rule): string | undefined {
    const text = this.text(value, pointer, limit);
    if (text === undefined || !isShortened(text)) return text;
    this.problems.push({ code: 'invalid_text', pointer, key: 'import_id_shortened' });
    return undefined;
  }

  list(field: string): unknown[] {
    const value = this.payload[field];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) {
      const max = MOST_OF[field];
      if (max === undefined || value.length <= max) {
        for (const [i, item] of value.entries()) if (item === null) this.warn('empty_item', `/${field}/${i}`, null);
        return value;
      }
      this.problems.push({ code: 'too_many_items', pointer: `/${field}`, key: 'too_many_items', params: { max } });
      return [];
    }
    this.problems.push({ code: 'invalid_list', pointer: `/${field}`, key: 'not_a_list' });
    return [];
  }

  object(value: unknown, pointer: string): Json | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'object' && !Array.isArray(value)) return value as Json;
    this.problems.push({ code: 'invalid_object', pointer, key: 'not_an_object' });
    return undefined;
  }

  named(field: 'customer' | 'material' | 'supplier' | 'equipment_type'): Named | undefined {
    return this.namedOf(this.payload[field], `/${field}`, LIMITS[field]);
  }

  /** Returns the customer, which must have an id. One that is no object, or whose id is no text, is reported as such. */
  requiredCustomer(): Named {
    const customer = this.named('customer') ?? { pointer: '/customer' };
    const isReported = this.problems.some(({ pointer }) => pointer.startsWith('/customer'));
    if (!customer.externalId && !isReported) this.missing('/customer/external_id');
    return customer;
  }

  /** Returns a nested record: `{ external_id, name }`, or just its name. */
  namedOf(value: unknown, pointer: string, limits: NamedLimits): Named | undefined {
    if (typeof value === 'string') {
      const name = this.text(value, pointer, limits.name);
      return name === undefined ? undefined : { pointer, name };
    }
    const given = this.object(value, pointer);
    if (!given) return undefined;
    const named = {
      pointer,
      externalId: this.id(given.external_id, `${pointer}/external_id`, limits.externalId),
      name: this.text(given.name, `${pointer}/name`, limits.name),
    };
    return named.externalId || named.name ? named : undefined;
  }

  /** Returns a person's name, which must fit on one line of mails and lists, as in forms. */
  nameOf(value: unknown, pointer: string, limit: Rule): string | undefined {
    const text = this.text(value, pointer, limit);
    if (text === undefined || isOneLine(text)) return text;
    this.problems.push({ code: 'invalid_text', pointer, key: 'one_line' });
    return undefined;
  }

  email(value: unknown, pointer: string, limit: Rule): string | undefined {
    const given = this.text(value, pointer, limit);
    const text = given === undefined ? undefined : asAddress(given);
    if (text === undefined || isEmail(text)) return text;
    this.problems.push({ code: 'invalid_email', pointer, key: 'invalid_email' });
    return undefined;
  }

  /** SPEC: a number that does not normalise to E.164 is dropped from the contact, and so is an extension. */
  phone(value: unknown, pointer: string): string | undefined {
    const text = this.text(value, pointer);
    if (text === undefined) return undefined;
    const { number, wrong } = readPhone(text, this.region);
    if (wrong) this.warn(wrong, pointer, value, number);
    return number;
  }

  /** Returns the whole number of a root field. */
  whole(field: string): number | undefined {
    const value = this.payload[field];
    if (value === undefined || value === null) return undefined;
    const number = readDecimal(value);
    const pointer = `/${field}`;
    if (!number?.isInteger()) this.problems.push({ code: 'invalid_number', pointer, key: 'not_an_integer' });
    else if (!this.#keeps(this.limits[field], number, 'invalid_number', pointer)) return undefined;
    else if (number.gt(INT32.max)) this.problems.push({ code: 'invalid_number', pointer, key: 'out_of_range', params: INT32 });
    else return number.toNumber();
    return undefined;
  }

  /**
   * Returns a number with four decimals; null if there is none.
   * @param unit the text of its unit, into whose unit of the contract it is converted
   * @param per it is a price for one of that unit
   */
  decimal(value: unknown, pointer: string, limit: Pick<Rule, 'check'> | undefined, unit?: unknown, per = false): string | null {
    if (value === undefined || value === null) return null;
    const number = readDecimal(value);
    const factor = (typeof unit === 'string' && unitNamed(unit)?.factor) || '1';
    const converted = number && (per ? number.div(factor) : number.mul(factor));
    if (!converted)
      this.problems.push({ code: 'invalid_number', pointer, key: isPunctuated(value) ? 'import_number_punctuated' : 'decimal_invalid' });
    else if (!fitsNumeric(converted)) this.problems.push({ code: 'invalid_number', pointer, key: 'decimal_out_of_range' });
    else if (this.#keeps(limit, converted, 'invalid_number', pointer)) return rounded(converted, DIGITS, value, pointer, this.warnings);
    return null;
  }

  /** SPEC: an unrecognised unit falls back to Ton. One that the contract lacks is converted, and the factor is reported. */
  unit(text: string, pointer: string): string {
    const { unit, factor } = unitNamed(text) ?? {};
    if (!unit) this.warn('unknown_unit', pointer, text, 'Ton');
    else if (factor !== undefined) this.warn('unit_converted', pointer, text, { unit, factor });
    return unit ?? 'Ton';
  }

  /** Returns the root fields that were sent; absent ones are left out, so that the record keeps them. */
  columns({ texts, decimals, wholes, flags, units, choices }: RootFields): RootColumns {
    const root: RootColumns = {};
    const given = this.payload;
    for (const field of texts)
      if (given[field] !== undefined) root[field] = this.text(given[field], `/${field}`, this.limits[field]) ?? null;
    for (const field of decimals) {
      const { unit, per = false } = UNIT_OF[field] ?? {};
      if (given[field] !== undefined) root[field] = this.decimal(given[field], `/${field}`, this.limits[field], unit && given[unit], per);
    }
    for (const field of wholes) {
      if (given[field] === undefined) continue;
      const number = this.whole(field);
      if (number !== undefined || given[field] === null) root[field] = number ?? null;
    }
    for (const field of flags) {
      if (given[field] === undefined) continue;
      // A flag cannot be empty: null takes it back, as in a request.
      const flag = given[field] ?? false;
      if (typeof flag !== 'boolean') this.problems.push({ code: 'invalid_flag', pointer: `/${field}`, key: 'not_a_boolean' });
      else root[field] = flag;
    }
    for (const field of units) {
      const text = this.text(given[field], `/${field}`);
      if (given[field] !== undefined && given[field] !== null && text !== undefined) root[field] = this.unit(text, `/${field}`);
    }
    for (const [field, known] of Object.entries(choices)) {
      const text = this.text(given[field], `/${field}`);
      if (given[field] === undefined) continue;
      if (text !== undefined && !Object.hasOwn(known, text))
        this.problems.push({
          code: 'invalid_enum',
          pointer: `/${field}`,
          key: 'not_one_of',
          params: { values: Object.keys(known).join(', ') },
        });
      else root[field] = text ?? null;
    }
    return root;
  }

  /** Returns the columns of references that were sent as null, as a blank text, or as an object with nothing else: they are cleared. */
  cleared(references: readonly string[]): RootColumns {
    return Object.fromEntries(references.filter((field) => namesNothing(this.payload[field])).map((field) => [columnNamed(field), null]));
  }

  /** Returns an instant; without an offset it is local time of the company. */
  instant(field: string): Date | undefined {
    return this.#moment(field, this.text(this.payload[field], `/${field}`));
  }

  /** Returns an instant that is required; if it is missing, notes a problem and returns 1970. */
  requiredInstant(field: string): Date {
    return this.#moment(field, this.required(field)) ?? new Date(0);
  }

  #moment(field: string, text: string | undefined): Date | undefined {
    const instant = text === undefined ? undefined : readMoment(text, this.zone, `/${field}`, this.warnings);
    if (text !== undefined && !instant) this.problems.push({ code: 'invalid_timestamp', pointer: `/${field}`, key: whyNoMoment(text) });
    return instant;
  }

  /** Returns a dispatch number, sent as a text or as `{ name }`. */
  dispatchNumber(): string | undefined {
    const value = this.payload.dispatch_number;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.id(value, '/dispatch_number', LIMITS.dispatchNumber);
    return this.id((value as Json).name, '/dispatch_number/name', LIMITS.dispatchNumber);
  }
}
