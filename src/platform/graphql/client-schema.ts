import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  isObjectType,
} from 'graphql';
import type { Context } from '../context.ts';
import { PageInput } from '../read/connection.ts';
import { describeSchema, type Words } from './describe.ts';
import { errorCodeEnum } from './error-codes.ts';
import { nodeFields, nodeInterface } from './node.ts';

const precision = new GraphQLEnumType({
  name: 'CountPrecision',
  description: 'What a count says.',
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
 * The schema as clients of GraphQL see it. The types and resolvers are those of the one schema. In addition, it has `node`, `nodes` and counts
 * of lists, which REST does not have; pages are asked for as Relay does, without REST's `page`.
 * @param words descriptions of what has none of its own
 */
export function clientSchema(schema: GraphQLSchema, words?: Words): GraphQLSchema {
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
  const query = schema.getQueryType()!;
  const { fields, ...config } = query.toConfig();
  for (const field of Object.values(fields) as GraphQLFieldConfig<unknown, Context>[])
    if (field.args?.page) field.args = Object.fromEntries(Object.entries(field.args).filter(([name]) => name !== 'page'));
  const clients = new GraphQLObjectType({ ...config, fields: { ...fields, ...nodeFields(schema) } });
  const types = schema.toConfig().types.filter(({ name }) => name !== query.name && name !== PageInput.name);
  const made = new GraphQLSchema({ ...schema.toConfig(), query: clients, types: [...types, errorCodeEnum], assumeValid: true });
  if (words) describeSchema(made, words);
  return made;
}
