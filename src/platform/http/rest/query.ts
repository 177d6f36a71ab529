import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { wireFields } from '../../model/names.ts';
import { isStorable } from '../../text.ts';
import { coerceEnum, coerceScalar, complain, type InputErrorCollector } from './inputs.ts';

/** Parameters of a query string that are looked at. */
export const MAX_PARAMETERS = 2_000;
const MAX_DEPTH = 8;
const KEY = /^[^[\]]+(\[[^[\]]*\])*$/;

/** One step of `filter[job][states][]=a`: values given for it, and the steps below it. */
export interface QueryNode {
  values: QueryValue[];
  children: Map<string, QueryNode>;
}

/** The whole query string. */
export interface QueryTree extends QueryNode {
  /** Names that could not be read, with a value. */
  unread: string[];
}

/** `filter[states][]=a` is one element; `filter[states]=a,b` may be two. */
interface QueryValue {
  text: string;
  element: boolean;
}

/** Reads a query string into a tree. Keys that are no bracketed names are not; broken percent escapes stay as they are. */
export function parseQuery(search: string): QueryTree {
  const root: QueryTree = { values: [], children: new Map(), unread: [] };
  const pairs = search.replace(/^\?/, '').split('&', MAX_PARAMETERS);
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const steps = key.split('[').map((step) => step.replace(/\]$/, ''));
    if (!KEY.test(key) || steps.length > MAX_DEPTH) {
      if (value !== '') root.unread.push(key);
      continue;
    }
    const last = steps.at(-1) as string;
    const inList = steps.length > 1 && /^\d*$/.test(last);
    let node: QueryNode = root;
    for (const step of inList ? steps.slice(0, -1) : steps) {
      const next: QueryNode = node.children.get(step) ?? { values: [], children: new Map() };
      node.children.set(step, next);
      node = next;
    }
    node.values.push({ text: value, element: inList });
  }
  return root;
}

/** The name of a nested parameter as the client writes it: `filter[states]`. */
const bracket = (path: string, step: string) => `${path}[${step}]`;

/**
 * A GraphQL variable's value out of query parameters; undefined when none of them was given. An empty value is the same as none,
 * as forms and half-filled links send it.
 */
export function coerceQuery(node: QueryNode | undefined, type: GraphQLInputType, path: string, to: InputErrorCollector): unknown {
  if (!node) return isNonNullType(type) ? complain(to, path, 'required') : undefined;
  const nullable = getNullableType(type) as GraphQLInputType;
  if (isInputObjectType(nullable)) return coerceGroup(node, nullable, path, to, isNonNullType(type));
  if (String(nullable) === 'JSON' && node.children.size > 0) return coerceMap(node, path, to);
  const given = node.values.filter((value) => value.text !== '');
  for (const [step, child] of node.children) ignoreAll(child, bracket(path, step), to);
  if (given.length === 0) return isNonNullType(type) ? complain(to, path, 'required') : undefined;
  if (isListType(nullable)) {
    const values = given.flatMap(({ text, element }) => (element ? [text] : text.split(','))).filter((text) => text !== '');
    return values.map((text) => coerceLeaf(text, nullable.ofType as GraphQLInputType, path, to));
  }
  const { text } = given.at(-1) as QueryValue;
  if (given.some((other) => other.text !== text)) to.ignored?.add('Request', path, 'given_twice');
  return coerceLeaf(text, nullable, path, to);
}

/** Notes every parameter at and below a place that no input has. One without a value asks for nothing. */
export function ignoreAll(node: QueryNode, path: string, to: InputErrorCollector): void {
  if (node.values.some(({ text }) => text !== '')) to.ignored?.add('Request', path, 'unknown_parameter');
  for (const [step, child] of node.children) ignoreAll(child, bracket(path, step), to);
}

/** `mapping[Order #]=external_id`: a JSON parameter with names of the client's choice; their texts, empty ones too. */
function coerceMap(node: QueryNode, path: string, to: InputErrorCollector): unknown {
  const entries = [...node.children].map(([name, child]) => [name, child.values.at(-1)?.text ?? ''] as const);
  for (const [name, text] of entries) if (!isStorable(name) || !isStorable(text)) complain(to, path, 'unstorable_text');
  return Object.fromEntries(entries);
}

function coerceGroup(node: QueryNode, type: GraphQLInputObjectType, path: string, to: InputErrorCollector, required: boolean): unknown {
  if (node.values.some((value) => value.text !== '')) return complain(to, path, 'not_an_object');
  const names = wireFields(type);
  const result: Record<string, unknown> = {};
  // In the order they were written: the first sort key is the first.
  for (const [wire, child] of node.children) {
    const name = names.get(wire);
    const field = name === undefined ? undefined : type.getFields()[name];
    if (name === undefined || !field) {
      ignoreAll(child, bracket(path, wire), to);
      continue;
    }
    const value = coerceQuery(child, field.type, bracket(path, wire), to);
    if (value !== undefined) result[name] = value;
  }
  for (const [wire, name] of names) {
    const field = type.getFields()[name];
    if (field && isNonNullType(field.type) && field.defaultValue === undefined && !node.children.has(wire))
      complain(to, bracket(path, wire), 'required');
  }
  return Object.keys(result).length > 0 || required ? result : undefined;
}

function coerceLeaf(text: string, type: GraphQLInputType, path: string, to: InputErrorCollector): unknown {
  const leaf = getNullableType(type) as GraphQLInputType;
  if (!isStorable(text)) return complain(to, path, 'unstorable_text');
  if (isEnumType(leaf)) return coerceEnum(text, leaf, path, to);
  if (isListType(leaf) || isInputObjectType(leaf)) return complain(to, path, 'wrong_type');
  return coerceScalar(typed(text, leaf.toString()), leaf as never, path, to);
}

const INSTANTS = new Set(['DateTime', 'DateOrInstant']);

/** Parameters are text: numbers and booleans are read out of it, everything else is taken as it is. */
function typed(text: string, type: string): unknown {
  if (type === 'Int' && /^-?\d{1,10}$/.test(text)) return Number(text);
  if (type === 'Float' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'Boolean' && (text === 'true' || text === '1')) return true;
  // A plus that was not written as %2B arrives as a blank.
  if (INSTANTS.has(type)) return text.replace(/^(\S+T\S+) (\d{2}:?\d{2})$/, '$1+$2');
  if (type === 'Boolean' && (text === 'false' || text === '0')) return false;
  return text;
}

/** A part of a query string as it was meant; broken percent escapes stay as they are. */
export function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
