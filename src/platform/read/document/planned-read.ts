import type { EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo } from 'graphql';
import type { Pool, QueryConfig } from 'pg';
import type { Application } from '../../application.ts';
import { receivesIn, viewerOf } from '../../authz/authorization.ts';
import { hasActedOn } from '../../commands/acted-on.ts';
import type { Context, Viewer } from '../../context.ts';
import { plannedOnce } from '../../database/planned-once.ts';
import { isOurs, Prepared } from '../../database/prepared.ts';
import type { PartnerVisibility } from '../../database/scope.ts';
import { readSpecOf } from '../../model/decorators.ts';
import { heldForOwn } from '../../model/visibility.ts';
import type { List } from '../lists.ts';
import { type Narrowing, narrowingOf } from '../narrow/narrowing.ts';
import { connectionAsked } from '../pages.ts';
import { Plan } from '../plan.ts';
import { PlanCache } from '../plan-cache.ts';
import type { Connecting, Listing, PlanRequest, Run } from '../run.ts';
import { fieldsOf, type Operation } from '../selection.ts';
import type { PageSequence } from '../sequence/page-sequence.ts';
import { nestedLists } from './nested-lists.ts';
import { planKeyOf } from './plan-key.ts';
import { connectionOf, MOST_LISTLESS, type PlanSource, sourceOf } from './plan-source.ts';

/** The schema is asked for the types of the arguments of nested lists. */
export type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'> & Partial<Pick<GraphQLResolveInfo, 'schema'>>;

/** Where readers read. The application is not asked of the context's EntityManager, which most reads do not need and which is made at its first use. */
export interface ReadAt {
  application: Application;
  pool: () => Promise<Pool>;
  metadata: MetadataStorage;
}

/** The question of a read, without what depends on the viewer. */
export type Asked = Omit<
  Run,
  'application' | 'lists' | 'can' | 'viewerId' | 'siteIds' | 'ownRecordsOnly' | 'readsNoWork' | 'reader' | 'owns'
>;

/** A read of an entity for the selection of a field. */
export interface PlaceRead {
  entity: Function;
  info: Info;
  kind: PlanRequest['kind'];
  asked: Asked;
  /** Of a list; `below` is the field of a node below which the records are. */
  listing?: Listing & { below?: string };
}

/** A read that can be sent. */
export interface PlannedRead {
  plan: Plan;
  run: Run;
  /** The list of an export of which it is a page, if any. */
  open: ReturnType<PageSequence['listOf']> | undefined;
  /** @param narrowed the plan with fewer relations, if that is to be sent */
  statement(narrowed?: Plan): QueryConfig;
  /** Of a record some relations of which may be left out. */
  narrowing: Narrowing | undefined;
  /** Which records of partners are read, if any. */
  seesPartners: PartnerVisibility | undefined;
}

const cache = new PlanCache();
const prepared = new Prepared();

/**
 * Plans a read, or takes the plan of one that had the same key: first the arguments of its nested lists are read, because they are part of the key.
 * @throws Invalid, BadRequest for arguments of nested lists
 */
export async function planRead(ctx: Context, at: ReadAt, { entity, info, kind, asked, listing = {} }: PlaceRead): Promise<PlannedRead> {
  const viewer = viewerOf(ctx);
  const meta = at.metadata.get(entity as never) as EntityMetadata<unknown>;
  if (!readSpecOf(entity).tenant && asked.where.length === 0)
    throw new Error(`isolation of reads: ${entity.name} has no tenant and no condition`);
  const operation = operationOf(info);
  const inPlace = (nodes: readonly FieldNode[]) => (listing.below ? fieldNodesOf(nodes, operation, listing.below) : nodes);
  const { source, decided, selected } = placeOf(info, operation, [kind, entity.name, listing.below ?? '']);
  const connection = kind === 'page' ? connectionOf(source, selected, () => inConnection(info, operation, inPlace)) : undefined;
  const nodes = connection?.nodes ?? inPlace(info.fieldNodes);
  const lists: List[] = [];
  // Below a record that was found in any company, dates are those of the viewer's company.
  const companyId = asked.companyIds.length === 1 ? asked.companyIds[0]! : viewer.companyId;
  if (!source.listless.has(selected)) {
    const below = { ...at, ctx, operation, schema: info.schema, companyId };
    lists.push(...(await nestedLists(meta, nodes, below)));
    if (lists.length === 0 && source.listless.size < MOST_LISTLESS) source.listless.add(selected);
  }
  const { id: viewerId, siteIds, readsNoWork } = viewer;
  // The answer of a command shows its record, but no more of its surroundings than before.
  const ownRecordsOnly = !viewer.ownRecordsOnly ? undefined : asked.id && hasActedOn(ctx, asked.id) ? 'below' : 'all';
  const open = connection && !connection.count && !asked.past ? ctx.sequence?.listOf(info.fieldNodes[0]!, asked.root!) : undefined;
  const run: Run = {
    ...asked,
    isInSequence: open !== undefined,
    application: at.application,
    lists,
    viewerId,
    siteIds,
    ownRecordsOnly,
    forOwn: heldForOwn((permission) => viewer.can(permission)),
    readsNoWork,
    can: (permission) => viewer.can(permission),
    ...ownershipOf(viewer, asked.companyIds),
  };
  const receivesWork = receivesIn(viewer, asked.companyIds);
  const key = planKeyOf({
    kind,
    entity: entity.name,
    places: source.places,
    decided,
    run,
    receivesWork,
    listing,
    count: connection?.count,
  });
  const request = { metadata: at.metadata, meta, nodes, operation, kind, run, listing, receivesWork, connection };
  const plan = open?.plan ?? cache.of(source.plans, key, () => new Plan(request));
  const root = info.fieldNodes[0];
  // Work below a record that is shared does not open what work passes on (D-PLATFORM-115).
  const isShare = run.shared && !readSpecOf(entity).tenant?.subcontracted;
  const seesPartners = plan.aboutWork || run.shared ? (isShare ? 'shares' : 'on') : undefined;
  const narrowing = plan.narrows ? narrowingOf(plan, at.application) : undefined;
  return { plan, run, open, statement: (sent = plan) => statementOf(sent, run, root), narrowing, seesPartners };
}

/** True if a read of a record is known to have no nested lists: of these something may have to be asked before the read is sent. */
export function isListless(info: Info, entity: Function): boolean {
  const { source, selected } = placeOf(info, operationOf(info), ['one', entity.name, '']);
  return source.listless.has(selected);
}

/** Where plans of a selection are kept, and the key of whether it has nested lists, which depends on the document and the variables that decide about its fields. */
function placeOf(info: Info, operation: Operation, of: readonly string[]): { source: PlanSource; decided: string; selected: string } {
  const source = sourceOf(info, operation);
  const decided = source.conditions.map((name) => (operation.variables[name] ? 1 : 0)).join('');
  return { source, decided, selected: [...of, source.places, decided].join('~') };
}

/** The requested parts of a connection. @param inPlace the places of the records below its nodes */
function inConnection(info: Info, operation: Operation, inPlace: (nodes: readonly FieldNode[]) => readonly FieldNode[]): Connecting {
  const page = connectionAsked(info.fieldNodes, operation);
  return { ...page, nodes: inPlace(page.nodes), links: isOurs(info.fieldNodes[0]) };
}

function statementOf(plan: Plan, run: Run, root: FieldNode | undefined): QueryConfig {
  const name = prepared.nameOf(plan, root);
  const statement = { text: plan.text, values: plan.values(run) };
  return name && plan.plannedOnce ? plannedOnce({ ...statement, name }) : { ...statement, name };
}

/** Which rows are the reader's own: those of the company that a path names, and of the viewer's family. */
function ownershipOf({ companyId, companyIds }: Viewer, read: readonly string[]): Pick<Run, 'reader' | 'owns'> {
  const [first] = read;
  return { reader: companyId, owns: (owner) => owner === first || !owner || read.includes(owner) || companyIds.includes(owner) };
}

export const operationOf = ({ fragments, variableValues }: Info): Operation => ({
  fragments: fragments as Record<string, FragmentDefinitionNode>,
  variables: variableValues,
});

/** The places where a field below is selected. */
const fieldNodesOf = (nodes: readonly FieldNode[], operation: Operation, name: string): FieldNode[] =>
  [...fieldsOf(nodes, operation).values()].filter((field) => field.name === name).flatMap((field) => field.nodes);
