import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLBoolean,
  type GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { memberKey } from '../../read/selection.ts';
import { type Complete, isPromise, type Resolved, Unusual } from './completion.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The value is a member of the object that is its source, which was read with the field's arguments (`memberKey`). */
    isMember?: boolean;
  }
}

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;
/** Field nodes by the key under which they are answered. */
export type Selected = ReadonlyMap<string, readonly FieldNode[]>;

/** A selection that completes values, among those that begin with the same field. */
interface Known {
  type: GraphQLObjectType;
  selected: Selected;
  /** The fragments below its fields: another document may have others of their names. */
  below: ReadonlyMap<string, FragmentDefinitionNode>;
  complete: Complete | undefined;
}

const known = new WeakMap<FieldNode, Known[]>();
const serializers = new WeakMap<GraphQLLeafType, (value: unknown) => unknown>();

/**
 * The fields of selections by the key under which they are answered, in the order of the answer.
 * @returns undefined if the variables decide about some of them
 */
export function fieldsByKey(sets: readonly SelectionSetNode[], type: GraphQLObjectType, fragments: Fragments): Selected | undefined {
  const found = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.directives?.some(decides)) return false;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = found.get(key);
        if (nodes) nodes.push(selection);
        else found.set(key, [selection]);
        return true;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value]!;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (spread.has(selection.name.value)) return true;
        spread.add(selection.name.value);
      }
      return (fragment.typeCondition && fragment.typeCondition.name.value !== type.name) || collect(fragment.selectionSet);
    });
  return sets.every(collect) ? found : undefined;
}

const decides = ({ name }: DirectiveNode): boolean => name.value === 'skip' || name.value === 'include';

/**
 * Returns what completes values of a type, null apart, for the selections of a field.
 * @returns undefined if graphql-jit has to do it
 */
export function completerOf(type: GraphQLOutputType, nodes: readonly FieldNode[], fragments: Fragments): Complete | undefined {
  const nullable = getNullableType(type);
  if (isLeafType(nullable)) return serializerOf(nullable);
  if (isListType(nullable)) {
    const complete = completerOf(nullable.ofType, nodes, fragments);
    return complete && listOf(complete, !isNonNullType(nullable.ofType));
  }
  if (!isObjectType(nullable) || nullable.isTypeOf) return undefined;
  const selected = fieldsByKey(
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    nullable,
    fragments,
  );
  return selected && selected.size > 0 ? objectOf(nullable, selected, fragments) : undefined;
}

/** Fragments are spread in many places, of many documents, which share what completes their fields. */
function objectOf(type: GraphQLObjectType, selected: Selected, fragments: Fragments): Complete | undefined {
  const [[first]] = selected.values() as unknown as [[FieldNode]];
  const others = known.get(first) ?? [];
  known.set(first, others);
  const same = others.find((one) => one.type === type && isSame(one.selected, selected) && areAmong(one.below, fragments));
  if (same) return same.complete;
  const complete = compileObject(type, selected, fragments);
  const below = new Map<string, FragmentDefinitionNode>();
  for (const nodes of selected.values()) for (const { selectionSet } of nodes) if (selectionSet) addSpread(selectionSet, fragments, below);
  others.push({ type, selected, below, complete });
  return complete;
}

const areAmong = (some: Known['below'], fragments: Fragments): boolean => [...some].every(([name, one]) => fragments[name] === one);

/** Adds the fragments that are spread in a selection, directly or through others. */
function addSpread({ selections }: SelectionSetNode, fragments: Fragments, to: Map<string, FragmentDefinitionNode>): void {
  for (const selection of selections) {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      if (selection.selectionSet) addSpread(selection.selectionSet, fragments, to);
      continue;
    }
    const fragment = fragments[selection.name.value]!;
    if (to.has(fragment.name.value)) continue;
    to.set(fragment.name.value, fragment);
    addSpread(fragment.selectionSet, fragments, to);
  }
}

function isSame(one: Selected, other: Selected): boolean {
  if (one.size !== other.size) return false;
  const [ones, others] = [[...one], [...other]];
  return ones.every(([key, nodes], at) => {
    const [otherKey, otherNodes] = others[at]!;
    return key === otherKey && nodes.length === otherNodes.length && nodes.every((node, of) => node === otherNodes[of]);
  });
}

/** Compiles a function that makes the object of an answer: one literal, with the values of fields in the order of the selection. */
function compileObject(type: GraphQLObjectType, selected: Selected, fragments: Fragments): Complete | undefined {
  const constants: unknown[] = [];
  const constant = (value: unknown) => `c[${constants.push(value) - 1}]`;
  const reads: string[] = [];
  const members: string[] = [];
  const later: string[] = [];
  let resolves = false;
  for (const [key, nodes] of selected) {
    const name = JSON.stringify(key);
    const [node] = nodes as [FieldNode];
    if (node.name.value === '__typename') {
      members.push(`${name}: ${JSON.stringify(type.name)}`);
      continue;
    }
    const field = type.getFields()[node.name.value];
    const complete = field && completerOf(field.type, nodes, fragments);
    if (!field || !complete) return undefined;
    const inner = getNullableType(field.type);
    const isNullable = inner === field.type;
    if (field.resolve && !field.extensions.isMember) {
      const takesArguments = field.args.some(({ defaultValue }) => defaultValue !== undefined) || Boolean(node.arguments?.length);
      const nothing: Complete = (value, run, path) => (value === null || value === undefined ? null : complete(value, run, path));
      const of: Resolved = { key, field, parentType: type, fieldNodes: nodes, takesArguments, complete: isNullable ? nothing : complete };
      members.push(`${name}: null`);
      later.push(`x.resolve(o, ${constant(of)}, v, p);`);
      continue;
    }
    const read = `a${reads.length}`;
    reads.push(`${read} = v[${JSON.stringify(field.extensions.isMember ? memberKey(node) : field.name)}]`);
    resolves ||= complete.resolves === true;
    const path = complete.resolves ? `{ prev: p, key: ${name}, typename: ${JSON.stringify(type.name)} }` : 'p';
    const value = isLeafType(inner) ? leafCode(inner, read, constant) : `${constant(complete)}(${read}, x, ${path})`;
    members.push(`${name}: ${isNullable ? `${read} == null ? null : ${value}` : value}`);
  }
  const body = `if (v == null || v instanceof Error) throw v;
${reads.length > 0 ? `const ${reads.join(', ')};` : ''}
const o = { ${members.join(',\n')} };
${later.join('\n')}
return o;`;
  const made = new Function('c', `return function (v, x, p) { ${body} }`)(constants) as Complete;
  return resolves || later.length > 0 ? Object.assign(made, { resolves: true as const }) : made;
}

/** Code of a value that is not null: values that are as their type says are answered as they are. */
function leafCode(type: GraphQLLeafType, value: string, constant: (value: unknown) => string): string {
  const other = `${constant(serializerOf(type))}(${value})`;
  if (isEnumType(type)) return `${constant(namesOf(type))}.get(${value}) ?? ${other}`;
  const isUsual = USUAL.get(type)?.(value);
  return isUsual ? `${isUsual} ? ${value} : ${other}` : other;
}

const isText = (value: string): string => `typeof ${value} === "string"`;
/** Code of whether a value is serialized as it is. */
const USUAL: ReadonlyMap<GraphQLLeafType, (value: string) => string> = new Map<GraphQLLeafType, (value: string) => string>([
  [GraphQLString, isText],
  [GraphQLID, isText],
  [GraphQLInt, (value: string) => `typeof ${value} === "number" && (${value} | 0) === ${value}`],
  [GraphQLFloat, (value: string) => `typeof ${value} === "number" && ${value} - ${value} === 0`],
  [GraphQLBoolean, (value: string) => `typeof ${value} === "boolean"`],
]);

const namesOf = (type: GraphQLEnumType): ReadonlyMap<unknown, string> => new Map(type.getValues().map(({ name, value }) => [value, name]));

/** What serializes a value, of which not even the type is known. */
function serializerOf(type: GraphQLLeafType): (value: unknown) => unknown {
  const found = serializers.get(type);
  if (found) return found;
  const serialize = (value: unknown): unknown => {
    if (value === null || value === undefined || value instanceof Error || isPromise(value)) throw new Unusual(`no value of ${type.name}`);
    const serialized: unknown = type.serialize(value);
    if (serialized === undefined || Number.isNaN(serialized)) throw new Unusual(`an invalid value of ${type.name}`);
    return serialized;
  };
  serializers.set(type, serialize);
  return serialize;
}

function listOf(complete: Complete, isNullable: boolean): Complete {
  const { resolves } = complete;
  const list: Complete = (values, run, path) => {
    if (!Array.isArray(values)) throw new Unusual('no array');
    const made: unknown[] = [];
    for (let at = 0; at < values.length; at++) {
      const value: unknown = values[at];
      if (isPromise(value)) {
        // graphql-jit waits for all of them, but later: until then nobody would hear that one is rejected, which ends the process.
        for (const one of values) if (isPromise(one)) void one.then(undefined, () => undefined);
        throw new Unusual('an element that is awaited');
      }
      if (isNullable && (value === null || value === undefined)) made.push(null);
      else made.push(complete(value, run, resolves ? { prev: path, key: at, typename: undefined } : path));
    }
    return made;
  };
  return resolves ? Object.assign(list, { resolves }) : list;
}
