import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import { KEPT, masterMutations } from '../../directory/master-data/master-data.resolver.ts';
import { findKept } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { one, page, queriesOf } from '../../platform/graphql/record-queries.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { termsOf } from '../../platform/read/grammar.ts';
import { Project } from '../model/project.entity.ts';
import { MaterialRate } from './material-rate.entity.ts';
import { CreateMaterialRateInput, UpdateMaterialRateInput } from './material-rate.inputs.ts';
import { MaterialRateConnection, MaterialRateListArgs, MaterialRateTypeaheadArgs, ProjectMaterialRateArgs } from './material-rate.lists.ts';
import { materialRates } from './material-rates.ts';

export const MaterialRateMutations = masterMutations(materialRates, {
  create: { name: 'createMaterialRate', input: CreateMaterialRateInput },
  update: { name: 'updateMaterialRate', input: UpdateMaterialRateInput },
  discard: { name: 'deleteMaterialRate' },
});

@Resolver(() => MaterialRate)
export class MaterialRateResolver {
  @Query(() => MaterialRateConnection, { description: 'Material prices agreed on with a project.' })
  @AnySignedIn()
  async projectMaterialRates(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('projectId', () => ID) projectId: string,
    @Args(() => ProjectMaterialRateArgs) args: ProjectMaterialRateArgs,
  ): Promise<Connection<MaterialRate>> {
    const project = await findKept(ctx, Project, projectId, { companyId: args.companyId });
    return ctx.read.page(MaterialRate, info, {
      ...args,
      companyId: project.company.id,
      where: [KEPT],
      filter: { projectIds: [project.id] },
    });
  }

  @Query(() => MaterialRateConnection, { description: 'Prices that fit the filter, the most specific first.' })
  @AnySignedIn()
  materialRateTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => MaterialRateTypeaheadArgs) { filter, search, ...args }: MaterialRateTypeaheadArgs,
  ): Promise<Connection<MaterialRate>> {
    const { updatedSince, ...fits } = filter ?? {};
    const words = termsOf(search?.site?.query, { model: 'Site', field: 'search.site.query' });
    return ctx.read.page(MaterialRate, info, {
      ...args,
      sort: { specificity: 'desc' },
      filter: { updatedSince, fits, siteQuery: words.length > 0 ? words : undefined },
      where: [KEPT],
    });
  }
}

export const MaterialRateQueries = queriesOf(MaterialRate, {
  materialRate: one(AnySignedIn(), () => ({ where: [KEPT] }), { company: { nullable: true } }),
  materialRates: page(AnySignedIn(), MaterialRateConnection, MaterialRateListArgs, (args) => ({ ...args, where: [KEPT] })),
});
