import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, type NonEmptyArray } from 'type-graphql';
import { enforceRules } from '../src/platform/http/rest/rules.ts';
import { resolvers } from '../src/rooms.ts';

/** Where the REST documents are, from the root of the repository. */
export const DOCUMENTS = 'schema/rest';

/** The schema that both interfaces serve, built from code without a database. */
export function projectSchema(): GraphQLSchema {
  return buildSchemaSync({ resolvers: resolvers as NonEmptyArray<Function>, validate: false, validateFn: enforceRules });
}
