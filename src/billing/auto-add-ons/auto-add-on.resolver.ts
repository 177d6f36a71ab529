import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, type ClassType, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { booksOfJob } from '../../dispatch/access/books.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { maySeeSomeRates, onSeenSides } from '../../dispatch/pricing/see-rates.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { queryOf, type Query as Run } from '../../platform/database/sql.ts';
import { companyArg, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { one, queriesOf } from '../../platform/graphql/record-queries.ts';
import { type Connection, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters } from '../../platform/read/grammar.ts';
import { autoAddOnsOf } from './applying.ts';
import {
  AutoAddOnAssignmentConnection,
  type AutoAddOnAssignmentFilter,
  AutoAddOnAssignmentListArgs,
  CreateAutoAddOnAssignmentInput,
  UpdateAutoAddOnAssignmentInput,
} from './auto-add-on.inputs.ts';
import { AutoAddOnAssignment, parentIdOf } from './auto-add-on-assignment.entity.ts';
import { createAutoAddOn, deleteAutoAddOn, updateAutoAddOn } from './auto-add-ons.ts';
import { PARENT_KINDS, type ParentKind, type ParentName } from './parents.ts';

export const autoAddOnFilters = defineFilters(AutoAddOnAssignment, { accountType: { sql: (t, p) => `${t}.side = ${p}`, cast: 'text' } });

/** One of these permissions changes some record with add-ons; the command asks for that of the record. */
const ANY_EDIT = [...new Set(Object.values(PARENT_KINDS).flatMap(({ edits }): readonly (typeof edits)[number][] => edits))];

export const AutoAddOnQueries = queriesOf(AutoAddOnAssignment, {
  autoAddOnAssignment: one(
    AnySignedIn(),
    (ctx) => {
      maySeeSomeRates(ctx);
      return { where: [onSeenSides(ctx, 'side')] };
    },
    { company: { nullable: true } },
  ),
});
export const AutoAddOnMutations = mutationsOf(AutoAddOnAssignment, {
  updateAutoAddOnAssignment: requires(ANY_EDIT, withInput(UpdateAutoAddOnAssignmentInput, updateAutoAddOn)),
});

@Resolver(() => AutoAddOnAssignment)
export class AutoAddOnResolver {
  @Mutation(() => Boolean, { description: 'Charges an add-on no more by itself; what was charged stays.' })
  @Requires(...ANY_EDIT)
  async deleteAutoAddOnAssignment(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteAutoAddOn(ctx, { id });
    return true;
  }

  @Query(() => [AutoAddOnAssignment], {
    description:
      'The add-ons that are charged by themselves for a job, in the books of the caller, on the sides that they see: of those with one root, the one of the most particular record.',
  })
  @AnySignedIn()
  async jobAutoAddOns(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) jobId: string,
  ): Promise<AutoAddOnAssignment[]> {
    const query: Run = (sql, values) => queryOf(ctx, sql, values);
    const job = await find(ctx, Job, jobId);
    const companyId = await booksOfJob(query, viewerOf(ctx), job);
    const ids: string[] = [];
    for (const side of companyId ? Object.values(RateOwnerType) : [])
      ids.push(...((await autoAddOnsOf(query, { jobIds: [job.id], side, companyId: companyId! })).get(job.id) ?? []).map(({ id }) => id));
    const applying = { key: 'ids', sql: (t: string, p: string) => `${t}.id = any(${p})`, cast: 'uuid[]', value: ids };
    return ctx.read.list(AutoAddOnAssignment, info, { companyId, where: [applying, onSeenSides(ctx, 'side')] });
  }
}

/** The list of a kind of record, and how add-ons are added to it. */
function ofParent<A extends PageArgs & { filter?: AutoAddOnAssignmentFilter | null }>(name: ParentName, args: ClassType<A>): Function {
  const kind: ParentKind = PARENT_KINDS[name];
  const first = `${name[0]!.toLowerCase()}${name.slice(1)}`;
  const list = {
    name: `${first}AutoAddOnAssignments`,
    description: 'The add-ons that are charged by themselves for the work of the record.',
  };
  const create = { name: `create${name}AutoAddOnAssignment`, description: 'Has an add-on charged by itself for the work of the record.' };

  @Resolver(() => AutoAddOnAssignment)
  class OfParent {
    @Query(() => AutoAddOnAssignmentConnection, list)
    @AnySignedIn()
    async list(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg(`${first}Id`, () => ID) id: string,
      @Arg('companyId', () => ID, companyArg) within: string | undefined,
      @Args(() => args) given: A,
    ): Promise<Connection<AutoAddOnAssignment>> {
      const { id: parentId, companyId } = await kind.find(ctx, { id, companyId: within });
      const ofIt = {
        key: kind.column,
        sql: (t: string, p: string) => `${parentIdOf(t)} = ${p} and ${t}.${kind.column} = ${p}`,
        cast: 'uuid',
        value: parentId,
      };
      return ctx.read.page(AutoAddOnAssignment, info, { ...given, companyId, where: [ofIt, onSeenSides(ctx, 'side')] });
    }

    @Mutation(() => AutoAddOnAssignment, create)
    @Requires(...kind.edits)
    async create(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg(`${first}Id`, () => ID) id: string,
      @Arg('input', () => CreateAutoAddOnAssignmentInput) input: CreateAutoAddOnAssignmentInput,
      @Arg('companyId', () => ID, companyArg) companyId?: string,
    ): Promise<AutoAddOnAssignment> {
      const made = await createAutoAddOn(ctx, kind, { id, companyId }, input);
      return ctx.read.one(AutoAddOnAssignment, info, { id: made.id });
    }
  }
  return OfParent;
}

export const AutoAddOnsOfParents = [
  ...(['Account', 'Project', 'Order', 'SiteRateSchedule'] as const).map((name) => ofParent(name, AutoAddOnAssignmentListArgs)),
  ...(['Driver', 'Rate', 'Job', 'JobAssignment'] as const).map((name) => ofParent(name, PageArgs)),
];
