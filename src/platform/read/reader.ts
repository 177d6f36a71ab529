import { type EntityMetadata, IsolationLevel, type MetadataStorage } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type FieldNode, type FragmentDefinitionNode, type GraphQLResolveInfo } from 'graphql';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import type { Application } from '../application.ts';
import { allow, companyOf, receivesIn, viewerOf } from '../authz/authorization.ts';
import { hasActedOn } from '../commands/acted-on.ts';
import type { AnswerAhead } from '../commands/answer-ahead.ts';
import type { Context, Viewer } from '../context.ts';
import { type Along, sendBehind } from '../database/connection/together.ts';
import { currentIds, isMergeable } from '../database/former-ids.ts';
import { plannedOnce } from '../database/planned-once.ts';
import { isOurs, Prepared } from '../database/prepared.ts';
import { currentWork, type RequestWork } from '../database/request-work.ts';
import { currentScope, type PartnerVisibility, type Scope, withPartnerVisibility } from '../database/scope.ts';
import { bound, poolOf, queryIn, readingWithin } from '../database/sql.ts';
import { Denied, Missing } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { readSpecOf } from '../model/decorators.ts';
import type { Connection } from './connection.ts';
import { nestedLists, sortOf } from './document/nested-lists.ts';
import { MOST_LISTLESS, type PlanSource, sourceOf } from './document/plan-source.ts';
import { type List, readList } from './lists.ts';
import { readAlongOf } from './loader.ts';
import type { ListOptions, OneOptions, PageOptions } from './options.ts';
import { connectionAsked } from './pages.ts';
import { type Past, READS_HISTORY, rewound } from './past/as-of.ts';
import { refuseUnknowable } from './past/list-as-of.ts';
import { pageAsOf } from './past/page-as-of.ts';
import { Plan } from './plan.ts';
import { PlanCache } from './plan-cache.ts';
import type { Listing, PastRun, Run } from './run.ts';
import { fieldsOf, type Operation } from './selection.ts';
import type { PageSequence } from './sequence/page-sequence.ts';
import { auditRead } from './watched.ts';

export type { Where } from './run.ts';

type Entity<T> = abstract new () => T;
/** The schema is asked for the types of the arguments of nested lists. */
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'> & Partial<Pick<GraphQLResolveInfo, 'schema'>>;

/** What a read is about, without what depends on the viewer. */
type Asked = Omit<Run, 'application' | 'lists' | 'can' | 'viewerId' | 'siteIds' | 'ownRecordsOnly' | 'readsNoWork' | 'reader' | 'owns'>;
type Below = Listing & { below?: string };

interface Planned {
  plan: Plan;
  run: Run;
  /** The list of an export of which it is a page, if any. */
  open: ReturnType<PageSequence['listOf']> | undefined;
  statement(): QueryConfig;
  /** Which records of partners are read, if any. */
  seesPartners: PartnerVisibility | undefined;
}

/** A record that was read in the message that committed a command. */
interface Ahead {
  info: Info;
  id: string;
  plan: Plan;
  run: Run;
  rows: object[];
  work: RequestWork;
  /** How many statements the request had sent by then. */
  statements: number;
  /** Keeps what was read along with it. */
  keep: (() => void)[];
}

const cache = new PlanCache();
const prepared = new Prepared();

declare module '../context.ts' {
  interface Context {
    read: Reader;
    /** Records that a page of this read may have, where it is a part of an export; absent for the limit of pages. */
    rowsAtOnce?: number;
    /** The pages of an export, which follow each other. */
    sequence?: PageSequence;
  }
}

/** Where readers read. The application is not asked of the context's EntityManager, which most reads do not need and which is made at its first use. */
export interface ReadAt {
  application: Application;
  pool: () => Promise<Pool>;
  metadata: MetadataStorage;
}

/** Reads what a selection asks for, in one statement for each root field (DESIGN section 4 "Reads are planned"). */
export class Reader {
  readonly #ctx: Context;
  readonly #at: ReadAt;
  /** In which all is read. */
  #transaction: EntityManager | undefined;
  /** What was read in the message that committed the command. */
  #ahead: Ahead | undefined;

  constructor(ctx: Context, at: ReadAt) {
    this.#ctx = ctx;
    this.#at = at;
  }

  /** The same for another context. */
  as(ctx: Context): Reader {
    return new Reader(ctx, this.#at);
  }

  /** The same for another context, which reads where that context's EntityManager does: in its transaction. */
  within(ctx: Context): Reader {
    return new Reader(ctx, { ...this.#at, pool: () => poolOf(ctx.em) });
  }

  /** One visible record as its selection wants it; for a former id the record that stayed when it was merged. @throws Missing when it is absent or not visible. */
  async one<T>(entity: Entity<T>, info: Info, options: OneOptions): Promise<T> {
    if (!isUuid(options.id)) throw new Missing();
    const ahead = this.#takeAhead(info, options);
    if (ahead) return ahead as T;
    const companyIds = options.companyId ? [companyOf(this.#ctx, options.companyId)] : viewerOf(this.#ctx).companyIds;
    const { asOf, where = [] } = options;
    const asked = { companyIds, id: options.id, shared: options.shared, where };
    // What may have been otherwise is asked of what it was.
    const found = await this.#run(entity, info, 'one', asOf ? { ...asked, where: where.filter(({ changes }) => !changes) } : asked);
    if (found === undefined) {
      const current = isMergeable(entity) ? (await currentIds(this.#ctx, [options.id])).get(options.id.toLowerCase()) : undefined;
      if (!current) throw new Missing();
      return this.one(entity, info, { ...options, id: current });
    }
    if (!asOf) return found as T;
    const was = await this.#rewound(entity, { id: options.id, companyIds, at: asOf });
    const then = await this.#run(entity, info, 'one', { ...asked, was });
    if (then === undefined) throw new Missing();
    return then as T;
  }

  /**
   * The same read of a record that a command writes, to be made in the message that commits it; `one` then returns what was read.
   * @param id that of the record that the command returns unless given
   */
  ahead(entity: Entity<unknown>, info: Info, id?: string): AnswerAhead {
    const scope = currentScope();
    return {
      statements: (result) =>
        // What is wrong with the read undoes no command: the answer reads again, and reports it.
        this.#readAhead(entity, info, id ?? (result as { id?: unknown } | null | undefined)?.id, scope).catch(() => []),
    };
  }

  async #readAhead(entity: Function, info: Info, id: unknown, scope: Scope): Promise<readonly Along[]> {
    const work = currentWork();
    const viewer = viewerOf(this.#ctx);
    // Whoever acts as another person has each read noted, and nobody reads for a client that has left.
    if (!work || work.abandoned || viewer.realActor || typeof id !== 'string' || !isUuid(id)) return [];
    // What nested lists are of may have to be asked for, on another connection than the one that the command holds.
    const operation: Operation = { fragments: info.fragments as Record<string, FragmentDefinitionNode>, variables: info.variableValues };
    const { source, selected } = placeOf(info, operation, ['one', entity.name, '']);
    if (!source.listless.has(selected)) return [];
    const asked = { companyIds: viewer.companyIds, id, where: [] };
    const { plan, run, statement, seesPartners } = await this.#planned(entity, info, 'one', asked);
    const keep: (() => void)[] = [];
    const done = (error: Error | null, found?: QueryResult) => {
      if (!error) this.#ahead = { info, id, plan, run, work, statements: work.statements, rows: found!.rows, keep };
    };
    const along = this.#along(entity, plan, id, scope, (one) => void keep.push(one));
    return [{ config: statement(), scope: seesPartners ? { ...scope, work: seesPartners } : scope, done }, ...along];
  }

  /** What was read ahead, unless it was of something else, or the request has sent a statement since, which may have changed it. */
  #takeAhead(info: Info, { id, ...more }: OneOptions): unknown {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (!ahead || ahead.info !== info || ahead.id !== id || Object.keys(more).length > 0) return undefined;
    const { plan, run, rows, work, statements, keep } = ahead;
    if (rows.length === 0 || work.statements !== statements) return undefined;
    for (const each of keep) each();
    return plan.read(rows[0] as Record<string, unknown>, run);
  }

  /** The statement of what is read along with a record. @param kept called with what keeps it */
  #along(entity: Function, plan: Plan, id: string, scope: Scope, kept: (keep: () => void) => void): Along[] {
    const along = readAlongOf(entity, plan);
    if (!along) return [];
    // If it failed, the resolvers ask again, and report the error.
    const done = (error: Error | null, found?: QueryResult) => error || kept(() => along.keep(this.#ctx, id, found!.rows));
    return [{ config: along.statement(this.#ctx, id), scope, done: (...of) => void done(...of) }];
  }

  /** What a record was is what the audit log says, for those who read the log. @throws Denied, Invalid */
  async #rewound(entity: Function, past: Past): Promise<Record<string, unknown>> {
    this.#readsHistory();
    const was = await rewound(this.#ask, this.#at.metadata.get(entity as never) as EntityMetadata<unknown>, past);
    if (!was) throw new Denied(READS_HISTORY, 'permission_of_owning_company');
    return was;
  }

  #readsHistory(): void {
    const viewer = allow(this.#ctx, READS_HISTORY);
    if (viewer.siteIds || viewer.ownRecordsOnly) throw new Denied(READS_HISTORY, 'permission_beyond_sites');
  }

  readonly #ask = async <R extends object>(sql: string, values: unknown[]): Promise<R[]> =>
    (await (await this.#at.pool()).query<R>(sql, bound(sql, values))).rows;

  /** A page of one company's records as a connection. */
  async page<T>(entity: Entity<T>, info: Info, options: PageOptions): Promise<Connection<T>> {
    const companyId = companyOf(this.#ctx, options.companyId);
    // A condition on what the viewer may see changes with the family, so its value is not part of the name; a condition on one record is
    // part of the list's identity.
    // A page goes on at the instant at which it began.
    const name = [
      ...(options.where ?? []).map(({ key, value }) => `${key}=${typeof value === 'string' ? value : ''}`),
      ...(options.asOf ? [`as of ${options.asOf.toISOString()}`] : []),
    ].join();
    const root = await readList(entity, options, this.#ctx, {
      application: this.#at.application,
      companyId,
      name,
      written: sortOf(info.fieldNodes[0]!, this.#ctx),
    });
    const companyIds = options.family ? viewerOf(this.#ctx).companyIds : [companyId];
    const asked = { companyIds, shared: options.shared, where: options.where ?? [], root };
    if (options.asOf) return (await this.#pageAsOf(entity, info, asked, options.asOf)) as Connection<T>;
    return (await this.#run(entity, info, 'page', asked, { below: options.below })) as Connection<T>;
  }

  /** A page of the company's own records as they were. */
  async #pageAsOf(
    entity: Function,
    info: Info,
    asked: { companyIds: readonly string[]; where: Run['where']; root: List },
    at: Date,
  ): Promise<unknown> {
    this.#readsHistory();
    const meta = this.#at.metadata.get(entity as never) as EntityMetadata<unknown>;
    refuseUnknowable(meta, asked.root, connectionAsked(info.fieldNodes, operationOf(info)));
    return this.#atOneMoment((reader) => {
      const run = (past: Omit<PastRun, 'at'>) => reader.#run(entity, info, 'page', { ...asked, past: { at, ...past } });
      return pageAsOf({ ask: reader.#ask, run }, { meta, at, ...asked });
    });
  }

  /** Several reads that see the same. An export is in such a transaction already. */
  #atOneMoment<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    if (this.#ctx.rowsAtOnce) return work(this);
    const run = () =>
      this.#ctx.em.fork({ clear: true }).transactional(
        (em) => {
          const reader = this.within({ ...this.#ctx, em: readingWithin(em as EntityManager) });
          reader.#transaction = em as EntityManager;
          return work(reader);
        },
        // What is read as another person is noted.
        { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: !viewerOf(this.#ctx).realActor },
      );
    return currentWork()?.read(run) ?? run();
  }

  /** All records that meet the conditions, oldest first unless an order is given: for lists that are short, or end at `most`. */
  async list<T>(entity: Entity<T>, info: Info, options: ListOptions): Promise<T[]> {
    const { companyId, where, shared, order, most, at } = options;
    const companyIds = companyId ? [companyOf(this.#ctx, companyId)] : viewerOf(this.#ctx).companyIds;
    return (await this.#run(entity, info, 'list', { companyIds, where, shared }, { order, most, ...at })) as T[];
  }

  async #run(...of: [entity: Function, info: Info, kind: 'one' | 'page' | 'list', asked: Asked, listing?: Below]): Promise<unknown> {
    const { plan, run, open, statement, seesPartners } = await this.#planned(...of);
    const [entity] = of;
    const isWatched = viewerOf(this.#ctx).realActor && (!run.past || run.past.stage === 'page');
    const scope = currentScope();
    const read = async () => {
      if (open) return [{ rows: await open.rows(plan, run) }];
      return isWatched ? this.#watched(entity, plan, run) : this.#rows(entity, plan, run, statement(), scope);
    };
    const rows = await (seesPartners ? withPartnerVisibility(read, seesPartners) : read());
    return rows.length === 0 ? undefined : plan.read(rows[0] as Record<string, unknown>, run);
  }

  async #planned(entity: Function, info: Info, kind: 'one' | 'page' | 'list', asked: Asked, listing: Below = {}): Promise<Planned> {
    const viewer = viewerOf(this.#ctx);
    const meta = this.#at.metadata.get(entity as never) as EntityMetadata<unknown>;
    if (!readSpecOf(entity).tenant && asked.where.length === 0)
      throw new Error(`read fence: ${entity.name} has no tenant and no condition`);
    const operation = operationOf(info);
    const inPlace = (at: readonly FieldNode[]) => (listing.below ? fieldNodesOf(at, operation, listing.below) : at);
    const page = kind === 'page' ? connectionAsked(info.fieldNodes, operation) : undefined;
    const connection = page && { ...page, nodes: inPlace(page.nodes), links: isOurs(info.fieldNodes[0]) };
    const nodes = connection?.nodes ?? inPlace(info.fieldNodes);
    const lists: List[] = [];
    // Below a record that was found in any company, dates are those of the viewer's company.
    const companyId = asked.companyIds.length === 1 ? asked.companyIds[0]! : viewer.companyId;
    const { source, decided, selected } = placeOf(info, operation, [kind, entity.name, listing.below ?? '']);
    if (!source.listless.has(selected)) {
      const below = { ...this.#at, ctx: this.#ctx, operation, schema: info.schema, companyId };
      lists.push(...(await nestedLists(meta, nodes, below)));
      if (lists.length === 0 && source.listless.size < MOST_LISTLESS) source.listless.add(selected);
    }
    const { id: viewerId, siteIds, readsNoWork } = viewer;
    // The answer of a command shows its record, but no more of its surroundings than before.
    const ownOnly = !viewer.ownRecordsOnly ? undefined : asked.id && hasActedOn(this.#ctx, asked.id) ? 'below' : 'all';
    const open = page && !page.count && !asked.past ? this.#ctx.sequence?.listOf(info.fieldNodes[0]!, asked.root!) : undefined;
    const run: Run = {
      ...asked,
      isInSequence: open !== undefined,
      application: this.#at.application,
      lists,
      viewerId,
      siteIds,
      ownRecordsOnly: ownOnly,
      readsNoWork,
      can: (permission) => viewer.can(permission),
      ...ownershipOf(viewer, asked.companyIds),
    };
    const receivesWork = receivesIn(viewer, asked.companyIds);
    const key = [
      kind,
      entity.name,
      source.places,
      asked.companyIds.length > 1 ? 'n' : '1',
      receivesWork ? 'v' : '',
      asked.shared ? 's' : '',
      siteIds ? 'l' : '',
      ownOnly ?? '',
      readsNoWork ? 'p' : '',
      asked.was ? 'w' : '',
      open ? 'o' : '',
      asked.past ? `${asked.past.stage}${asked.past.most ?? ''}` : '',
      asked.where.map((where) => where.key).join(),
      decided,
      run.root?.shape ?? '',
      connection?.count ?? '',
      listing.order?.key ?? '',
      listing.most ?? '',
      ...lists.map((list) => list.shape),
    ].join('~');
    const request = { metadata: this.#at.metadata, meta, nodes, operation, kind, run, listing, receivesWork, connection };
    const plan = open?.plan ?? cache.of(source.plans, key, () => new Plan(request));
    const root = info.fieldNodes[0];
    // Work below a record that is shared does not open what work passes on (D-PLATFORM-115).
    const isShare = run.shared && !readSpecOf(entity).tenant?.subcontracted;
    const seesPartners = plan.aboutWork || run.shared ? (isShare ? 'shares' : 'on') : undefined;
    return { plan, run, open, statement: () => statementOf(plan, run, root), seesPartners };
  }

  async #rows(entity: Function, plan: Plan, run: Run, statement: QueryConfig, scope: Scope): Promise<object[]> {
    const pool = await this.#at.pool();
    if (run.id && !run.was)
      sendBehind(
        statement.values!,
        this.#along(entity, plan, run.id, scope, (keep) => keep()),
      );
    return (await pool.query(statement)).rows;
  }

  /** What somebody reads as another person is written to the audit log in the same transaction: without the entry there is no answer. */
  #watched(entity: Function, plan: Plan, run: Run): Promise<object[]> {
    const viewer = viewerOf(this.#ctx);
    const companyId = run.companyIds.length === 1 ? run.companyIds[0]! : viewer.companyId;
    const read: Parameters<typeof auditRead>[2] = {
      type: entity.name,
      id: run.id ?? companyId,
      companyId,
      changes: run.id ? {} : { list: [null, run.where.map(({ key }) => key).join() || 'all'] },
    };
    const within = async (em: EntityManager) => {
      const rows = await queryIn<object>(em, plan.text, plan.values(run));
      await auditRead(em, this.#ctx, read);
      return rows;
    };
    if (this.#transaction) return within(this.#transaction);
    const watch = () => this.#ctx.em.fork({ clear: true }).transactional((em) => within(em as EntityManager));
    return currentWork()?.read(watch) ?? watch();
  }
}

/** Where plans of a selection are kept, and the key of whether it has nested lists, which depends on the document and the variables that decide about its fields. */
function placeOf(info: Info, operation: Operation, of: readonly string[]): { source: PlanSource; decided: string; selected: string } {
  const source = sourceOf(info, operation);
  const decided = source.conditions.map((name) => (operation.variables[name] ? 1 : 0)).join('');
  return { source, decided, selected: [...of, source.places, decided].join('~') };
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

const operationOf = ({ fragments, variableValues }: Info): Operation => ({
  fragments: fragments as Record<string, FragmentDefinitionNode>,
  variables: variableValues,
});

/** The places where a field below is selected. */
const fieldNodesOf = (nodes: readonly FieldNode[], operation: Operation, name: string): FieldNode[] =>
  [...fieldsOf(nodes, operation).values()].filter((field) => field.name === name).flatMap((field) => field.nodes);
