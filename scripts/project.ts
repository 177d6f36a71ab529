import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildApiSchema } from '../src/platform/graphql/schema.ts';
import { entities, resolvers } from '../src/rooms.ts';

/** Where the REST documents are, from the root of the repository. */
export const DOCUMENTS = 'schema/rest';

/** The schema that both interfaces serve, built from code without a database. */
export function projectSchema(): GraphQLSchema {
  return buildApiSchema(resolvers, entities);
}
