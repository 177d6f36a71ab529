import type { Facts, Fields, Type } from './facts.ts';

/** Returns where a value differs from the contract: `orders.0.name: is null`. Fields that the contract does not know are ignored. */
export function misfits(facts: Facts, value: unknown, type: Type, at = 'data'): string[] {
  if (typeof type === 'string') return misfitOfName(facts, value, type, at);
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [`${at}: is not a list`];
    // The elements of a list come from one query, so the first few represent all of them.
    return value.slice(0, 5).flatMap((one, i) => misfits(facts, one, type[0] as Type, `${at}.${i}`));
  }
  if (isNullable(type)) return value === null ? [] : misfits(facts, value, type.nullable, at);
  if (isChoice(type)) {
    const tried = type.oneOf.map((one) => misfits(facts, value, one, at));
    return tried.some((found) => found.length === 0) ? [] : (tried[0] ?? []);
  }
  return misfitsOfFields(facts, value, type, at);
}

function misfitsOfFields(facts: Facts, value: unknown, fields: Fields, at: string): string[] {
  // A type without fields: the contract says only that there is an answer.
  if (Object.keys(fields).length === 0) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at}: is no object`];
  return Object.entries(fields).flatMap(([name, type]) => {
    const optional = name.endsWith('?');
    const field = optional ? name.slice(0, -1) : name;
    const given = (value as Record<string, unknown>)[field];
    if (given === undefined) return optional ? [] : [`${at}.${field}: is missing`];
    if (given === null && optional) return [];
    return misfits(facts, given, type, `${at}.${field}`);
  });
}

const FORMS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  // Quantities, prices and coordinates are decimal strings in answers (contract, Notes).
  number: (value) => typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)),
  object: (value) => typeof value === 'object' && value !== null,
  any: () => true,
};

function misfitOfName(facts: Facts, value: unknown, text: string, at: string): string[] {
  const nullable = / \| null$/.test(text) || text.startsWith('Nullable');
  const type = text.replace(/ \| null$/, '');
  if (value === null) return nullable || type === 'any' ? [] : [`${at}: is null`];
  const enumeration = facts.enums[type.replace(/^enum /, '').replace(/ =.*$/, '')] ?? facts.enums[type.replace(/^Nullable/, '')];
  if (enumeration) return enumeration.includes(String(value)) ? [] : [`${at}: ${JSON.stringify(value)} is none of its enum`];
  const shape = facts.shapes[type];
  if (shape) return misfits(facts, value, shape, at);
  const word = (/^\w+/.exec(type) as RegExpExecArray)[0];
  const form = FORMS[word];
  if (!form) return [];
  if (!form(value)) return [`${at}: ${JSON.stringify(value)?.slice(0, 40)} is no ${word}`];
  if (type.startsWith('string:uuid') && !/^[0-9a-f-]{36}$/.test(String(value))) return [`${at}: is no UUID`];
  if (type.startsWith('string:date-time') && Number.isNaN(Date.parse(String(value)))) return [`${at}: is no instant`];
  return [];
}

export const isNullable = (type: Type): type is { nullable: Type } => typeof type === 'object' && 'nullable' in type;
export const isChoice = (type: Type): type is { oneOf: Type[] } => typeof type === 'object' && 'oneOf' in type;
