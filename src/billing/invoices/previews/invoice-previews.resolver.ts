import { type FieldNode, type GraphQLResolveInfo, type OperationDefinitionNode, parse } from 'graphql';
import { Args, ArgsType, Ctx, Extensions, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { SearchInput } from '../../../dispatch/fields/search.inputs.ts';
import { JobFilter } from '../../../dispatch/jobs/job.lists.ts';
import { Job } from '../../../dispatch/model/job.entity.ts';
import { seesSide } from '../../../dispatch/pricing/see-rates.ts';
import { allow, companyOf, denial } from '../../../platform/authz/authorization.ts';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { namedStatement } from '../../../platform/database/named-statements.ts';
import { actOnBehalfOf, withPartnerVisibility } from '../../../platform/database/scope.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { Invalid } from '../../../platform/errors.ts';
import { companyArg } from '../../../platform/graphql/record-mutations.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type Connection, PageArgs } from '../../../platform/read/connection.ts';
import { isExact } from '../../../platform/read/pages.ts';
import { fieldsOf } from '../../../platform/read/selection.ts';
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

/** The prices at which jobs would be invoiced, before anybody invoices them. */
@Resolver(() => InvoicePreview)
export class InvoicePreviewResolver {
  @Query(() => InvoicePreviewConnection, {
    description:
      'The invoices of jobs as they would be now, the jobs in the order in which they are listed: lines, charges, totals and blockers; nothing is stored.',
  })
  @Requires('edit_invoice')
  @Extensions({ reads: READS })
  async invoicePreviews(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => InvoicePreviewArgs) { jobIds, filter, side, explain, ...page }: InvoicePreviewArgs,
  ): Promise<Connection<InvoicePreview>> {
    const viewer = allow(ctx, 'edit_invoice');
    const companyId = companyOf(ctx, page.companyId);
    if (!(['customer', 'vendor', 'driver'] as const).some((owner) => seesSide(viewer, owner))) throw denial(viewer, 'view_customer_rates');
    if (jobIds) await mustExist(ctx, companyId, jobIds);
    const asked = { ...page, companyId, filter: jobIds ? { ...filter, ids: jobIds } : filter };
    const found = await ctx.read.page(Job, selectionOf(JOBS, countOf(info)), asked);
    const ids = found.nodes.map(({ id }) => id);
    const previews = await withPartnerVisibility(async () => {
      // Work that was passed on is priced by what its owner says of it, and whom it was passed on to, as the worker does.
      for (const { company } of found.nodes) actOnBehalfOf(company.id);
      if (ids.length > 0) for (const { id } of await queryOf<{ id: string | null }>(ctx, OF_LINKS, [ids])) if (id) actOnBehalfOf(id);
      return previewJobs(ctx, { companyId, jobIds: ids, side, explain });
    });
    const of = new Map(previews.map((one) => [one.jobId, one]));
    const edges = found.edges.flatMap(({ node, cursor }) => {
      const preview = of.get(node.id);
      return preview ? [{ node: preview, cursor }] : [];
    });
    const { pageInfo, count } = found;
    return { nodes: edges.map(({ node }) => node), edges, pageInfo, ...(count ? { count } : {}) };
  }
}

/** The fields that are read of the jobs themselves. */
const JOBS = '{ jobs { edges { cursor node { id company { id } } } nodes { id company { id } } pageInfo { endCursor } } }';
const OF_LINKS = namedStatement(
  'select distinct unnest(array[a.customer_company_id, a.vendor_company_id]) as id from job_assignment a where a.job_id = any($1::uuid[])',
);

/** Returns the selection of a document's only field. @param more further fields of it */
function selectionOf(document: string, more: readonly FieldNode[] = []): GraphQLResolveInfo {
  const [operation] = parse(document).definitions as [OperationDefinitionNode];
  const [field] = operation.selectionSet.selections as [FieldNode];
  const selectionSet = { ...field.selectionSet!, selections: [...field.selectionSet!.selections, ...more] };
  return { fieldNodes: [{ ...field, selectionSet }], fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
}

/** The `count` that a client asked for, exact or not. */
function countOf({ fieldNodes, fragments, variableValues: variables }: GraphQLResolveInfo): FieldNode[] {
  const counts = [...fieldsOf(fieldNodes, { fragments, variables }).values()].flatMap(({ name, nodes }) => (name === 'count' ? nodes : []));
  const isAsked = counts.some((node) => isExact(node, { variables }));
  const [count] = selectionOf(`{ jobs { count${isAsked ? '(exact: true)' : ''} { value precision } } }`).fieldNodes;
  return counts.length === 0 ? [] : (count!.selectionSet!.selections as FieldNode[]);
}

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

const IDS = selectionOf('{ jobs { id } }');
