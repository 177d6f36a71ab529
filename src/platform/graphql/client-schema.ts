import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { Context } from '../context.ts';
import { PageInput } from '../read/connection.ts';
import { describeSchema, type Words } from './describe.ts';
import { errorCodeEnum } from './error-codes.ts';
import { nodeFields, nodeInterface } from './node.ts';
import { addObjects, type ObjectField } from './objects.ts';

const precision = new GraphQLEnumType({
  name: 'CountPrecision',
  description: 'How exact a count is.',
  values: {
    exact: { description: 'There are as many.' },
    at_least: { description: 'There are more: the count ended at its bound.' },
  },
});

const count = new GraphQLObjectType({
  name: 'Count',
  description: 'How many records a list has.',
  fields: {
    value: { type: new GraphQLNonNull(GraphQLInt), description: 'How many were counted.' },
    precision: {
      type: new GraphQLNonNull(precision),
      description: 'Whether there are as many, or more.',
    },
  },
});

/**
 * The schema as clients of GraphQL see it. The types and resolvers are those of the one schema. In addition, it has `node`, `nodes`, counts
 * of lists and the records that ids name, which REST does not have, and mutations that delete answer the id; pages
 * are asked for as Relay does, without REST's `page`.
 * @param words descriptions of what has none of its own
 * @param objects the records that are answered next to their ids
 */
export function clientSchema(schema: GraphQLSchema, words?: Words, objects: readonly ObjectField[] = []): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || !('pageInfo' in type.getFields())) continue;
    type.getFields().count ??= {
      name: 'count',
      description: 'How many records the list has, whatever its page. Without `exact` the count ends at 10,000.',
      type: new GraphQLNonNull(count),
      args: [
        {
          name: 'exact',
          description: 'Counts all of them, which takes longer.',
          type: GraphQLBoolean,
          defaultValue: false,
          deprecationReason: undefined,
          extensions: {},
          astNode: undefined,
        },
      ],
      resolve: (source: { count: unknown }) => source.count,
      deprecationReason: undefined,
      extensions: {},
      astNode: undefined,
    };
  }
  // The types are shared, so that both schemas must know what they name.
  for (const type of [count, precision, nodeInterface]) schema.getTypeMap()[type.name] = type;
  addObjects(schema, objects);
  const query = schema.getQueryType()!;
  const { fields, ...config } = query.toConfig();
  for (const field of Object.values(fields) as GraphQLFieldConfig<unknown, Context>[])
    if (field.args?.page) field.args = Object.fromEntries(Object.entries(field.args).filter(([name]) => name !== 'page'));
  const clients = new GraphQLObjectType({ ...config, fields: sorted({ ...fields, ...nodeFields(schema) }) });
  const changes = schema.getMutationType();
  const mutation = changes && new GraphQLObjectType({ ...changes.toConfig(), fields: sorted(answeringIds(changes.toConfig().fields)) });
  const types = schema.toConfig().types.filter(({ name }) => ![query.name, changes?.name, PageInput.name].includes(name));
  const made = new GraphQLSchema({ ...schema.toConfig(), query: clients, mutation, types: [...types, errorCodeEnum], assumeValid: true });
  if (words) describeSchema(made, words);
  return made;
}

type Fields = Record<string, GraphQLFieldConfig<unknown, Context>>;

/** By name, as a reader of the documentation looks for them. */
const sorted = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Mutations that say only that a record went answer its id, by which a cache drops it; REST answers without a body. */
function answeringIds(fields: Fields): Fields {
  for (const field of Object.values(fields)) {
    const { resolve } = field;
    if (!field.args?.id || getNamedType(field.type) !== GraphQLBoolean || !resolve) continue;
    field.type = GraphQLID;
    field.resolve = async (source, args: { id: string }, context, info) => {
      await resolve(source, args, context, info);
      return args.id;
    };
  }
  return fields;
}
