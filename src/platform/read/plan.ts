import { createHash } from 'node:crypto';
import type { FieldNode } from 'graphql';
import type { ManySpec } from '../model/decorators.ts';
import { table } from './column-sql.ts';
import { isFiltered } from './filter-groups.ts';
import type { List } from './lists.ts';
import { manySql } from './many-sql.ts';
import type { EmptyRelations } from './narrow/empty-relations.ts';
import { mapAll, PlanNode } from './node.ts';
import { pageSql } from './page-sql.ts';
import { candidatesSql, idsSql, pastRows } from './past/past-sql.ts';
import type { ParentRow, Planning, ReadSql } from './planning.ts';
import type { PlanRequest, Run } from './run.ts';
import type { Operation } from './selection.ts';
import { sequenceSql } from './sequence/sequence-sql.ts';
import { Statement } from './statement.ts';

/** SQL, its parameters as functions of a run, and the mapper of what comes back. */
export class Plan implements Planning {
  readonly operation: Operation;
  readonly statement: Statement;
  readonly text: string;
  readonly name: string;
  /**
   * Its SQL is planned once for each connection, because it has the same plan for any values: a read by id or a few, whose lists hang on that record; a page
   * in the order in which a company's records were created, which an index has; those of some ids; or what a search finds by its index, of which PostgreSQL
   * knows as little when it knows the searched words.
   */
  readonly plannedOnce: boolean;
  /** It reads one record as it is, with no lists that have arguments: their places would be others. */
  readonly narrows: boolean;
  readonly #read: (row: Record<string, unknown>, run: Run) => unknown;
  #listsMet = 0;
  #empty: EmptyRelations | undefined;

  constructor(readonly request: PlanRequest) {
    this.narrows = request.kind === 'one' && !request.run.was && request.run.lists.length === 0;
    this.operation = request.operation;
    this.statement = new Statement(request);
    const { sql, read } = request.kind === 'page' ? this.#page() : this.#plain();
    this.text = sql;
    this.#read = read;
    const isById = request.kind === 'one' || request.listing?.few === true || isFoundByIds(request);
    this.plannedOnce = (isById || isPageByIndex(request) || isFoundByIndex(request)) && request.run.lists.every(isWhole);
    this.name = createHash('sha1').update(sql).digest('base64url');
  }

  values(run: Run): unknown[] {
    return this.statement.values(run);
  }

  read(row: Record<string, unknown>, run: Run): unknown {
    return this.#read(row, run);
  }

  /** The relations that may be left out of a statement like it, by their path. */
  optional(): string[] {
    return this.#empty?.paths() ?? [];
  }

  /** Those by which the record of a row, or one that it names, names something. */
  usedBy(row: Record<string, unknown>): ReadonlySet<string> {
    const used = new Set<string>();
    this.#empty?.addUsed(row.data as unknown[], used);
    return used;
  }

  /** Some record of it is work that may be passed on, and names records of the companies that take part. */
  get aboutWork(): boolean {
    return this.statement.aboutWork;
  }

  /** Nested lists, counted in the order in which the plan meets them. */
  meetList(): number {
    return this.#listsMet++;
  }

  /** A to-many member as a scalar subquery, and how its JSON is read. */
  manySql(parent: ParentRow, spec: ManySpec, places: FieldNode[]): ReadSql {
    return manySql(this, parent, spec, places);
  }

  #plain(): { sql: string; read: Plan['read'] } {
    const { meta, nodes, kind, listing = {} } = this.request;
    const t = this.statement.nextAlias();
    const node = new PlanNode(this, meta, t).select(nodes).need(listing.columns ?? []);
    this.#empty = node.empty;
    const conditions = this.statement.conditions(meta, t);
    if (kind === 'one') conditions.unshift(`${this.#isRewound() ? 'now_' : ''}${t}.id = ${this.statement.param((run) => run.id, 'uuid')}`);
    const map = node.mapper();
    const from = `from ${this.#rows(t)} ${node.joins()} where ${conditions.join(' and ') || 'true'}`;
    if (kind === 'one') {
      return { sql: `select ${node.row()} as data ${from} limit 1`, read: (row, run) => map(row.data as unknown[], run) };
    }
    const order = `${listing.order?.sql(t) ?? `${t}.created_at`}, ${t}.id`;
    const bounded = `from (select ${t}.* from ${table(meta)} ${t} where ${conditions.join(' and ') || 'true'} order by ${order} limit ${listing.most}) ${t} ${node.joins()}`;
    const sql = `select coalesce(json_agg(${node.row()} order by ${order}), '[]') as data ${listing.most ? bounded : from}`;
    return { sql, read: (row, run) => mapAll(map, row.data as unknown[][], run) };
  }

  /** There is a row, of which values are others than those that are read. */
  #isRewound(): boolean {
    const { was, last } = this.request.run;
    return was !== undefined && last === undefined;
  }

  /** The table, or the record with the values that it had: whatever is made of its row is made of these. */
  #rows(t: string): string {
    const { meta, run } = this.request;
    if (!run.was) return `${table(meta)} ${t}`;
    const was = this.statement.param((one) => JSON.stringify(one.was), 'jsonb');
    if (run.last) {
      const last = this.statement.param((one) => JSON.stringify(one.last), 'jsonb');
      return `jsonb_populate_record(jsonb_populate_record(null::${table(meta)}, ${last}), ${was}) ${t}`;
    }
    return `${table(meta)} now_${t} cross join lateral jsonb_populate_record(now_${t}, ${was}) ${t}`;
  }

  #page(): { sql: string; read: Plan['read'] } {
    const { meta, connection } = this.request;
    const list = (run: Run) => run.root!;
    const { past, root, isInSequence } = this.request.run;
    if (isInSequence) {
      const { sql, read } = sequenceSql(this, meta, connection!);
      return { sql, read: (row, run) => read(row.rows as unknown[], run) };
    }
    if (past?.stage === 'candidates') return { sql: candidatesSql(this, meta, root!, past.most!), read: (row) => row.data };
    if (past?.stage === 'ids') return { sql: idsSql(this, meta, root!), read: (row) => row.data };
    const rows = past && ((t: string) => pastRows(this.statement, meta, t));
    const { sql, read } = pageSql(this, meta, connection!, root!, list, (t) => this.statement.conditions(meta, t), rows);
    return { sql: `select ${sql} as data`, read: (row, run) => read(row.data as unknown[], run) };
  }
}

/** A list from its beginning, without filters: all of it is found by the record that it belongs to. */
const isWhole = (list: List): boolean => isUnfiltered(list) && !list.backward && list.after === undefined && list.stop === undefined;

const isUnfiltered = ({ filter, terms, words }: List): boolean => !isFiltered(filter) && terms.length + words.length === 0;

/** A page, wherever it begins, of all that one company has. Whoever sees more than that or less, or counts it, reads more than the page. */
function isPageByIndex({ kind, run, receivesWork, connection }: PlanRequest): boolean {
  const { root, companyIds, where, shared, siteIds, ownRecordsOnly, forOwn = [] } = run;
  const seesAll =
    companyIds.length === 1 && where.length === 0 && !receivesWork && !shared && !siteIds && !ownRecordsOnly && forOwn.length === 0;
  if (kind !== 'page' || !root || !seesAll || connection?.count || run.past || run.isInSequence) return false;
  return isUnfiltered(root) && root.sort.length === 1 && root.sort[0]!.sql('t', '') === 't.created_at';
}

/** A search in names: its rows are those whose ids a function finds (`inSearchText`), and there is no better way to any of them. */
function isFoundByIndex({ kind, run, connection }: PlanRequest): boolean {
  if (kind !== 'page' || !run.root || connection?.count || run.past || run.isInSequence) return false;
  return run.root.words.length > 0 && run.root.way === 'index';
}

/** The filter of a list by which its records are named. */
const IDS = 'ids';

/** A page of records that are named: whatever else is asked of them, they are found by their ids. */
function isFoundByIds({ kind, run, connection }: PlanRequest): boolean {
  if (kind !== 'page' || !run.root || connection?.count || run.past || run.isInSequence) return false;
  return run.root.filter.filters.has(IDS);
}
