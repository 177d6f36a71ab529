import { type GraphQLResolveInfo, type OperationDefinitionNode, parse } from 'graphql';
import { Args, ArgsType, Ctx, Extensions, Field, ID, Query, Resolver } from 'type-graphql';
import { SearchInput } from '../../../dispatch/fields/search.inputs.ts';
import { JobFilter } from '../../../dispatch/jobs/job.lists.ts';
import { Job } from '../../../dispatch/model/job.entity.ts';
import { seesSide } from '../../../dispatch/pricing/see-rates.ts';
import { allow, companyOf, denial } from '../../../platform/authz/authorization.ts';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../../platform/database/scope.ts';
import { Invalid } from '../../../platform/errors.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type Connection, PageArgs } from '../../../platform/read/connection.ts';
import { InvoiceSide } from '../invoice-enums.ts';
import { InvoicePreview, InvoicePreviewConnection } from './invoice-preview.ts';
import { previewJobs } from './preview-jobs.ts';

const model = 'Invoice';
const MOST = 100;
/** Rows that pricing a page of jobs reads, in the measure of `LIMITS`: some dozens of each job. */
const READS = 5_000;
const optional = { nullable: true };

@ArgsType()
class InvoicePreviewArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
  @Field(() => [ID], { nullable: true, description: `Only these jobs; at most ${MOST}, all of which the caller has to see.` })
  jobIds?: string[] | null;
  @Field(() => JobFilter, optional) filter?: JobFilter | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
  @Field(() => InvoiceSide, { nullable: true, description: 'Only what is owed on this side.' }) side?: InvoiceSide | null;
  @Field(() => Boolean, { nullable: true, description: 'Whether totals explain themselves, as `explain` of invoices.' })
  explain?: boolean | null;
}

/** What jobs would be invoiced at, before anybody invoices them. */
@Resolver(() => InvoicePreview)
export class InvoicePreviewResolver {
  @Query(() => InvoicePreviewConnection, {
    description:
      'What would be invoiced of jobs now, the jobs in the order in which they are listed: lines, charges, totals and blockers; nothing is stored.',
  })
  @Requires('edit_invoice')
  @Extensions({ reads: READS })
  async invoicePreviews(
    @Ctx() ctx: Context,
    @Args(() => InvoicePreviewArgs) { jobIds, filter, side, explain, ...page }: InvoicePreviewArgs,
  ): Promise<Connection<InvoicePreview>> {
    const viewer = allow(ctx, 'edit_invoice');
    const companyId = companyOf(ctx, page.companyId);
    if (!(['customer', 'vendor', 'driver'] as const).some((owner) => seesSide(viewer, owner))) throw denial(viewer, 'view_customer_rates');
    if (jobIds) await mustExist(ctx, companyId, jobIds);
    const asked = { ...page, companyId, filter: jobIds ? { ...filter, ids: jobIds } : filter };
    const found = await ctx.read.page(Job, SELECTED, asked);
    const previews = await withPartnerVisibility(() => {
      // Work that was passed on is priced by what its owner says of it.
      for (const { company } of found.nodes) actOnBehalfOf(company.id);
      return previewJobs(ctx, { companyId, jobIds: found.nodes.map(({ id }) => id), side, explain });
    });
    const of = new Map(previews.map((one) => [one.jobId, one]));
    const edges = found.edges.flatMap(({ node, cursor }) => {
      const preview = of.get(node.id);
      return preview ? [{ node: preview, cursor }] : [];
    });
    return { nodes: edges.map(({ node }) => node), edges, pageInfo: found.pageInfo };
  }
}

/** What is read of the jobs themselves. */
const SELECTED = (() => {
  const [operation] = parse('{ jobs { edges { cursor node { id company { id } } } nodes { id company { id } } pageInfo { endCursor } } }')
    .definitions as [OperationDefinitionNode];
  return { fieldNodes: operation.selectionSet.selections, fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
})();

/** @throws Invalid for too many ids, and for each that is none or of no job that the caller sees */
async function mustExist(ctx: Context, companyId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > MOST) throw new Invalid([{ model, field: 'jobIds', key: 'too_many_items', params: { max: MOST } }]);
  const known = ids.filter(isUuid);
  const where = [{ key: 'previewed', sql: (t: string, p: string) => `${t}.id = any(${p})`, cast: 'uuid[]', value: known }];
  const found = new Set((await ctx.read.list(Job, IDS, { companyId, where })).map(({ id }) => id));
  const items = ids.flatMap((id, n) => {
    if (!isUuid(id)) return [{ model, field: `jobIds.${n}`, key: 'not_a_uuid' }];
    return found.has(id.toLowerCase()) ? [] : [{ model, field: `jobIds.${n}`, key: 'must_exist' }];
  });
  if (items.length > 0) throw new Invalid(items);
}

const IDS = (() => {
  const [operation] = parse('{ jobs { id } }').definitions as [OperationDefinitionNode];
  return { fieldNodes: operation.selectionSet.selections, fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
})();
