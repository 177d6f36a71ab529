import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import type { FieldNode } from 'graphql';
import { type Figures, readSpecOf } from '../model/decorators.ts';
import { columnSql, fieldName, table } from './column-sql.ts';
import { EmptyRelations } from './narrow/empty-relations.ts';
import { fieldDecisionsOf } from './partner-fields.ts';
import type { Planning } from './planning.ts';
import { RowMasks } from './row-masks.ts';
import type { RowMapper } from './run.ts';
import { fieldsOf, type Member, membersOf, onesWithin } from './selection.ts';

type Meta = EntityMetadata<unknown>;
type ReadSpec = ReturnType<typeof readSpecOf>;

/** PostgreSQL takes at most 100 arguments to a function. */
const MOST_ARGUMENTS = 90;

/**
 * One table of a plan: which expressions its rows have, by position, and how they become an object. Rows are arrays because
 * `json_build_array` is the cheapest JSON PostgreSQL writes, and the mapper that names the positions is compiled once per plan.
 */
export class PlanNode {
  readonly #exprs: string[] = [];
  readonly #members = new Map<string, string>();
  readonly #computes: string[] = [];
  readonly #joins: string[] = [];
  readonly #ones = new Map<string, string>();
  readonly #constants: unknown[] = [];
  readonly #spec: ReadSpec;
  readonly #masks: RowMasks;
  /** Which of its relations may name nothing; undefined where none is left out. */
  readonly empty: EmptyRelations | undefined;

  constructor(
    readonly plan: Planning,
    readonly meta: Meta,
    readonly alias: string,
    /** Whether records that it names are found by their key, or joined. */
    readonly finds: 'by key' | 'joined' = 'by key',
    /** Where its rows are, by the relations that lead to them. */
    path = '',
  ) {
    if (plan.narrows) this.empty = new EmptyRelations(path, plan.request.leftOut, (row, at) => this.#valueAt(row, at));
    this.#spec = readSpecOf(meta.class as Function);
    this.#masks = new RowMasks(meta, alias, {
      add: (expr) => this.#add(expr),
      constant: (value) => this.#constant(value),
      companies: () => plan.statement.companies(),
      shared: plan.request.run.shared === true && plan.request.meta === meta,
    });
    plan.statement.meet(meta);
    if (meta.properties['id' as never]) this.#column('id');
    if (meta.properties['company' as never] || meta.properties['companyId' as never]) this.#needed('companyId');
  }

  /** Adds what the field nodes select. */
  select(nodes: readonly FieldNode[]): this {
    for (const member of membersOf(nodes, this.plan.operation, (name) => this.#spec.many.get(name)?.kind === 'paged')) this.#field(member);
    const said = this.empty?.sql();
    if (said) this.empty!.saidAt(placeOf(this.#add(said)));
    return this;
  }

  /** Adds members by name that other code than the client reads. */
  need(names: readonly string[]): this {
    for (const name of names) this.#needed(name);
    return this;
  }

  /** The SQL of one row. */
  row(): string {
    if (this.#exprs.length <= MOST_ARGUMENTS) return `json_build_array(${this.#exprs.join(', ')})`;
    const chunks: string[] = [];
    for (let at = 0; at < this.#exprs.length; at += MOST_ARGUMENTS) {
      chunks.push(`json_build_array(${this.#exprs.slice(at, at + MOST_ARGUMENTS).join(', ')})`);
    }
    return `json_build_array(${chunks.join(', ')})`;
  }

  /** The joins behind the row's table. */
  joins(): string {
    return this.#joins.join(' ');
  }

  /** Compiles the mapper; call when everything is selected. */
  mapper(): RowMapper {
    const wide = this.#exprs.length > MOST_ARGUMENTS;
    const place = (code: string) =>
      code.replace(/@(\d+)@/g, (_, at) => (wide ? `a[${Math.floor(at / MOST_ARGUMENTS)}][${at % MOST_ARGUMENTS}]` : `a[${at}]`));
    const members = [...this.#members].map(([name, code]) => `${JSON.stringify(name)}: ${place(code)}`).join(', ');
    const body = `${place(this.#masks.preamble())}const o = { ${members} };\n${place(this.#computes.join('\n'))}\nreturn o;`;
    return new Function('c', `return function (a, r) { ${body} }`)(this.#constants) as RowMapper;
  }

  #add(expr: string): string {
    const known = this.#exprs.indexOf(expr);
    return `@${known < 0 ? this.#exprs.push(expr) - 1 : known}@`;
  }

  #constant(value: unknown): string {
    return `c[${this.#constants.push(value) - 1}]`;
  }

  #field(member: Member): void {
    const { name, nodes } = member;
    const many = this.#spec.many.get(name);
    if (many) {
      const { sql, read, rows } = this.plan.manySql(this, many, nodes);
      const list = many.kind === 'many' || many.kind === 'ids' || (many.kind === 'on' && !many.single);
      const at = this.#add(sql);
      if (rows) this.empty?.addBelow(placeOf(at), rows, list);
      this.#members.set(member.key, this.#masked(name, `${this.#constant(read)}(${at}, r)`, list ? '[]' : 'null'));
      return;
    }
    const prop = this.meta.properties[name as never] as EntityProperty | undefined;
    for (const need of this.#spec.requiredColumns.get(name) ?? []) this.#needed(need);
    if (this.#spec.computed.has(name)) {
      this.#onesWithin(name, nodes);
      this.#computed(name);
    } else if (!prop) return;
    else if (prop.kind === 'm:1' || prop.kind === '1:1') this.#one(name, prop, nodes);
    else if (prop.kind === 'embedded') this.#embedded(name, prop, nodes);
    else this.#column(name);
  }

  #column(name: string): void {
    if (this.#members.has(name)) return;
    this.#members.set(name, this.#masked(name, this.#add(columnSql(this.alias, this.meta.properties[name as never] as EntityProperty))));
  }

  #masked(name: string, code: string, nothing?: string): string {
    return this.#masks.masked(name, code, nothing);
  }

  #computed(name: string): void {
    if (this.#members.has(name)) return;
    const spec = this.#spec.computed.get(name)!;
    if ('sql' in spec) this.#members.set(name, this.#masked(name, this.#add(spec.sql(this.alias))));
    else if ('figures' in spec) this.#members.set(name, this.#masked(name, this.#add(this.#figuresSql(spec, this.alias))));
    else if ('path' in spec) this.#members.set(name, this.#masked(name, this.#add(this.#pathSql(spec.path))));
    else {
      for (const need of spec.columns) this.#needed(need);
      this.#members.set(name, 'null');
      const value = `${this.#constant(spec.compute)}(o, r.application)`;
      this.#computes.push(`o[${JSON.stringify(name)}] = ${this.#masked(name, value)};`);
    }
  }

  /** Records inside a computed object are read as if they were selected next to it. */
  #onesWithin(name: string, places: FieldNode[]): void {
    for (const [relation, nodes] of onesWithin(this.#spec, name, places, this.plan.operation))
      this.#one(relation, this.meta.properties[relation as never] as EntityProperty, nodes);
  }

  /** A value a computed field or a resolver needs: a column, `driverId` of a relation, `order.state` of a joined one, or a computed one. */
  #needed(name: string): void {
    if (this.#members.has(name)) return;
    const prop = this.meta.properties[name as never] as EntityProperty | undefined;
    const relation = this.meta.properties[name.replace(/Id$/, '') as never] as EntityProperty | undefined;
    if (this.#spec.computed.has(name)) this.#computed(name);
    else if (prop?.kind === 'scalar') this.#column(name);
    else if (relation?.kind === 'm:1' && name.endsWith('Id'))
      this.#members.set(name, this.#masks.passed(relation.name, this.#add(`${this.alias}.${relation.fieldNames[0]}`)));
    else if (name.includes('.')) this.#members.set(name, this.#add(this.#pathSql(name)));
    else throw new Error(`${this.meta.className}: a field needs ${name}, which is no column`);
  }

  /** A column reached over to-one relations. */
  #pathSql(path: string): string {
    const steps = path.split('.');
    const column = steps.pop()!;
    let alias = this.alias;
    let meta = this.meta;
    let walked = '';
    for (const step of steps) {
      const prop = meta.properties[step as never] as EntityProperty;
      walked = walked ? `${walked}.${step}` : step;
      alias = this.#join(walked, prop, alias);
      meta = prop.targetMeta as Meta;
    }
    const computed = readSpecOf(meta.class as Function).computed.get(column);
    if (computed && 'sql' in computed) return computed.sql(alias);
    if (computed && 'figures' in computed) return this.#figuresSql(computed, alias);
    return columnSql(alias, meta.properties[column as never] as EntityProperty);
  }

  /** A column of the figures of the row of table `t`, which are joined once. */
  #figuresSql({ figures, column }: { figures: Figures; column: string }, t: string): string {
    const key = `${figures.name} of ${t}`;
    const joined = this.finds === 'joined' ? figures.joined : undefined;
    let alias = this.#ones.get(key);
    if (!alias) {
      alias = this.plan.statement.nextAlias();
      this.#ones.set(key, alias);
      this.#joins.push(joined?.joins(t, alias) ?? `left join lateral (${figures.sql(t)}) ${alias} on true`);
    }
    return joined?.columns(alias)[column] ?? `${alias}.${column}`;
  }

  #join(path: string, prop: EntityProperty, from: string): string {
    const known = this.#ones.get(path);
    if (known) return known;
    const alias = this.plan.statement.nextAlias();
    this.#ones.set(path, alias);
    // Left joins throughout: a missing parent must not swallow the row.
    this.#joins.push(`left join ${table(prop.targetMeta as Meta)} ${alias} on ${alias}.id = ${from}.${prop.fieldNames[0]}`);
    return alias;
  }

  #one(name: string, prop: EntityProperty, places: FieldNode[]): void {
    const target = prop.targetMeta as Meta;
    const fields = [...fieldsOf(places, this.plan.operation).values()];
    const replacement = fieldDecisionsOf(target.class as Function)?.instead.get('id');
    // If the ids of an entity are kept, a record named in the reader's own row counts as the reader's; in other rows the named record's
    // company decides.
    const bare = fields.every((field) => field.name === 'id' || field.name.startsWith('__'));
    if (bare && (!replacement || this.#masks.hasOwner)) {
      const key = this.#add(`${this.alias}.${prop.fieldNames[0]}`);
      const id = replacement ? `(${this.#masks.own()} ? ${key} : ${this.#constant(replacement)}(${key}, r.reader))` : key;
      this.#members.set(name, this.#masked(name, `(${key} === null ? null : { id: ${id} })`));
      return;
    }
    if (this.finds === 'joined') this.#join(name, prop, this.alias);
    if (!this.#ones.has(name) && prop.nullable && this.empty?.leavesOut(name, `${this.alias}.${prop.fieldNames[0]} is null`)) {
      this.#members.set(name, this.#masked(name, 'null'));
      return;
    }
    const alias = this.#ones.get(name) ?? this.plan.statement.nextAlias();
    const node = new PlanNode(this.plan, target, alias, this.finds, this.empty?.pathOf(name)).select(places);
    const at = this.#add(this.#ones.has(name) ? this.#joined(node) : this.#byKey(node, prop));
    if (node.empty) this.empty?.addBelow(placeOf(at), node.empty, false);
    this.#members.set(name, this.#masked(name, `(${at} === null ? null : ${this.#constant(node.mapper())}(${at}, r))`));
  }

  /** The row of a record that is joined because a column of it is needed, too. */
  #joined(node: PlanNode): string {
    this.#joins.push(...node.#joins);
    return `case when ${node.alias}.id is null then null else ${node.row()} end`;
  }

  /**
   * The row of a record by its key. PostgreSQL sets up a chain of joins anew for each execution, every one with all columns of those before it, which
   * takes longer than to find the rows; a subquery has its own columns alone. Null for a missing record, which must not swallow the row.
   */
  #byKey(node: PlanNode, prop: EntityProperty): string {
    const from = `${table(node.meta)} ${node.alias} ${node.joins()}`;
    return `(select ${node.row()} from ${from} where ${node.alias}.id = ${this.alias}.${prop.fieldNames[0]})`;
  }

  #embedded(name: string, prop: EntityProperty, places: FieldNode[]): void {
    const spec = readSpecOf((prop.targetMeta as Meta).class as Function);
    const inner = new Map<string, string>();
    const computes: string[] = [];
    const add = (field: string): void => {
      const computed = spec.computed.get(field);
      if (computed && 'compute' in computed) {
        for (const need of computed.columns) add(need);
        computes.push(`e[${JSON.stringify(field)}] = ${this.#constant(computed.compute)}(e, r.application);`);
      } else if (computed && 'sql' in computed) {
        // An embedded value lives in its owner's row, whose other columns it may ask for.
        inner.set(field, this.#add(computed.sql(this.alias)));
      } else {
        const column = prop.embeddedProps[field];
        if (column) inner.set(field, this.#add(columnSql(this.alias, column)));
      }
    };
    for (const field of fieldsOf(places, this.plan.operation).values()) add(field.name);
    const members = [...inner].map(([field, code]) => `${JSON.stringify(field)}: ${code}`).join(', ');
    this.#members.set(name, this.#masks.passed(name, `(() => { const e = { ${members} }; ${computes.join(' ')} return e; })()`));
  }

  /** The value of one of its rows at a place. */
  #valueAt(row: unknown[], at: number): unknown {
    return this.#exprs.length > MOST_ARGUMENTS ? (row[Math.floor(at / MOST_ARGUMENTS)] as unknown[])[at % MOST_ARGUMENTS] : row[at];
  }

  /** Column of a property, or the foreign key of a relation, on this node's alias. */
  columnOf(property: string): string {
    return `${this.alias}.${fieldName(this.meta, property)}`;
  }
}

/** The number of a place in a row. */
const placeOf = (place: string): number => Number(place.slice(1, -1));

/** The rows of a list. */
export const mapAll = (map: RowMapper, rows: unknown[][], run: unknown): unknown[] => {
  const all = new Array(rows.length);
  for (let i = 0; i < rows.length; i++) all[i] = map(rows[i]!, run);
  return all;
};
