import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { entities, registerRooms, resolvers } from '../src/app/rooms.ts';
import { buildApiSchema } from '../src/platform/graphql/schema.ts';

/** Where the REST documents are, from the root of the repository. */
export const DOCUMENTS = 'schema/rest';

/** The schema that both interfaces serve, built from code without a database. */
export function projectSchema(): GraphQLSchema {
  registerRooms();
  return buildApiSchema(resolvers, entities);
}
