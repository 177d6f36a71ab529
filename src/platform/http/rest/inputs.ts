import {
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { DecimalScalar, isShortDecimal } from '../../decimal.ts';
import type { ErrorCollector, ErrorItem } from '../../errors.ts';
import { type Rule, rulesOf } from '../../graphql/rules.ts';
import { isUuid } from '../../ids.ts';
import { ExactNumber, withPlainNumbers } from '../../json/json.ts';
import { wireFields } from '../../model/names.ts';
import { isStorable, join, unstorable } from '../../text.ts';
import type { Ignored } from './ignored.ts';

/** Collects every problem of an input. Paths are wire paths (`waypoints.1.site_id`). */
export interface InputErrorCollector extends ErrorCollector {
  strict: boolean;
  /** False when no string of the body can be unstorable; see `parseJson`. */
  suspicious: boolean;
  /** True when the body may hold `ExactNumber`s. */
  exact: boolean;
  /** True if leaves get the form in which resolvers have them, because nobody reads them again (`isAsSent`). */
  handed?: boolean;
  /** The names that no input has, where that is no mistake. */
  ignored?: Ignored;
}

/** Collects what is wrong with a field, and returns undefined as its value. */
export function complain(to: InputErrorCollector, field: string, key: string, params?: ErrorItem['params']): undefined {
  to.items.push({ model: to.model, field, key, ...(params ? { params } : {}) });
  return undefined;
}

/**
 * Turns a JSON value with wire names into a value with GraphQL names, by the declared type. Only declared keys are taken over,
 * so `__proto__` and its like never are; absent, null, false, 0 and "" stay what they are. Leaves keep the form in which a
 * GraphQL variable is written, because executing coerces them again, unless they are handed on. A value with problems comes back as undefined.
 */
export function coerceInput(value: unknown, type: GraphQLInputType, path: string, to: InputErrorCollector): unknown {
  if (isNonNullType(type)) {
    if (value === null || value === undefined) return complain(to, path, 'required');
    return coerceInput(value, type.ofType as GraphQLInputType, path, to);
  }
  if (value === null || value === undefined) return value;
  if (isListType(type)) return coerceList(value, type.ofType as GraphQLInputType, path, to);
  if (isInputObjectType(type)) return typeof value === 'object' ? coerceObject(value, type, path, to) : complain(to, path, 'not_an_object');
  return isEnumType(type) ? coerceEnum(value, type, path, to) : coerceScalar(value, type, path, to);
}

/** An enum value by its name, which is its wire spelling. */
export function coerceEnum(value: unknown, type: GraphQLEnumType, path: string, to: InputErrorCollector): unknown {
  const known = typeof value === 'string' ? type.getValue(value) : undefined;
  if (known) return to.handed ? known.value : value;
  const names = type.getValues().map((v) => v.name);
  return complain(to, path, 'not_one_of', { values: names.join(', ') });
}

/** A scalar, checked by its own `parseValue`; custom scalars may name their message in `extensions.key`. */
export function coerceScalar(value: unknown, type: GraphQLScalarType, path: string, to: InputErrorCollector): unknown {
  if (type.name === 'JSON') return coerceJson(value, path, to);
  if (typeof value === 'string' && to.suspicious && !isStorable(value)) return complain(to, path, 'unstorable_text');
  switch (type.name) {
    case 'ID':
      return isUuid(value) ? value.toLowerCase() : complain(to, path, 'not_a_uuid');
    case 'String':
      return typeof value === 'string' ? value : complain(to, path, 'not_a_string');
    case 'Boolean':
      return typeof value === 'boolean' ? value : complain(to, path, 'not_a_boolean');
    case 'Int': {
      const number = value instanceof ExactNumber ? value.value : value;
      return typeof number === 'number' && Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 31
        ? number
        : complain(to, path, 'not_an_integer');
    }
  }
  const plain = value instanceof ExactNumber ? (type.name === DecimalScalar.name ? value.text : value.value) : value;
  if (type === DecimalScalar && typeof plain === 'string' && isShortDecimal(plain)) return plain;
  if (typeof plain === 'object') return complain(to, path, 'wrong_type');
  try {
    const parsed = type.parseValue(plain);
    // A decimal is what it is as a number or a text, too, and a thousand of them take long to make.
    return to.handed && type !== DecimalScalar ? parsed : plain;
  } catch (error) {
    const key = (error as { extensions?: { key?: unknown } }).extensions?.key;
    return complain(to, path, typeof key === 'string' ? key : type.name === 'Float' ? 'not_a_number' : 'wrong_type');
  }
}

function coerceList(value: unknown, item: GraphQLInputType, path: string, to: InputErrorCollector): unknown {
  if (!Array.isArray(value)) return complain(to, path, 'not_a_list');
  return value.map((element, i) => coerceInput(element, item, join(path, String(i)), to));
}

function coerceObject(value: object, type: GraphQLInputObjectType, path: string, to: InputErrorCollector): unknown {
  if (Array.isArray(value) || value instanceof ExactNumber) return complain(to, path, 'not_an_object');
  const fields = type.getFields();
  const names = wireFields(type);
  const result: Record<string, unknown> = {};
  for (const [wire, name] of names) {
    const field = fields[name] as (typeof fields)[string];
    const at = join(path, wire);
    if (!Object.hasOwn(value, wire)) {
      if (field.defaultValue !== undefined && to.handed) result[name] = field.defaultValue;
      else if (isNonNullType(field.type) && field.defaultValue === undefined) complain(to, at, 'required');
      continue;
    }
    const before = to.items.length;
    const coerced = coerceInput((value as Record<string, unknown>)[wire], field.type, at, to);
    if (to.items.length > before) continue;
    result[name] = coerced;
    for (const rule of rulesOf(field)) {
      const broken = coerced === null || coerced === undefined ? undefined : rule.check(coerced);
      if (broken) complain(to, at, broken.key, broken.params);
    }
  }
  for (const key of Object.keys(value)) {
    if (names.has(key)) continue;
    if (to.strict) complain(to, join(path, key), 'unknown_field');
    else to.ignored?.add(to.model, join(path, key), 'unknown_field');
  }
  return result;
}

function coerceJson(value: unknown, path: string, to: InputErrorCollector): unknown {
  if (to.suspicious) {
    const bad = unstorable(value, path);
    for (const at of bad) complain(to, at, 'unstorable_text');
    if (bad.length > 0) return undefined;
  }
  return to.exact ? withPlainNumbers(value) : value;
}

/** The answer of a reader to a value that is a matter for `coerceInput`, or that it does not know. */
export const UNUSUAL = Symbol('unusual');

/** Reads a value that is neither missing nor null, as `coerceInput` does for values that are handed on. */
type Read = (value: unknown) => unknown;

const known = new WeakMap<GraphQLInputType, Read>();

/**
 * Returns what reads values of a type in which nothing is wrong or unknown, in a third of the time: it has no paths for errors, and the fields of
 * objects are looked up once. For bodies without numbers or texts that need a closer look.
 */
export function usualReader(type: GraphQLInputType): Read {
  const read = known.get(type) ?? readerOf(type);
  known.set(type, read);
  return read;
}

function readerOf(given: GraphQLInputType): Read {
  const type = getNullableType(given);
  if (isListType(type)) return listReader(type.ofType);
  if (isInputObjectType(type)) return objectReader(type);
  return isScalarType(type) ? scalarReader(type) : () => UNUSUAL;
}

function listReader(item: GraphQLInputType): Read {
  const read = usualReader(item);
  return (value) => {
    if (!Array.isArray(value)) return UNUSUAL;
    const all: unknown[] = [];
    for (const element of value) {
      const one = element === null ? UNUSUAL : read(element);
      if (one === UNUSUAL) return UNUSUAL;
      all.push(one);
    }
    return all;
  };
}

interface Field {
  wire: string;
  name: string;
  /** Whether it must be there, and be more than null. */
  required: boolean;
  read: Read;
  rules: readonly Rule[];
}

function objectReader(type: GraphQLInputObjectType): Read {
  const declared = type.getFields();
  if (Object.values(declared).some(({ defaultValue }) => defaultValue !== undefined)) return () => UNUSUAL;
  const fields = [...wireFields(type)].map(([wire, name]): Field => {
    const field = declared[name]!;
    return { wire, name, required: isNonNullType(field.type), read: usualReader(field.type), rules: rulesOf(field) };
  });
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNUSUAL;
    const result: Record<string, unknown> = {};
    let left = Object.keys(value).length;
    for (const { wire, name, required, read, rules } of fields) {
      // A value that was parsed from JSON is never undefined.
      const inner = Object.hasOwn(value, wire) ? (value as Record<string, unknown>)[wire] : undefined;
      if (inner === undefined || inner === null) {
        if (required) return UNUSUAL;
        if (inner === undefined) continue;
        result[name] = inner;
      } else {
        const one = read(inner);
        if (one === UNUSUAL) return UNUSUAL;
        for (const rule of rules) if (rule.check(one)) return UNUSUAL;
        result[name] = one;
      }
      left--;
    }
    return left === 0 ? result : UNUSUAL;
  };
}

function scalarReader(type: GraphQLScalarType): Read {
  const to: InputErrorCollector = { model: '', items: [], strict: false, suspicious: false, exact: false, handed: true };
  return (value) => {
    const read = coerceScalar(value, type, '', to);
    if (to.items.length === 0) return read;
    to.items.length = 0;
    return UNUSUAL;
  };
}
