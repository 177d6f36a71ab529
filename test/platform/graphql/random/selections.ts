import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { dice } from '../../../helpers/properties.ts';

export type Dice = ReturnType<typeof dice>;

/** Ids of records that are there, by their type. */
export type Known = ReadonlyMap<string, readonly string[]>;

/** A value of an argument, and its type in the schema. */
interface Given {
  value: unknown;
  type: GraphQLInputType;
}

/** A field that is asked for, as somebody means it: two documents with the same selections have the same answer. */
export interface Selected {
  /** The key under which it is answered. */
  key: string;
  name: string;
  args: ReadonlyMap<string, Given>;
  type: GraphQLObjectType | undefined;
  fields: readonly Selected[];
  /** The variable that decides whether it is asked for, and with which value it is. */
  condition?: { variable: number; when: boolean };
}

/** Variables that decide about fields. */
export const DECIDING = 3;
const DEEPEST = 4;
/** Of them each answer has others: what they say depends on the moment, or on what was asked before. */
const OF_THE_MOMENT = /^(changes|accountingFile|reportPage|importErrorsCsv|endCursor|startCursor|cursor|time[A-Z]\w*|\w*(Age|Url)|now)$/;

/** Draws selections of a type. Each has `__typename` without a condition, so that something is always asked for. */
export function draw(known: Known, random: Dice): (type: GraphQLObjectType, most: number) => Selected[] {
  const idsOf = (name: string, field: GraphQLField<unknown, unknown>): readonly string[] => {
    const of = name === 'id' ? getNamedType(field.type).name : name.replace(/Id$/, '').replace(/^./, (first) => first.toUpperCase());
    return known.get({ Driver: 'User', Foreman: 'User' }[of] ?? of) ?? [];
  };
  const leaf = (type: GraphQLInputType): unknown => {
    const named = getNamedType(type);
    if (isEnumType(named)) return random.of(named.getValues()).name;
    return { Boolean: random.chance(0.5), String: random.of(['1', 'gravel', 'x']), Int: random.below(4) }[named.name];
  };
  const drawn = (type: GraphQLInputType, depth = 0): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const one = drawn(nullable.ofType, depth + 1);
      return one === undefined ? undefined : [one];
    }
    if (!isInputObjectType(nullable)) return leaf(nullable);
    if (depth > 1) return undefined;
    const found: Record<string, unknown> = {};
    for (const field of Object.values(nullable.getFields())) {
      if (!random.chance(0.15)) continue;
      const value = drawn(field.type, depth + 1);
      if (value !== undefined) found[field.name] = value;
    }
    return Object.keys(found).length > 0 ? found : undefined;
  };
  /** The arguments of a field; undefined if one that it needs is not known. */
  const argsOf = (field: GraphQLField<unknown, unknown>): Map<string, Given> | undefined => {
    const args = new Map<string, Given>();
    const give = ({ name, type }: GraphQLArgument, value: unknown) => void args.set(name, { value, type });
    for (const arg of field.args) {
      if (isRequiredArgument(arg)) {
        const ids = getNamedType(arg.type).name === 'ID' ? idsOf(arg.name, field) : [];
        if (ids.length === 0) return undefined;
        give(arg, isListType(getNullableType(arg.type)) ? [random.of(ids), random.of(ids)] : random.of(ids));
      } else if (arg.name === 'first' && !random.chance(0.2)) give(arg, 1 + random.below(3));
      else if (['filter', 'sort', 'search'].includes(arg.name) && random.chance(0.25)) {
        const value = drawn(arg.type);
        if (value !== undefined) give(arg, value);
      }
    }
    const last = field.args.find(({ name }) => name === 'last');
    if (last && !args.has('first')) give(last, 1 + random.below(2));
    return args;
  };
  const fieldsOf = (type: GraphQLObjectType, most: number, depth: number): Selected[] => {
    const selected: Selected[] = [{ key: '__typename', name: '__typename', args: new Map(), type: undefined, fields: [] }];
    const all = Object.values(type.getFields()).filter(({ name }) => !OF_THE_MOMENT.test(name));
    for (let tries = 0; tries < most * 2 && selected.length <= most; tries++) {
      const field = random.of(all);
      const of = getNamedType(field.type);
      const args = argsOf(field);
      const isLeaf = !isObjectType(of);
      if (!args || (isLeaf && 'getFields' in of) || 'getTypes' in of || (!isLeaf && depth === DEEPEST)) continue;
      // The same field with other arguments needs another key.
      const key = args.size > 0 || random.chance(0.2) ? `k${selected.length}_${field.name}` : field.name;
      if (selected.some((one) => one.key === key)) continue;
      selected.push({
        ...{ key, name: field.name, args, type: isLeaf ? undefined : of },
        fields: isLeaf ? [] : fieldsOf(of, Math.max(1, most - 1), depth + 1),
        ...(random.chance(0.2) ? { condition: { variable: random.below(DECIDING), when: random.chance(0.5) } } : {}),
      });
    }
    return selected;
  };
  return (type, most) => fieldsOf(type, most, 0);
}

/** What is asked for when the deciding variables have these values. */
export const decided = (fields: readonly Selected[], values: readonly boolean[]): Selected[] =>
  fields
    .filter(({ condition }) => !condition || values[condition.variable] === condition.when)
    .map(({ condition: _, ...field }) => ({ ...field, fields: decided(field.fields, values) }));

/** Some of what is asked for. */
export const partOf = (fields: readonly Selected[], random: Dice): Selected[] =>
  fields
    .filter(({ key }) => key === '__typename' || random.chance(0.5))
    .map((field) => ({ ...field, fields: partOf(field.fields, random) }));
