import { type FieldNode, type GraphQLSchema, Kind, visit } from 'graphql';
import { getMetadataStorage, type ResolverData } from 'type-graphql';
import type { Context } from '../context.ts';
import { Decimal, DecimalScalar } from '../decimal.ts';
import { givenFor } from '../read/selection.ts';
import { enforceRules } from './rules.ts';

type Class = new () => object;
type Asked = ResolverData<Context>;
/** Makes what a resolver takes of what a client gave. */
type Read = (given: unknown) => unknown;
type Param = ReturnType<typeof getMetadataStorage>['params'][number];

/** The kinds that parameters were declared with: a schema is made of these. */
const declared = new WeakMap<Param, Param['kind']>();

/**
 * Makes a schema whose resolvers get their arguments by what is looked up once. For each argument of each request type-graphql looks for the class of
 * every field among all classes of inputs, and waits for rules that are there at once. The arguments are the same: instances of their classes that
 * have what was given.
 */
export function readArgumentsAtOnce<T>(make: () => T): T {
  const { params } = getMetadataStorage();
  for (const param of params) param.kind = (declared.get(param) ?? param.kind) as never;
  const made = make();
  const reading = new Reading();
  // The rules are those of all arguments of a resolver.
  const checked = new Map<Function, Set<string>>();
  for (const param of params) {
    if (param.kind !== 'arg' && param.kind !== 'args') continue;
    declared.set(param, param.kind);
    const read = param.kind === 'args' ? reading.ofAll(param.getType() as Class) : reading.ofOne(param.name, param.getType());
    const methods = checked.get(param.target) ?? new Set();
    checked.set(param.target, methods);
    const isFirst = !methods.has(param.methodName);
    methods.add(param.methodName);
    Object.assign(param, { kind: 'custom', options: {}, resolver: isFirst ? (asked: Asked) => inOrder(asked, read) : read });
  }
  return made;
}

/** Returns the arguments for a resolver, or the rejection with the rules that are broken. */
function inOrder(asked: Asked, read: (asked: Asked) => unknown): unknown {
  try {
    enforceRules(undefined, Object, asked);
  } catch (error) {
    return Promise.reject(error);
  }
  return read(asked);
}

/** A field of a class of inputs, and how it is made; as it is where there is nothing to be made of it. */
interface Field {
  name: string;
  read: Read | undefined;
}

class Reading {
  readonly #inputs: ReadonlyMap<unknown, Declared>;
  readonly #arguments: ReadonlyMap<unknown, Declared>;
  readonly #reads = new Map<unknown, Read>();

  constructor() {
    const { inputTypes, argumentTypes } = getMetadataStorage();
    this.#inputs = new Map(inputTypes.map((one) => [one.target, one as Declared]));
    this.#arguments = new Map(argumentTypes.map((one) => [one.target, one as Declared]));
  }

  /** One argument. */
  ofOne(name: string, type: unknown): (asked: Asked) => unknown {
    const read = this.#of(type);
    return read ? ({ args }) => read(args[name]) : ({ args }) => args[name];
  }

  /** All arguments, as one object. */
  ofAll(type: Class): (asked: Asked) => unknown {
    const make = this.#maker(type, this.#arguments);
    return ({ args }) => make(args);
  }

  #of(type: unknown): Read | undefined {
    if (type === DecimalScalar) return decimalOf;
    if (!this.#inputs.has(type)) return undefined;
    const known = this.#reads.get(type);
    if (known) return known;
    const make = this.#maker(type as Class, this.#inputs);
    const read: Read = (given) => {
      if (given === undefined || given === null) return given;
      return Array.isArray(given) ? given.map(read) : make(given as Record<string, unknown>);
    };
    this.#reads.set(type, read);
    return read;
  }

  #maker(type: Class, among: ReadonlyMap<unknown, Declared>): (given: Record<string, unknown>) => object {
    const hasDefaults = Object.values(new type()).some((value) => value !== undefined);
    // An input may contain inputs of its own class.
    let fields: readonly Field[] | undefined;
    return (given) => {
      fields ??= this.#fieldsOf(type, among);
      const made = (hasDefaults ? withoutAbsent(new type(), given) : Object.create(type.prototype)) as Record<string, unknown>;
      for (const { name, read } of fields) {
        const value = given[name];
        if (value !== undefined) made[name] = read ? read(value) : value;
      }
      return made;
    };
  }

  /** Those of a class, then those that it inherits. */
  #fieldsOf(type: Class, among: ReadonlyMap<unknown, Declared>): Field[] {
    const fields = new Map<string, Field>();
    for (let base: unknown = type; typeof base === 'function' && base.prototype !== undefined; base = Object.getPrototypeOf(base))
      for (const { name, getType } of among.get(base)?.fields ?? [])
        if (!fields.has(name)) fields.set(name, { name, read: this.#of(getType()) });
    return [...fields.values()];
  }
}

/** A compiled document has the decimals that are written in it as JSON, which is text; those of variables are decimals already. */
function decimalOf(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(decimalOf);
  return typeof given === 'string' ? new Decimal(given) : given;
}

/** A class as type-graphql knows it, once it has made a schema of it. */
interface Declared {
  fields?: readonly { name: string; getType(): unknown }[];
}

/** Removes fields that are absent from what was given, also where the class declares them. */
function withoutAbsent(made: object, given: object): object {
  for (const [name, value] of Object.entries(made))
    if (value === undefined && !(name in given)) delete (made as Record<string, unknown>)[name];
  return made;
}

const within = new WeakMap<FieldNode, boolean>();

/** Whether a variable is inside of a list or an object that a field node has written out. */
function hasVariablesWithin(node: FieldNode): boolean {
  const known = within.get(node);
  if (known !== undefined) return known;
  let variables = 0;
  const count = {
    Variable() {
      variables++;
    },
  };
  for (const { value } of node.arguments ?? []) if (value.kind !== Kind.VARIABLE) visit(value, count);
  within.set(node, variables > 0);
  return variables > 0;
}

/**
 * Has root fields take what the document says. graphql-jit 0.8 takes a variable that was not sent for a null if it is inside of an object, which would
 * clear what `update(input: { notes: $notes })` leaves as it is. Below the root the arguments are read anew in any case.
 */
export function takeVariablesWithin(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (!resolve || field.args.length === 0) continue;
      field.resolve = (source, args, ctx, info) => {
        const [node] = info.fieldNodes;
        // Who reads a record by its id asks the root field of its type with another node.
        if (!node || node.name.value !== info.fieldName || !hasVariablesWithin(node)) return resolve(source, args, ctx, info);
        return resolve(source, givenFor(field, node, info.variableValues), ctx, info);
      };
    }
  }
}
