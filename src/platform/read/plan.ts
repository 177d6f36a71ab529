import { createHash } from 'node:crypto';
import type { EntityMetadata, MetadataStorage } from '@mikro-orm/core';
import type { FieldNode } from 'graphql';
import { type Later, type ManySpec, readSpecOf } from './decorators.ts';
import { type Around, type Grammar, grammarOf } from './grammar.ts';
import { limitsOn } from './limits.ts';
import type { List } from './lists.ts';
import { fieldName, PlanNode, type RowMapper, table } from './node.ts';
import { type Connecting, connect } from './pages.ts';
import { fieldsOf, type Reading } from './selection.ts';

type Meta = EntityMetadata<unknown>;

/** A condition a resolver adds to a list or a read, such as "of this order". */
export interface Where {
  /** Names the condition in the plan's key. */
  key: string;
  sql: (t: string, p: string) => string;
  /** PostgreSQL type of the parameter. */
  cast: string;
  value: unknown;
}

/** One execution of a plan. */
export interface Run {
  companyIds: readonly string[];
  /** Who reads, for what only its holder sees. */
  viewerId: string;
  /** Sites the viewer is limited to. */
  siteIds?: readonly string[];
  /** The viewer reads own records only; `below`, when the root is read whosever it is. */
  ownOnly?: 'all' | 'below';
  id?: string;
  /** Records that other companies share are read too. */
  shared?: boolean;
  where: readonly Where[];
  root?: List;
  /** Nested lists, by the order in which the plan met them. */
  lists: readonly List[];
  can(permission: string): boolean;
}

export interface ListOrder {
  /** Names the order in the plan's key. */
  key: string;
  sql: (t: string) => string;
}

/** How a plain list is read. */
export interface Listing {
  order?: ListOrder;
  most?: number;
  /** Members that nobody selected and the resolver reads. */
  needs?: readonly string[];
}

export interface PlanRequest {
  metadata: MetadataStorage;
  meta: Meta;
  nodes: readonly FieldNode[];
  reading: Reading;
  kind: 'one' | 'page' | 'list';
  run: Run;
  /** Of a plain list. */
  listing?: Listing;
  /** Carry the predicate of work passed along vendor chains. */
  receivesWork: boolean;
  /** Where a page's nodes, edges and totals are asked for. */
  connection?: Connecting;
}

/** SQL, its parameters as functions of a run, and the mapper of what comes back. */
export class Plan {
  readonly reading: Reading;
  readonly #request: PlanRequest;
  readonly #params: ((run: Run) => unknown)[] = [];
  #aliases = 0;
  #aboutWork = false;
  #listsMet = 0;
  readonly text: string;
  readonly name: string;
  readonly #read: (row: Record<string, unknown>, run: Run) => unknown;

  constructor(request: PlanRequest) {
    this.#request = request;
    this.reading = request.reading;
    const { sql, read } = request.kind === 'page' ? this.#page() : this.#plain();
    this.text = sql;
    this.#read = read;
    this.name = createHash('sha1').update(sql).digest('base64url');
  }

  values(run: Run): unknown[] {
    return this.#params.map((param) => param(run));
  }

  read(row: Record<string, unknown>, run: Run): unknown {
    return this.#read(row, run);
  }

  /** Some record of it is work that may be passed on, and names records of the companies that take part. */
  get aboutWork(): boolean {
    return this.#aboutWork;
  }

  /** Every table of the plan comes by here. */
  meet(meta: Meta): void {
    if (readSpecOf(meta.class as Function).tenant?.passedOn) this.#aboutWork = true;
  }

  nextAlias(): string {
    return `t${this.#aliases++}`;
  }

  #param(value: (run: Run) => unknown, cast: string): string {
    return `$${this.#params.push(value)}::${cast}`;
  }

  /** `t.company_id = $1` for one company, so that the index serves the page in order; `= any` for several. */
  #visible(meta: Meta, t: string, root = false): string[] {
    const { tenant } = readSpecOf(meta.class as Function);
    const limits = this.#limits(meta.class as Function, t, root);
    if (!tenant) return limits;
    const many = this.#request.run.companyIds.length > 1;
    const own = many
      ? `${t}.company_id = any(${this.#param((run) => run.companyIds, 'uuid[]')})`
      : `${t}.company_id = ${this.#param((run) => run.companyIds[0], 'uuid')}`;
    const others = [
      ...(this.#request.receivesWork && tenant.passedOn ? [tenant.passedOn] : []),
      ...(this.#request.run.shared && tenant.shared ? [tenant.shared] : []),
    ];
    if (others.length === 0) return [own, ...limits];
    const companies = this.#param((run) => run.companyIds, 'uuid[]');
    return [`(${[own, ...others.map((other) => other(t, companies))].join(' or ')})`, ...limits];
  }

  /** What the viewer is limited to beside companies: some sites, own records. */
  #limits(entity: Function, t: string, root = false): string[] {
    const { siteIds, ownOnly } = this.#request.run;
    return limitsOn(entity, t, {
      sites: siteIds && (() => this.#param((run) => run.siteIds, 'uuid[]')),
      person: ownOnly && !(root && ownOnly === 'below') ? () => this.#param((run) => run.viewerId, 'uuid') : undefined,
    });
  }

  #conditions(meta: Meta, t: string): string[] {
    const conditions = this.#visible(meta, t, true);
    for (const [at, where] of this.#request.run.where.entries()) {
      conditions.push(
        where.sql(
          t,
          this.#param((run) => run.where[at]!.value, where.cast),
        ),
      );
    }
    return conditions;
  }

  #plain(): { sql: string; read: Plan['read'] } {
    const { meta, nodes, kind, listing = {} } = this.#request;
    const t = this.nextAlias();
    const node = new PlanNode(this, meta, t).select(nodes).need(listing.needs ?? []);
    const conditions = this.#conditions(meta, t);
    if (kind === 'one') conditions.unshift(`${t}.id = ${this.#param((run) => run.id, 'uuid')}`);
    const map = node.mapper();
    const from = `from ${table(meta)} ${t} ${node.joins()} where ${conditions.join(' and ') || 'true'}`;
    if (kind === 'one') {
      return { sql: `select ${node.row()} as data ${from} limit 1`, read: (row, run) => map(row.data as unknown[], run) };
    }
    const order = `${listing.order?.sql(t) ?? `${t}.created_at`}, ${t}.id`;
    const bounded = `from (select ${t}.* from ${table(meta)} ${t} where ${conditions.join(' and ') || 'true'} order by ${order} limit ${listing.most}) ${t} ${node.joins()}`;
    const sql = `select coalesce(json_agg(${node.row()} order by ${order}), '[]') as data ${listing.most ? bounded : from}`;
    return { sql, read: (row, run) => mapAll(map, row.data as unknown[][], run) };
  }

  #page(): { sql: string; read: Plan['read'] } {
    const { meta, connection } = this.#request;
    const list = (run: Run) => run.root!;
    const { sql, read } = this.#pageSql(meta, connection!, this.#request.run.root!, list, (t) => this.#conditions(meta, t));
    return { sql: `select ${sql} as data`, read: (row, run) => read(row.data as unknown[], run) };
  }

  /**
   * A page as one SQL value. LIMIT sits in a subquery around the table alone, joins come outside it, and the order is said again:
   * so that the index, not the joins, decides how much is read.
   */
  #pageSql(
    meta: Meta,
    connection: Connecting,
    shape: List,
    listOf: (run: Run) => List,
    conditionsOf: (t: string) => string[],
  ): { sql: string; read: (data: unknown[], run: Run) => unknown } {
    const inner = this.nextAlias();
    const outer = this.nextAlias();
    const node = new PlanNode(this, meta, outer).select(connection.nodes);
    const filters = this.#filters(meta, inner, shape, listOf);
    const conditions = [...conditionsOf(inner), ...filters];
    const ranked = shape.sort.some((key) => key.ranks);
    // Folded once for the statement, not for each row.
    const query = ranked ? `(select fold(${this.#param((run) => listOf(run).query, 'text')}))` : '';
    const bounds = this.#bounds(inner, query, shape, listOf);
    const backward = shape.after?.backward ?? false;
    const order = (t: string, reversed: boolean) =>
      [
        ...shape.sort.map((key) => `${key.sql(t, query)} ${key.descending !== reversed ? 'desc' : 'asc'}`),
        `${t}.id ${shape.sort[0]!.descending !== reversed ? 'desc' : 'asc'}`,
      ].join(', ');
    const where = (all: string[]) => (all.length ? ` where ${all.join(' and ')}` : '');
    // Written out, not a parameter: PostgreSQL plans an unknown limit for a tenth of the table.
    const limit = shape.limit + 1;
    const rows = `select ${inner}.* from ${table(meta)} ${inner}${where([...conditions, ...bounds])} order by ${order(inner, backward)} limit ${limit}`;
    const keys = connection.cursors ? [...shape.sort.map((key) => `${key.sql(outer, query)}::text`), `${outer}.id::text`] : [];
    const row = [node.row(), ...keys].join(', ');
    const page = `(select coalesce(json_agg(json_build_array(${row}) order by ${order(outer, false)}), '[]') from (${rows}) ${outer} ${node.joins()})`;
    const total = connection.total
      ? `, (select count(*)::int from (select 1 from ${table(meta)} ${inner}${where(conditions)} limit 10000) counted)`
      : '';
    const map = node.mapper();
    return { sql: `json_build_array(${page}${total})`, read: (data, run) => connect(data, map, listOf(run), run, connection) };
  }

  #filters(meta: Meta, t: string, shape: List, listOf: (run: Run) => List): string[] {
    const grammar = grammarOf(meta.class as Function);
    const limits = (entity: Function, alias: string) =>
      this.#limits(entity, alias)
        .map((limit) => ` and ${limit}`)
        .join('');
    const joint = new Map<Around, string[]>();
    const filters = [...shape.filters.keys()].sort().flatMap((name) => {
      const spec = grammar.filters[name]!;
      const value = this.#param((run) => listOf(run).filters.get(name), spec.cast);
      if (!spec.joint) return [`(${spec.sql(t, value, limits)})`];
      const { around, condition } = spec.joint;
      joint.set(around, [...(joint.get(around) ?? []), `(${condition(value)})`]);
      return [];
    });
    for (const [around, conditions] of joint) filters.push(`(${around(t, conditions.join(' and '), limits)})`);
    const searches = shape.terms.map(
      (_, at) =>
        `(${grammar.search!(
          t,
          this.#param((run) => listOf(run).terms[at], 'text'),
        )})`,
    );
    return [...filters, ...searches, ...this.#inSearchText(grammar, t, shape, listOf)];
  }

  /** LIKE is not leakproof: below row-level security only a function of the owner may ask the index with it (migrations, "Typeaheads"). */
  #inSearchText({ searchText }: Grammar, t: string, shape: List, listOf: (run: Run) => List): string[] {
    if (!searchText || shape.words.length === 0) return [];
    if (shape.way === 'index') {
      const words = this.#param((run) => listOf(run).words, 'text[]');
      return [`${t}.id = any(array(select ${searchText}_search(${words})))`];
    }
    return shape.words.map(
      (_, at) => `${t}.search_text like (select search_pattern(${this.#param((run) => listOf(run).words[at], 'text')}))`,
    );
  }

  /** Keyset bounds as row comparisons: flat at any depth, where `or` chains would scan from the start. */
  #bounds(t: string, query: string, shape: List, listOf: (run: Run) => List): string[] {
    const bounds: string[] = [];
    const bound = (pick: (list: List) => List['after'], beyond: boolean) => {
      const casts = [...shape.sort.map((key) => key.cast), 'uuid'];
      const left = [...shape.sort.map((key) => key.sql(t, query)), `${t}.id`];
      const right = casts.map((cast, at) => this.#param((run) => pick(listOf(run))!.keys[at], cast));
      const descending = [...shape.sort.map((key) => key.descending), shape.sort[0]!.descending];
      if (descending.every((one) => one === descending[0])) {
        bounds.push(`(${left.join(', ')}) ${descending[0] === beyond ? '<' : '>'} (${right.join(', ')})`);
        return;
      }
      const steps = left.map((key, at) => {
        const equal = left.slice(0, at).map((same, i) => `${same} = ${right[i]}`);
        return `(${[...equal, `${key} ${descending[at] === beyond ? '<' : '>'} ${right[at]}`].join(' and ')})`;
      });
      bounds.push(`(${steps.join(' or ')})`);
    };
    if (shape.after) bound((list) => list.after, !shape.after.backward);
    if (shape.stop) bound((list) => list.stop, false);
    return bounds;
  }

  /** A to-many member as a scalar subquery, and how its JSON is read. */
  manySql(parent: PlanNode, spec: ManySpec, places: FieldNode[]): { sql: string; read: (data: unknown, run: Run) => unknown } {
    const meta = this.#request.metadata.get(spec.type() as never) as Meta;
    if (spec.kind === 'paged') return this.#nested(parent, meta, spec, places);
    const t = this.nextAlias();
    const node = new PlanNode(this, meta, t).select(places);
    const map = node.mapper();
    const passed = this.#passedOn(meta, t);
    if (spec.kind === 'ids') {
      const from = `unnest(${parent.columnOf(spec.ids)}) with ordinality u(id, n) join ${table(meta)} ${t} on ${t}.id = u.id ${node.joins()}`;
      return {
        sql: `(select coalesce(json_agg(${node.row()} order by u.n), '[]') from ${from}${passed.length ? ` where ${passed.join(' and ')}` : ''})`,
        read: (data, run) => mapAll(map, data as unknown[][], run),
      };
    }
    if (spec.kind === 'on') {
      // A parameter that no condition mentions has no type PostgreSQL could infer.
      const companies = spec.on.length > 2 ? this.#param((run) => run.companyIds, 'uuid[]') : '';
      const from = `from ${table(meta)} ${t} ${node.joins()} where ${[spec.on(t, parent.alias, companies), ...passed].join(' and ')}`;
      if (spec.single) {
        return {
          sql: `(select ${node.row()} ${from} order by ${t}.created_at desc, ${t}.id desc limit 1)`,
          read: (data, run) => (data === null ? null : map(data as unknown[], run)),
        };
      }
      return {
        sql: `(select coalesce(json_agg(${node.row()} order by ${t}.created_at, ${t}.id), '[]') ${from})`,
        read: (data, run) => mapAll(map, data as unknown[][], run),
      };
    }
    const foreign = `${t}.${fieldName(meta, spec.foreign)}`;
    const local = spec.kind === 'many' ? parent.columnOf(spec.local) : parent.columnOf('id');
    const where = [`${foreign} = ${local}`, ...passed].join(' and ');
    if (spec.kind === 'back') {
      return {
        sql: `(select ${node.row()} from ${table(meta)} ${t} ${node.joins()} where ${where} order by ${t}.created_at desc, ${t}.id desc limit 1)`,
        read: (data, run) => (data === null ? null : map(data as unknown[], run)),
      };
    }
    const order = [
      ...Object.entries(spec.order ?? {}).map(([property, way]) => `${t}.${fieldName(meta, property)} ${way}`),
      `${t}.id`,
    ].join(', ');
    return {
      sql: `(select coalesce(json_agg(${node.row()} order by ${order}), '[]') from ${table(meta)} ${t} ${node.joins()} where ${where})`,
      read: (data, run) => mapAll(map, data as unknown[][], run),
    };
  }

  /** Nested lists of passed-on work show a vendor only what was passed to it, and limited people what is theirs. */
  #passedOn(meta: Meta, t: string): string[] {
    const { tenant, atSites, ofPerson } = readSpecOf(meta.class as Function);
    const { siteIds, ownOnly } = this.#request.run;
    const limited = (atSites && siteIds) || (ofPerson && ownOnly);
    return limited || (this.#request.receivesWork && tenant?.passedOn) ? this.#visible(meta, t) : [];
  }

  #nested(parent: PlanNode, meta: Meta, spec: { type: Later; foreign: string }, places: FieldNode[]) {
    const at = this.#listsMet++;
    const listOf = (run: Run) => run.lists[at]!;
    const shape = this.#request.run.lists[at]!;
    const connection = connectionAsked(places, this.reading);
    const join = `${fieldName(meta, spec.foreign)} = ${parent.columnOf('id')}`;
    const { sql, read } = this.#pageSql(meta, connection, shape, listOf, (t) => [`${t}.${join}`, ...this.#passedOn(meta, t)]);
    return { sql, read: read as (data: unknown, run: Run) => unknown };
  }
}

/** What of a connection is asked for. */
export function connectionAsked(nodes: readonly FieldNode[], reading: Reading): Connecting {
  const fields = [...fieldsOf(nodes, reading).values()];
  const of = (name: string) => fields.filter((field) => field.name === name).flatMap((field) => field.nodes);
  const edges = of('edges');
  const inEdges = [...fieldsOf(edges, reading).values()];
  const rows = [...of('nodes'), ...inEdges.filter((field) => field.name === 'node').flatMap((field) => field.nodes)];
  return {
    nodes: rows,
    edges: edges.length > 0,
    cursors: of('pageInfo').length > 0 || inEdges.some((field) => field.name === 'cursor'),
    total: of('totalCount').length > 0,
  };
}

const mapAll = (map: RowMapper, rows: unknown[][], run: Run): unknown[] => {
  const all = new Array(rows.length);
  for (let i = 0; i < rows.length; i++) all[i] = map(rows[i]!, run);
  return all;
};
