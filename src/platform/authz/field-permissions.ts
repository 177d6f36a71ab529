import type { GraphQLObjectType, GraphQLSchema } from 'graphql';
import { Extensions } from 'type-graphql';
import type { Context, Viewer } from '../context.ts';
import { type Denied, HaulgateError, Missing } from '../errors.ts';
import { denial, viewerOf } from './authorization.ts';

/** One condition that allows a caller: a permission, being the driver of the record, or being the person that an argument names. */
export type Requirement = string | typeof DRIVER | { self: string };
/** The callers of a root field: lists of conditions, of each of which a caller must meet one, or who else may use it. */
type Callers = readonly (readonly Requirement[])[] | 'public' | 'any signed in';

/** Every viewer with the role `driver` passes: they may be the driver of the record. The policy decides. */
export const DRIVER = Symbol('driver');
/** The permission for all records, or for own records only. The policy of the record decides which of the two is enough. */
export const allOrOwn = (permission: string): string[] => [permission, `${permission}:own`];
/** @param argument names a person: those may do it to themselves */
export const self = (argument: string): Requirement => ({ self: argument });

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a root field: who may call it. */
    callers?: Callers;
  }
}

/**
 * The conditions of a root field, of which a caller must meet one to use it on any record at all. The refusal names the first one. It may
 * be given more than once: then callers must meet one condition of each. It says what the command or its policy refuses, and when the input
 * is wrong as well, it is answered first; `test/walk.test.ts` compares the two.
 */
export const Requires =
  (...oneOf: readonly Requirement[]): MethodDecorator =>
  (target, key, descriptor) => {
    const known: (readonly Requirement[])[] | undefined = Reflect.getOwnMetadata(CALLERS, target, key);
    // Decorators run from the last to the first.
    if (known) return void known.unshift(oneOf);
    const all = [oneOf];
    Reflect.defineMetadata(CALLERS, all, target, key);
    Extensions({ callers: all })(target, key, descriptor);
  };
/** A root field for everybody who is signed in: it answers what they may see, or its command asks for what depends on the record. */
export const AnySignedIn = (): MethodDecorator => Extensions({ callers: 'any signed in' });
/** A root field that needs no token. */
export const Public = (): MethodDecorator => Extensions({ callers: 'public' });

const CALLERS = Symbol('callers');

/**
 * Has root fields report a permission that is missing (`@Requires`) before mistakes in the arguments: a caller whose request would be refused
 * anyway does not learn what is wrong with it. A request without mistakes is refused by the command. Conditions that depend on the record are left to
 * the policies, so a field that finds no record answers 404 before it answers 403.
 * @throws Error at boot with the names of root fields that do not say who may call them
 */
export function declareFieldPermissions(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const fields = roots.flatMap((type) => Object.values(type?.getFields() ?? {}));
  const silent = fields.filter(({ extensions }) => !extensions.callers).map(({ name }) => name);
  if (silent.length > 0)
    throw new Error(
      `${silent.join(', ')}: who may call it? Write @Requires(...), @AnySignedIn() or @Public() at each of these root fields.`,
    );
  for (const field of fields) {
    const { name, resolve, subscribe } = field;
    // Nobody answers the mistakes of a subscription first: it is refused before it begins.
    if (subscribe)
      field.subscribe = (source, args, ctx: Context, info) => {
        const refused = refusal(schema, name, ctx, args);
        if (refused) throw refused;
        return subscribe(source, args, ctx, info);
      };
    if (!resolve || requirementsOf(schema, name).length === 0) continue;
    field.resolve = async (source, args, ctx: Context, info) => {
      try {
        return await resolve(source, args, ctx, info);
      } catch (error) {
        throw refusalBefore(error, schema, name, ctx, args);
      }
    };
  }
}

/**
 * The answer to an error: if it is about what the caller sent, and they may not do this at all, the refusal, and of a company that they do not
 * see that it is missing; otherwise the error.
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
  return refusal(schema, field, ctx, args) ?? (ctx.viewer && namesUnseenCompany(ctx.viewer, args) ? new Missing() : error);
}

/** The requirements of a field: one list for each `@Requires`, and the caller must meet one requirement of each. */
export const requirementsOf = (schema: GraphQLSchema, field: string): readonly (readonly Requirement[])[] => {
  const callers = callersOf(schema, field);
  return typeof callers === 'object' ? callers : [];
};

/** Whether a viewer meets the requirements of a root field that do not depend on its arguments. */
export const meetsRequirements = (schema: GraphQLSchema, field: string, viewer: Viewer): boolean =>
  requirementsOf(schema, field).every((alternatives) => alternatives.some((alternative) => has(viewer, alternative, {})));

/** Returns the callers of a root field; undefined for a name that is none. */
export const callersOf = (schema: GraphQLSchema, field: string): Callers | undefined =>
  [schema.getMutationType(), schema.getQueryType(), schema.getSubscriptionType()].map((type) => fieldOf(type, field)).find((one) => one)
    ?.extensions.callers;

function refusal(
  schema: GraphQLSchema,
  field: string,
  ctx: Context,
  args: Readonly<Record<string, unknown>>,
): Denied | Missing | undefined {
  const requirements = requirementsOf(schema, field);
  if (requirements.length === 0) return undefined;
  const viewer = viewerOf(ctx);
  const lacking = requirements.find((alternatives) => !alternatives.some((alternative) => has(viewer, alternative, args)));
  if (!lacking) return undefined;
  // A company that the viewer does not see is answered as missing, whatever they may do in their own company.
  return namesUnseenCompany(viewer, args) ? new Missing() : denial(viewer, String(lacking[0]));
}

const namesUnseenCompany = ({ companyIds }: Viewer, { companyId }: Readonly<Record<string, unknown>>): boolean =>
  typeof companyId === 'string' && !companyIds.includes(companyId.toLowerCase());

function has(viewer: Viewer, alternative: Requirement, args: Readonly<Record<string, unknown>>): boolean {
  if (typeof alternative === 'string') return viewer.can(alternative);
  if (alternative === DRIVER) return viewer.roles.includes('driver');
  const person = args[alternative.self];
  return typeof person !== 'string' || person.toLowerCase() === viewer.id;
}

/** Statuses that say that what was sent is wrong: malformed, too large, of another type, invalid. */
const OF_THE_INPUT = new Set([400, 413, 415, 422]);

const fieldOf = (type: GraphQLObjectType | null | undefined, name: string) => type?.getFields()[name];
