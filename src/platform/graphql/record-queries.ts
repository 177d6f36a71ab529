import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, type ClassType, Ctx, Extensions, ID, Info, Query, Resolver } from 'type-graphql';
import type { Context } from '../context.ts';
import type { Connection } from '../read/connection.ts';
import type { OneOptions, PageOptions } from '../read/options.ts';
import { DateTime } from '../scalars.ts';
import { companyArg } from './record-mutations.ts';

/** Makes the resolver of one root query of an entity. */
type Entry<T extends object> = (entity: ClassType<T>, name: string) => Function;

interface Described {
  /** For the schema. */
  description?: string;
}

interface OfOne extends Described {
  /** Its argument `companyId`. */
  company?: { nullable: boolean; description?: string };
  /** The field finds records that the field of the type's name does not: who asks for a record by its id alone gets these, too (`alsoFinding`). */
  finds?: 'also';
}

/** An argument of a record that is read as it was. */
export const asOfArg = {
  nullable: true,
  description:
    "The record's own fields as they were then, for who reads the audit log; what it names and what hangs on it is as it is now. By default, all as it is now.",
};
const asOfArgument = Arg('asOf', () => DateTime, asOfArg) as ParameterDecorator;
const noArgument: ParameterDecorator = () => undefined;

type OptionsOfOne = (ctx: Context) => Omit<OneOptions, 'id' | 'companyId'>;

/**
 * One record by its id, answered 404 if the caller may not see it.
 * @param callers who may call it: `AnySignedIn()`, `Requires(...)` or `Public()`
 * @param options further options of the read, made for each request
 */
export const one = <T extends object>(callers: MethodDecorator, options?: OptionsOfOne, of?: OfOne): Entry<T> =>
  recordQuery(callers, noArgument, options, of);

/** The same as `one`, of a record that may be read as it was. */
export const oneAsOf = <T extends object>(callers: MethodDecorator, options?: OptionsOfOne, of?: OfOne): Entry<T> =>
  recordQuery(callers, asOfArgument, options, of);

function recordQuery<T extends object>(
  callers: MethodDecorator,
  asOfParameter: ParameterDecorator,
  options: OptionsOfOne = () => ({}),
  { description, company = companyArg, finds }: OfOne = {},
): Entry<T> {
  return (entity, name) => {
    @Resolver(() => entity)
    class Asking {
      @Query(() => entity, { name, description })
      @Extensions(finds ? { finds } : {})
      @callers
      ask(
        @Ctx() ctx: Context,
        @Info() info: GraphQLResolveInfo,
        @Arg('id', () => ID) id: string,
        @Arg('companyId', () => ID, company) companyId?: string,
        @asOfParameter asOf?: Date | null,
      ): Promise<T> {
        return ctx.read.one(entity, info, { id, companyId, asOf, ...options(ctx) });
      }
    }
    return Asking;
  };
}

/**
 * A page of a list.
 * @param callers who may call it: `AnySignedIn()`, `Requires(...)` or `Public()`
 * @param options the options of the read, made of the arguments; the arguments themselves unless given
 */
export function page<T extends object, A extends PageOptions & object>(
  callers: MethodDecorator,
  connection: ClassType<Connection<T>>,
  args: ClassType<A>,
  options: (args: A, ctx: Context) => PageOptions | Promise<PageOptions> = (given) => given,
  { description }: Described = {},
): Entry<T> {
  return (entity, name) => {
    @Resolver(() => entity)
    class Asking {
      @Query(() => connection, { name, description })
      @callers
      async ask(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Args(() => args) given: A): Promise<Connection<T>> {
        return ctx.read.page(entity, info, await options(given, ctx));
      }
    }
    return Asking;
  };
}

/**
 * Root queries of an entity, one line each: the name is that of the field in the schema, the value is `one(...)` or `page(...)`. A query that
 * does more than read is a method of a resolver.
 * @returns resolvers, one for each query
 */
export const queriesOf = <T extends object>(entity: ClassType<T>, queries: Record<string, Entry<T>>): Function[] =>
  Object.entries(queries).map(([name, make]) => make(entity, name));
