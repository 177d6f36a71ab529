import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  isNonNullType,
} from 'graphql';
import { buildSchemaSync, getMetadataStorage, type PubSub } from 'type-graphql';
import { declareFieldPermissions } from '../authz/field-permissions.ts';
import { readSpecOf } from '../model/decorators.ts';
import { memberKey } from '../read/selection.ts';
import { watchReads } from '../read/watched.ts';
import { readArgumentsAtOnce, takeVariablesWithin } from './arguments.ts';
import { handAsSent } from './as-sent.ts';
import { addChangeFilters } from './change-filters.ts';
import { takeFormerIds } from './former-ids.ts';
import { declareListFilters } from './list-filters.ts';

/**
 * The one schema for both interfaces. Nested connections (`@Paged`) are added here, because their arguments follow from those of the
 * child's root list: `<Child>Connection`, `<Child>Filter`, `<Child>Sort`.
 * @throws Error at boot when a nested connection's child has no root list, or a root field does not say who may call it
 */
export function buildApiSchema(resolvers: readonly Function[], entities: readonly Function[]): GraphQLSchema {
  indexExtensions();
  handRowsAsTheyAre();
  declareListFilters(entities);
  // Its check asks the schema for all of itself. What that would find is found when the first document is validated.
  const schema = readArgumentsAtOnce(() =>
    handAsSent(() =>
      buildSchemaSync({
        resolvers: resolvers as never,
        validate: false,
        orphanedTypes: [],
        skipCheck: true,
        pubSub: NO_TOPICS,
        container: { get: instanceOf },
      }),
    ),
  );
  keepInherited(schema);
  for (const entity of entities) addConnections(schema, entity);
  declareFieldPermissions(schema);
  watchReads(schema);
  takeFormerIds(schema);
  addChangeFilters(schema);
  takeVariablesWithin(schema);
  letEachFailAlone(schema);
  return schema;
}

const instances = new Map<Function, object>();

/** The only instance of a resolver's class. type-graphql would look for it among all that were ever used. */
function instanceOf<T extends object>(type: new () => T): T {
  const known = instances.get(type) as T | undefined;
  if (known) return known;
  const made = new type();
  instances.set(type, made);
  return made;
}

/** Subscriptions follow the feed of changes: each has a source of its own (events/changes), and topics of type-graphql have nobody who publishes. */
const NO_TOPICS: PubSub = {
  publish() {
    throw new Error('nothing is published by topics');
  },
  subscribe() {
    throw new Error('a subscription needs a source of its own');
  },
};

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a root field: it answers null only when it fails. */
    neverNull?: boolean;
  }
}

/**
 * Makes root fields nullable. Otherwise one field that fails would remove the answers of the others: of mutations that stay done, and of a
 * dashboard's other panels. Whether a success may be null is kept for callers who send one
 * at a time (REST).
 */
function letEachFailAlone(schema: GraphQLSchema): void {
  for (const field of [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.values(type?.getFields() ?? {}))) {
    field.extensions = { ...field.extensions, neverNull: isNonNullType(field.type) };
    field.type = getNullableType(field.type);
  }
}

type FieldExtension = ReturnType<typeof getMetadataStorage>['fieldExtensions'][number];
type ClassExtension = ReturnType<typeof getMetadataStorage>['classExtensions'][number];
interface Finds {
  fieldExtensions: FieldExtension[];
  classExtensions: ClassExtension[];
  findExtensions(target: Function, fieldName?: string): object;
}

/** Has type-graphql look up the rules of a field by its name: it asks those of all fields for each field otherwise, half of what the schema takes. */
function indexExtensions(): void {
  // Of all storages: the schema is built from a copy.
  const finds = Object.getPrototypeOf(getMetadataStorage()) as Finds;
  const indices = new WeakMap<FieldExtension[], Map<string, FieldExtension[]>>();
  finds.findExtensions = function (target, fieldName) {
    let index = indices.get(this.fieldExtensions);
    if (!index) {
      index = Map.groupBy(this.fieldExtensions, (one) => one.fieldName);
      indices.set(this.fieldExtensions, index);
    }
    const of = (base: Function) => base === target || Object.prototype.isPrototypeOf.call(base, target);
    const found = (fieldName ? (index.get(fieldName) ?? []) : this.classExtensions).filter((one) => of(one.target));
    return Object.assign({}, ...found.map((one) => one.extensions));
  };
}

/**
 * Has resolvers of fields get a planned row as it is. type-graphql would copy it into a new instance of the parameter's class, for each such
 * field of each row: for an order, whose class has a hundred properties that MikroORM watches, this took longer than all the rest.
 */
function handRowsAsTheyAre(): void {
  for (const param of getMetadataStorage().params) if (param.kind === 'root') param.getType = undefined;
}

/** type-graphql forgets the rules and the deprecation of input fields that a class inherits; they are put back here. */
function keepInherited(schema: GraphQLSchema): void {
  const { inputTypes, fields, fieldExtensions } = getMetadataStorage();
  // Every start waits for this: each input against each field of every class are millions of pairs.
  const fieldsOf = Map.groupBy(fields, (field) => field.target);
  const extensionsOf = Map.groupBy(fieldExtensions, (more) => more.target);
  for (const { name, target } of inputTypes) {
    const type = schema.getType(name);
    if (!(type instanceof GraphQLInputObjectType)) continue;
    for (const base of basesOf(target)) {
      for (const field of fieldsOf.get(base) ?? []) {
        const known = type.getFields()[field.schemaName];
        if (!known) continue;
        known.deprecationReason ??= field.deprecationReason;
        for (const more of extensionsOf.get(base) ?? [])
          if (more.fieldName === field.name) known.extensions = { ...more.extensions, ...known.extensions };
      }
    }
  }
}

/** The classes that a class extends, the farthest first, as they were declared. */
function basesOf(target: Function): Function[] {
  const bases: Function[] = [];
  for (let base = Object.getPrototypeOf(target); base?.prototype; base = Object.getPrototypeOf(base)) bases.unshift(base);
  return bases;
}

function addConnections(schema: GraphQLSchema, entity: Function): void {
  const type = schema.getType(entity.name);
  if (!(type instanceof GraphQLObjectType)) return;
  for (const [name, spec] of readSpecOf(entity).many) {
    if (spec.kind !== 'paged') continue;
    const child = spec.type().name;
    const connection = schema.getType(`${child}Connection`);
    if (!(connection instanceof GraphQLObjectType))
      throw new Error(`${entity.name}.${name}: ${child} has no root list, so no ${child}Connection`);
    const argument = (argName: string, argType: GraphQLInputType | undefined) =>
      argType
        ? [
            {
              name: argName,
              type: argType,
              description: undefined,
              defaultValue: undefined,
              deprecationReason: undefined,
              extensions: {},
              astNode: undefined,
            },
          ]
        : [];
    type.getFields()[name] = {
      name,
      description: undefined,
      deprecationReason: undefined,
      extensions: { isMember: true },
      astNode: undefined,
      type: new GraphQLNonNull(connection),
      args: [
        ...argument('first', GraphQLInt),
        ...argument('after', GraphQLString),
        ...argument('last', GraphQLInt),
        ...argument('before', GraphQLString),
        ...argument('filter', schema.getType(`${child}Filter`) as GraphQLInputType | undefined),
        ...argument('sort', schema.getType(`${child}Sort`) as GraphQLInputType | undefined),
        ...argument('search', GraphQLString),
      ],
      resolve: (source, _args, _ctx, info) => source[memberKey(info.fieldNodes[0]!)],
    };
  }
}
