import type { GraphQLFieldExtensions, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Context, Viewer } from '../context.ts';
import { type Denied, HaulgateError, Missing } from '../errors.ts';
import { denial, viewerOf } from './authorization.ts';

/** One condition that allows a caller: a permission, being the driver of the record, or being the person that an argument names. */
export type Requirement = string | typeof DRIVER | { self: string };
/**
 * Root fields with their conditions. A caller who meets none of the conditions may not use the field on any record. The refusal names the
 * first one.
 */
export type FieldPermissions = readonly (readonly [ways: readonly Requirement[], ...fields: string[]])[];

/** Every viewer with the role `driver` passes: they may be the driver of the record. The policy decides. */
export const DRIVER = Symbol('driver');
/** The permission for all records, or for own records only. The policy of the record decides which of the two is enough. */
export const allOrOwn = (permission: string): string[] => [permission, `${permission}:own`];
/** @param argument names a person: those may do it to themselves */
export const self = (argument: string): Requirement => ({ self: argument });

/**
 * Declares the permissions of root fields, and reports a missing permission before mistakes in the arguments: a caller whose request would
 * be refused anyway does not learn what is wrong with it. Conditions that depend on the record are left to the policies, so a field that
 * finds no record answers 404 before it answers 403.
 * @throws Error at boot for a name that is not a root field
 */
export function declareFieldPermissions(schema: GraphQLSchema, needs: FieldPermissions): void {
  for (const [ways, ...names] of needs) {
    for (const name of names) {
      const field = rootField(schema, name);
      if (!field) throw new Error(`needs: ${name} is no root field`);
      const known = declaredOf(field);
      field.extensions = { ...field.extensions, [NEEDS]: [...known, ways] };
      const { resolve } = field;
      if (known.length > 0 || !resolve) continue;
      field.resolve = async (source, args, ctx: Context, info) => {
        try {
          return await resolve(source, args, ctx, info);
        } catch (error) {
          throw refusalBefore(error, schema, name, ctx, args);
        }
      };
    }
  }
}

/**
 * The answer to an error: if it is about what the caller sent, and they may not do this at all, the refusal; otherwise the error.
 * @param args as far as they are known: ids of the path
 */
export function refusalBefore(
  error: unknown,
  schema: GraphQLSchema,
  field: string,
  ctx: Context,
  args: Readonly<Record<string, unknown>>,
): unknown {
  if (!(error instanceof HaulgateError) || !OF_THE_INPUT.has(error.status)) return error;
  return refusal(schema, field, ctx, args) ?? error;
}

/** The requirements of a field: one list for each declaration, and the caller must meet one requirement of each. */
export const requirementsOf = (schema: GraphQLSchema, field: string): readonly (readonly Requirement[])[] => {
  const found = rootField(schema, field);
  return found ? declaredOf(found) : [];
};

function refusal(
  schema: GraphQLSchema,
  field: string,
  ctx: Context,
  args: Readonly<Record<string, unknown>>,
): Denied | Missing | undefined {
  const needs = requirementsOf(schema, field);
  if (needs.length === 0) return undefined;
  const viewer = viewerOf(ctx);
  const lacking = needs.find((ways) => !ways.some((way) => has(viewer, way, args)));
  if (!lacking) return undefined;
  // A company that the viewer does not see is answered as missing, whatever they may do in their own company.
  const { companyId } = args;
  if (typeof companyId === 'string' && !viewer.companyIds.includes(companyId.toLowerCase())) return new Missing();
  return denial(viewer, String(lacking[0]));
}

function has(viewer: Viewer, way: Requirement, args: Readonly<Record<string, unknown>>): boolean {
  if (typeof way === 'string') return viewer.can(way);
  if (way === DRIVER) return viewer.roles.includes('driver');
  const person = args[way.self];
  return typeof person !== 'string' || person.toLowerCase() === viewer.id;
}

/** Statuses that say that what was sent is wrong: malformed, too large, of another type, invalid. */
const OF_THE_INPUT = new Set([400, 413, 415, 422]);
const NEEDS = 'needs';

const rootField = (schema: GraphQLSchema, name: string) => fieldOf(schema.getMutationType(), name) ?? fieldOf(schema.getQueryType(), name);
const fieldOf = (type: GraphQLObjectType | null | undefined, name: string) => type?.getFields()[name];
const declaredOf = (field: { extensions: GraphQLFieldExtensions<unknown, unknown> }) =>
  (field.extensions[NEEDS] as readonly (readonly Requirement[])[] | undefined) ?? [];
