import { type GraphQLResolveInfo, type OperationDefinitionNode, parse } from 'graphql';
import { Args, ArgsType, Ctx, Extensions, Field, ID, Info, Query, Resolver } from 'type-graphql';
import { SearchInput } from '../../../dispatch/fields/search.inputs.ts';
import { JobFilter } from '../../../dispatch/jobs/job.lists.ts';
import { Job } from '../../../dispatch/model/job.entity.ts';
import { seesSide } from '../../../dispatch/pricing/see-rates.ts';
import { allow, companyOf, denial } from '../../../platform/authz/authorization.ts';
import { Requires } from '../../../platform/authz/field-permissions.ts';
import type { Context } from '../../../platform/context.ts';
import { namedStatement } from '../../../platform/database/named-statements.ts';
import { planOnce } from '../../../platform/database/planned-once.ts';
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
    const found = await ctx.read.page(Job, jobsAsked(info), asked);
    const ids = found.nodes.map(({ id }) => id);
    const previews = await withPartnerVisibility(async () => {
      // Work that was passed on is priced by what its owner says of it, and whom it was passed on to, as the worker does.
      for (const { company } of found.nodes) actOnBehalfOf(company.id);
      if (ids.length > 0) for (const { id } of await queryOf<{ id: string | null }>(ctx, OF_LINKS, [ids])) if (id) actOnBehalfOf(id);
      return previewJobs(ctx, { companyId, jobIds: ids, side, explain });
    });
    // Edges are there if they are asked for.
    const read: Partial<typeof found> = found;
    const cursors = new Map(read.edges?.map(({ node, cursor }) => [node.id, cursor]));
    const edges = read.edges ? previews.map((node) => ({ node, cursor: cursors.get(node.jobId)! })) : [];
    const { pageInfo, count } = found;
    return { nodes: previews, edges, pageInfo, ...(count ? { count } : {}) };
  }
}

/** Selections of the jobs themselves, by what is asked of their page: reads are planned once for each, and a cursor is signed only for whoever asks for it. */
const selections = new Map<string, GraphQLResolveInfo>();

const OF_LINKS = namedStatement(
  'select distinct unnest(array[a.customer_company_id, a.vendor_company_id]) as id from job_assignment a where a.job_id = any($1::uuid[])',
);
planOnce(OF_LINKS);

/** Returns the selection of a document's only field. */
function selectionOf(document: string): GraphQLResolveInfo {
  const [operation] = parse(document).definitions as [OperationDefinitionNode];
  return { fieldNodes: operation.selectionSet.selections, fragments: {}, variableValues: {} } as unknown as GraphQLResolveInfo;
}

/** Returns what is read of the jobs: with their cursors, and their `count`, exact or not, if the client asked for these. */
function jobsAsked({ fieldNodes, fragments, variableValues: variables }: GraphQLResolveInfo): GraphQLResolveInfo {
  const fields = [...fieldsOf(fieldNodes, { fragments, variables }).values()];
  const counts = fields.flatMap(({ name, nodes }) => (name === 'count' ? nodes : []));
  const isExactly = counts.some((node) => isExact(node, { variables }));
  const edges = fields.some(({ name }) => name === 'edges') ? 'edges { cursor node { id company { id } } } ' : '';
  const count = counts.length === 0 ? '' : ` count${isExactly ? '(exact: true)' : ''} { value precision }`;
  const document = `{ jobs { ${edges}nodes { id company { id } } pageInfo { endCursor }${count} } }`;
  const known = selections.get(document) ?? selectionOf(document);
  selections.set(document, known);
  return known;
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
