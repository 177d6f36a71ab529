import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { Extensions, type ValidatorFn } from 'type-graphql';
import { Decimal, isShortDecimal, readDecimal } from '../decimal.ts';
import { type ErrorItem, Invalid } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { modelOfInput, unwrapped } from '../model/names.ts';
import { join } from '../text.ts';

/**
 * Ranges and lengths of input fields, declared at the field, so that both interfaces, the OpenAPI file and the error collector read the
 * same declaration: `@Field(() => Int) @Range(1, 200) truckCount!: number`.
 */
export interface Rule {
  /** Its keyword in OpenAPI. */
  schema: Record<string, unknown>;
  /** The message when the (never null) value breaks the rule. */
  check(value: unknown): Broken | undefined;
}

export interface Broken {
  key: string;
  params: Record<string, string | number>;
}

/** A number from `min` to `max`, both inclusive; leave one undefined for a half-open range. */
export function Range(min: number | undefined, max?: number): PropertyDecorator {
  return declare(rangeRule(min, max));
}

/** Money from `min` to `max`, both inclusive, with four decimals at most: more would be rounded in silence when it is stored (BILLING B14). */
export function Amount(min: number, max: number): PropertyDecorator {
  const range = rangeRule(min, max);
  return declare({
    schema: { ...range.schema, multipleOf: 10 ** -MOST_DECIMALS },
    check: (value) =>
      range.check(value) ??
      ((readDecimal(value) ?? new Decimal(0)).decimalPlaces() > MOST_DECIMALS
        ? { key: 'too_many_decimals', params: { max: MOST_DECIMALS } }
        : undefined),
  });
}

/** Decimals of a money column, numeric(18,4). */
const MOST_DECIMALS = 4;

/** A text of `min` to `max` characters. */
export function Length(min: number, max: number): PropertyDecorator {
  return declare(lengthRule(min, max));
}

/** At most this many elements of a list: each costs a look-up or a row, and lists are shown whole wherever their record is. */
export function AtMost(max: number): PropertyDecorator {
  return declare({
    schema: { maxItems: max },
    check: (value) => (Array.isArray(value) && value.length > max ? { key: 'too_many_items', params: { max } } : undefined),
  });
}

/** One of these texts, where they cannot be names of a GraphQL enum (`YYYY/MM/DD`). For a list it applies to every element. */
export function OneOf(values: readonly string[]): PropertyDecorator {
  return declare(oneOfRule(values));
}

const declared = new WeakMap<object, Map<PropertyKey, Rule>>();

function declare(rule: Rule): PropertyDecorator {
  const extend = Extensions({ rules: [rule] }) as PropertyDecorator;
  return (prototype, field) => {
    const rules = declared.get(prototype) ?? new Map<PropertyKey, Rule>();
    declared.set(prototype, rules.set(field, rule));
    extend(prototype, field);
  };
}

/**
 * The rule declared at a field of an input class or of a class it extends, for code that accepts the same value in another form.
 * @throws Error when there is none: code that relies on a rule must notice that it is gone
 */
export function ruleOf<T extends object>(type: { prototype: T }, field: keyof T & string): Rule {
  for (let at: object | null = type.prototype; at; at = Object.getPrototypeOf(at) as object | null) {
    const rule = declared.get(at)?.get(field);
    if (rule) return rule;
  }
  throw new Error(`no rule is declared for ${field}`);
}

/** Returns the rules of an input field or argument; none if it has none. */
export function rulesOf(field: GraphQLInputField | GraphQLArgument): readonly Rule[] {
  return (field.extensions?.rules as Rule[] | undefined) ?? [];
}

const checked = new WeakSet<object>();

/** Notes that an input meets its rules: who read it has checked them. */
export const noteChecked = (input: object): void => void checked.add(input);

/**
 * Enforces the rules where the REST edge has not done so (`readArgumentsAtOnce`). Paths omit an argument named
 * `input`. Ids inside an input must be UUIDs, as in bodies. An id that names the record is a separate argument, and a wrong one is 404.
 * @throws Invalid with every broken rule
 */
export const enforceRules: ValidatorFn = (_value, _type, { args, info }) => {
  const items: ErrorItem[] = [];
  const ids = info.parentType === info.schema.getMutationType();
  for (const argument of ruledArguments(info.parentType.getFields()[info.fieldName], ids)) {
    const given = args[argument.name];
    if (typeof given === 'object' && given !== null && checked.has(given)) continue;
    if (given !== null && given !== undefined)
      for (const rule of rulesOf(argument)) {
        const broken = rule.check(given);
        if (broken) items.push({ model: 'Request', field: argument.name, ...broken });
      }
    // Almost every input is in order, and a batch has thousands of fields: paths are made only for what is not.
    if (isInOrder(given, argument.type, ids)) continue;
    const model = modelOfInput(argument.type);
    const path = argument.name === 'input' ? '' : argument.name;
    collectBroken(given, argument.type, path, ids, (field, broken) => items.push({ model, field, ...broken }));
  }
  if (items.length > 0) throw new Invalid(items);
};

const ruled = new WeakMap<GraphQLField<unknown, unknown>, readonly GraphQLArgument[]>();
/** The arguments of a field that have a rule, or one somewhere inside; most have none, and are asked for with every request. */
function ruledArguments(field: GraphQLField<unknown, unknown> | undefined, ids: boolean): readonly GraphQLArgument[] {
  if (!field) return [];
  const known = ruled.get(field);
  if (known) return known;
  const found = field.args.filter((argument) => rulesOf(argument).length > 0 || hasRules(argument.type, ids, new Set()));
  ruled.set(field, found);
  return found;
}

function hasRules(type: GraphQLInputType, ids: boolean, seen: Set<GraphQLInputType>): boolean {
  const inner = unwrapped(type) as GraphQLInputType;
  if (!isInputObjectType(inner) || seen.has(inner)) return false;
  seen.add(inner);
  return Object.values(inner.getFields()).some(
    (field) => rulesOf(field).length > 0 || (ids && isId(field.type)) || hasRules(field.type, ids, seen),
  );
}

const isId = (type: GraphQLInputType): boolean => getNamedType(type).name === GraphQLID.name;

/** The checks of a field: its rules, whether it is an id, and its type if something inside of it has rules. */
interface Ruled {
  name: string;
  rules: readonly Rule[];
  id: boolean;
  inside?: GraphQLInputType;
}

const ruledInputs = new WeakMap<GraphQLInputObjectType, { withIds: readonly Ruled[]; withoutIds: readonly Ruled[] }>();

function ruledFields(type: GraphQLInputObjectType, ids: boolean): readonly Ruled[] {
  const known = ruledInputs.get(type) ?? { withIds: ruledOf(type, true), withoutIds: ruledOf(type, false) };
  ruledInputs.set(type, known);
  return ids ? known.withIds : known.withoutIds;
}

const ruledOf = (type: GraphQLInputObjectType, ids: boolean): Ruled[] =>
  Object.values(type.getFields()).flatMap((field) => {
    const [rules, id] = [rulesOf(field), ids && isId(field.type)];
    const inside = hasRules(field.type, ids, new Set()) ? field.type : undefined;
    return rules.length > 0 || id || inside ? { name: field.name, rules, id, inside } : [];
  });

/** True if `collectBroken` would report nothing. */
function isInOrder(value: unknown, type: GraphQLInputType, ids: boolean): boolean {
  if (value === null || value === undefined) return true;
  const inner = getNullableType(type) as GraphQLInputType;
  if (isListType(inner)) return (value as unknown[]).every((element) => isInOrder(element, inner.ofType as GraphQLInputType, ids));
  if (!isInputObjectType(inner)) return true;
  return ruledFields(inner, ids).every(({ name, rules, id, inside }) => {
    const given = (value as Record<string, unknown>)[name];
    if (given === null || given === undefined) return true;
    if (rules.some((rule) => rule.check(given))) return false;
    if (id) return areUuids(given);
    return !inside || isInOrder(given, inside, ids);
  });
}

const areUuids = (given: unknown): boolean => (Array.isArray(given) ? given.every(areUuids) : given === null || isUuid(given));

type Report = (path: string, broken: Broken) => void;

function collectBroken(value: unknown, type: GraphQLInputType, path: string, ids: boolean, report: Report): void {
  if (value === null || value === undefined) return;
  const inner = getNullableType(type) as GraphQLInputType;
  if (isListType(inner)) {
    for (const [i, element] of (value as unknown[]).entries())
      collectBroken(element, inner.ofType as GraphQLInputType, join(path, String(i)), ids, report);
  } else if (isInputObjectType(inner)) {
    for (const { name, rules, id, inside } of ruledFields(inner, ids)) {
      const given = (value as Record<string, unknown>)[name];
      if (given === null || given === undefined) continue;
      for (const rule of rules) {
        const broken = rule.check(given);
        if (broken) report(join(path, name), broken);
      }
      if (id) collectOtherThanUuids(given, join(path, name), report);
      else if (inside) collectBroken(given, inside, join(path, name), ids, report);
    }
  }
}

function collectOtherThanUuids(given: unknown, path: string, report: Report): void {
  if (Array.isArray(given)) for (const [i, one] of given.entries()) collectOtherThanUuids(one, join(path, String(i)), report);
  else if (given !== null && !isUuid(given)) report(path, { key: 'not_a_uuid', params: {} });
}

function rangeRule(min: number | undefined, max: number | undefined): Rule {
  const [least, most] = [new Decimal(min ?? Number.NEGATIVE_INFINITY), new Decimal(max ?? Number.POSITIVE_INFINITY)];
  const isWithin = (value: unknown): boolean => {
    // A batch of positions has a thousand of these.
    const plain = typeof value === 'string' && isShortDecimal(value) ? Number(value) : value;
    if (typeof plain === 'number' && Number.isFinite(plain)) return !(plain < (min ?? plain)) && !(plain > (max ?? plain));
    const exact = readDecimal(plain) ?? new Decimal(0);
    return !exact.lt(least) && !exact.gt(most);
  };
  return {
    schema: { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
    check(value): Broken | undefined {
      if (isWithin(value)) return undefined;
      if (min === undefined) return { key: 'at_most', params: { max: max as number } };
      return max === undefined ? { key: 'at_least', params: { min } } : { key: 'out_of_range', params: { min, max } };
    },
  };
}

function lengthRule(min: number, max: number): Rule {
  return {
    schema: { minLength: min, maxLength: max },
    check(value) {
      const length = (value as string).length;
      return length < min || length > max ? { key: 'wrong_length', params: { min, max } } : undefined;
    },
  };
}

function oneOfRule(values: readonly string[]): Rule {
  return {
    schema: { enum: [...values] },
    check: (value) =>
      [value].flat().every((one) => values.includes(String(one)))
        ? undefined
        : { key: 'not_one_of', params: { values: values.join(', ') } },
  };
}
