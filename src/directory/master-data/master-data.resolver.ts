import type { EntityClass } from '@mikro-orm/core';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, type ClassType, Ctx, Field, ID, Info, InputType, Mutation, Query, Resolver } from 'type-graphql';
import { allow } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { asOfArg } from '../../platform/graphql/record-queries.ts';
import { type Connection, connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineSearch, defineSorts } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/run.ts';
import { AsOf } from '../../platform/read/time-range.ts';
import type { Registration } from '../../platform/registration.ts';
import { DateTime } from '../../platform/scalars.ts';
import { createMaster, discardMaster, type MasterKind, type MasterRecord, updateMaster } from './master-data.ts';

@InputType()
export class MasterSearch {
  @Field(() => String, { nullable: true }) query?: string | null;
  @Field(() => String, { nullable: true }) datagrid?: string | null;
}

@InputType()
export class MasterSort {
  @Field(() => SortDirection, { nullable: true }) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true }) name?: SortDirection | null;
}

@ArgsType()
export class TypeaheadListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
  @Field(() => MasterSearch, { nullable: true }) search?: MasterSearch | null;
}

@ArgsType()
export class MasterListArgs extends TypeaheadListArgs {
  @Field(() => MasterSort, { nullable: true, description: 'By default, newest first.' }) sort?: MasterSort | null;
}

/** Of a list that may be read as it was. */
@ArgsType()
export class MasterListAsOfArgs extends MasterListArgs {
  @AsOf() asOf?: Date | null;
}

/** Only what was not discarded is listed and found. */
export const KEPT: Where = {
  key: 'kept',
  sql: (t, p) => `(${t}.discarded_at is null) = ${p}`,
  cast: 'boolean',
  value: true,
  changes: true,
};

/** A built-in record has no company by which the tenant filter could find it. */
export const EVERYBODYS = { key: 'everybodys', sql: (_t: string, p: string) => p, cast: 'boolean', value: true };

/** A page of a kind as the caller sees it. */
export const listMaster = <T extends MasterRecord>(
  ctx: Context,
  entity: ClassType<T>,
  info: GraphQLResolveInfo,
  args: MasterListAsOfArgs,
): Promise<Connection<T>> => ctx.read.page(entity, info, { ...args, where: [KEPT] }) as Promise<Connection<T>>;

/** The suggestions of a form while somebody types, by name. */
export const offerMaster = <T extends MasterRecord>(
  ctx: Context,
  entity: ClassType<T>,
  info: GraphQLResolveInfo,
  args: TypeaheadListArgs,
  offered?: object,
): Promise<Connection<T>> =>
  ctx.read.page(entity, info, { ...args, sort: { name: 'asc' }, filter: offered, where: [KEPT] }) as Promise<Connection<T>>;

interface Names<T> {
  /** The names of the root fields: of one record, of the list, and of the suggestions. */
  one: string;
  many: string;
  typeahead: string;
  /** The permission to see them; without one, everybody of the company may. */
  permission?: string;
  /** Which of them a form offers, in addition to being not discarded: `{ states: ['active'] }`. */
  offered?: object;
  /** The connection type, if there is one already. */
  connection?: ClassType<Connection<T>>;
}

/** The sort by name of a kind of master data, which its suggestions need. */
export const nameSort = (entity: Function): Registration => defineSorts(entity, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });

/** The search and the sort of a kind of master data that is found by its name alone. */
export const foundByName = (entity: Function): Registration[] => [
  defineSearch(entity, (t, p) => `fold(${t}.name) like fold(${p})`),
  nameSort(entity),
];

/** The list and the single read of a kind of master data. */
export function masterQueries<T extends MasterRecord>(
  entity: ClassType<T> & EntityClass<T>,
  { one, many, typeahead, permission, offered, connection }: Names<T>,
) {
  const mayRead = (ctx: Context) => void (permission && allow(ctx, permission));
  const Callers = () => (permission ? Requires(permission) : AnySignedIn());
  const Page = connection ?? connectionOf(entity.name, () => entity);

  @Resolver(() => entity)
  class Queries {
    @Query(() => Page, { name: many })
    @Callers()
    list(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Args(() => MasterListAsOfArgs) args: MasterListAsOfArgs,
    ): Promise<Connection<T>> {
      mayRead(ctx);
      return listMaster(ctx, entity, info, args);
    }

    @Query(() => Page, { name: typeahead, description: 'Suggestions for a form while somebody types, by name.' })
    @Callers()
    typeahead(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Args(() => TypeaheadListArgs) args: TypeaheadListArgs,
    ): Promise<Connection<T>> {
      mayRead(ctx);
      return offerMaster(ctx, entity, info, args, offered);
    }

    @Query(() => entity, { name: one })
    @Callers()
    one(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
      @Arg('asOf', () => DateTime, asOfArg) asOf?: Date | null,
    ): Promise<T> {
      mayRead(ctx);
      return ctx.read.one(entity, info, { id, companyId, asOf, where: [KEPT] }) as Promise<T>;
    }
  }
  return Queries;
}

/** The names of the root fields, with their inputs. */
interface MasterMutations<C, U> {
  create: { name: string; input: ClassType<C & object> };
  update: { name: string; input: ClassType<U & object> };
  discard: { name: string };
}

/** The mutations of a kind of master data: create, update and delete, answered through the read planner. */
export function masterMutations<T extends MasterRecord, C extends object, U extends object>(
  kind: MasterKind<T, C, U> & { entity: ClassType<T> },
  { create, update, discard }: MasterMutations<C, U>,
) {
  const { entity, permissions } = kind;
  const read = (ctx: Context, info: GraphQLResolveInfo, id: string) => ctx.read.one(entity, info, { id }) as Promise<T>;

  @Resolver(() => entity)
  class Mutations {
    @Mutation(() => entity, { name: create.name })
    @Requires(permissions.create)
    async create(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('input', () => create.input) input: C,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    ): Promise<T> {
      return read(ctx, info, (await createMaster(ctx, kind, input, companyId)).id);
    }

    @Mutation(() => entity, { name: update.name })
    @Requires(permissions.edit)
    async update(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('input', () => update.input) input: U,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    ): Promise<T> {
      return read(ctx, info, (await updateMaster(ctx, kind, { id, companyId }, input)).id);
    }

    @Mutation(() => Boolean, {
      name: discard.name,
      description: 'Discards the record: lists and forms no longer show it, but everything that refers to it does.',
    })
    @Requires(permissions.delete)
    async discard(
      @Ctx() ctx: Context,
      @Arg('id', () => ID) id: string,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    ): Promise<boolean> {
      await discardMaster(ctx, kind, { id, companyId });
      return true;
    }
  }
  return Mutations;
}
