import {
  type Configuration,
  type EntityDictionary,
  type EntityMetadata,
  type EntityName,
  type EntityProperty,
  type FilterQuery,
  type QueryResult,
  RawQueryFragment,
  ReferenceKind,
  Utils,
} from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';
import { Conflict } from '../../errors.ts';
import { nameIfRepeated } from '../named-statements.ts';
import { askAgain } from './callers-query.ts';
import { sendWithNext } from './together.ts';

/** Values of one statement that are bound at most; PostgreSQL takes 65,535. Beyond some hundred, texts differ by their number of rows. */
const MOST_VALUES = 500;

/** Statements that MikroORM's unit of work and query builder write. What code wrote itself may have values of which nothing says the type. */
const GENERATED = /^(?:select "\w+"\.\*|insert into "|update "|delete from ")/;

/** The driver of MikroORM whose statements have their values bound by PostgreSQL instead of written into the text, so that they can be prepared. */
export class BindingDriver extends PostgreSqlDriver {
  constructor(config: Configuration) {
    super(config);
    // The property is read-only for others.
    Object.assign(this, { connection: new BindingConnection(config) });
  }

  /**
   * The changes of one record are written with the next statement of the transaction, whose outcome shows whether somebody changed it meanwhile. The
   * statement is the query builder's, which takes several times as long to write it.
   */
  override async nativeUpdate<T extends object>(
    entity: EntityName<T>,
    where: FilterQuery<T>,
    data: EntityDictionary<T>,
    options: UpdateOptions<T> = {},
  ): Promise<QueryResult<T>> {
    const { ctx, convertCustomTypes, upsert } = options;
    const bound = ctx && convertCustomTypes === false && !upsert ? boundUpdate(this.metadata.get(entity), where, data) : undefined;
    return bound ? (this.connection as BindingConnection).send(bound, 'run', ctx) : super.nativeUpdate(entity, where, data, options);
  }
}

type UpdateOptions<T> = NonNullable<Parameters<typeof PostgreSqlDriver.prototype.nativeUpdate<T & object>>[3]>;

const texts = new WeakMap<EntityMetadata, Map<string, string>>();

/** @returns undefined for what is no plain change of the columns of one record */
function boundUpdate(meta: EntityMetadata, where: unknown, data: object): Bound | undefined {
  const versioned = meta.versionProperty as string | undefined;
  const props = meta.properties as Record<string, EntityProperty | undefined>;
  const { id, ...more } = (typeof where === 'string' ? { id: where } : where) as Record<string, unknown>;
  const before = versioned && (more[versioned] as unknown);
  if (typeof id !== 'string' || Object.keys(more).length !== (versioned ? 1 : 0) || (versioned && typeof before !== 'number'))
    return undefined;
  const names = Object.keys(data);
  if (names.length === 0 || names.includes(versioned ?? '') || meta.props.some(({ generated }) => generated)) return undefined;
  const values: unknown[] = [];
  for (const name of names) {
    const value = boundFormOf((data as Record<string, unknown>)[name]);
    if (value === undefined || !isPlain(props[name])) return undefined;
    values.push(value);
  }
  const known = texts.get(meta) ?? new Map<string, string>();
  texts.set(meta, known);
  const columns = names.map((name) => props[name]!.fieldNames[0]!);
  const key = columns.join();
  let sql = known.get(key);
  if (sql === undefined) {
    const set = columns.map((column, at) => `"${column}" = $${at + 1}`);
    const version = versioned && `"${props[versioned]!.fieldNames[0]}"`;
    if (version) set.push(`${version} = ${version} + 1`);
    sql = `update "${meta.tableName}" set ${set.join(', ')} where "id" = $${names.length + 1}${version ? ` and ${version} = $${names.length + 2}` : ''}`;
    known.set(key, sql);
  }
  values.push(id, ...(versioned ? [before] : []));
  const rows = versioned ? [{ [props[versioned]!.fieldNames[0]!]: (before as number) + 1 }] : [];
  const otherwise = () => new Conflict([{ model: meta.className, field: 'version', key: 'stale_version' }]);
  sendWithNext(values, { result: { command: 'UPDATE', rowCount: 1, rows }, ...(versioned ? { otherwise } : {}) });
  return { sql, values };
}

/** One that is a column and is written as it is. */
const isPlain = (prop: EntityProperty | undefined): boolean =>
  prop !== undefined &&
  prop.fieldNames?.length === 1 &&
  (prop.kind === ReferenceKind.SCALAR || prop.kind === ReferenceKind.MANY_TO_ONE || prop.kind === ReferenceKind.ONE_TO_ONE) &&
  !prop.hasConvertToDatabaseValueSQL;

/** The answer to a statement, as MikroORM reads it. */
type Answer = Awaited<ReturnType<PostgreSqlConnection['execute']>>;

class BindingConnection extends PostgreSqlConnection {
  override async execute<T extends Answer>(...args: Parameters<PostgreSqlConnection['execute']>): Promise<T> {
    const [query, params = [], method = 'all', ctx] = args;
    const bound = ctx && typeof query === 'string' && Array.isArray(params) && GENERATED.test(query) ? bind(query, params) : undefined;
    if (!ctx) return askAgain(() => super.execute<T>(...args));
    if (!bound) return super.execute<T>(...args);
    if (INSERTED.test(bound.sql)) sendWithNext(bound.values, { result: { command: 'INSERT', rowCount: 1, rows: [] } });
    return this.send<T>(bound, method, ctx);
  }

  async send<T extends Answer>({ sql, values }: Bound, method: 'all' | 'get' | 'run', ctx: unknown): Promise<T> {
    nameIfRepeated(sql);
    return this.transformRawResult<T>(await (ctx as Transaction<unknown>).executeQuery(CompiledQuery.raw(sql, values)), method);
  }
}

/** An insert after which nothing is to be learned. */
const INSERTED = /^insert into "(?!.* returning ")/s;

/** A statement with its values. */
interface Bound {
  sql: string;
  values: unknown[];
}

/**
 * Writes `$1` for each `?` of a statement. Limits of rows stay in the text: PostgreSQL plans an unknown one for a tenth of the table.
 * @returns undefined if a value has no form of its own in which PostgreSQL reads it
 */
function bind(sql: string, params: readonly unknown[]): { sql: string; values: unknown[] } | undefined {
  const parts = sql.split('?');
  if (parts.length !== params.length + 1 || params.length > MOST_VALUES || sql.includes('??') || sql.includes('\\?')) return undefined;
  const values: unknown[] = [];
  let text = parts[0]!;
  for (const [at, param] of params.entries()) {
    const written = fragmentOf(param, parts[at]!);
    const value = written === undefined ? boundFormOf(param) : null;
    if (value === undefined) return undefined;
    text += (written ?? `$${values.push(value)}`) + parts[at + 1]!;
  }
  return { sql: text, values };
}

/** Returns the text that is written for a parameter; undefined for a value that is bound. */
function fragmentOf(param: unknown, before: string): string | undefined {
  if (param instanceof RawQueryFragment && param.params.length === 0) return param.sql;
  return typeof param === 'number' && /\b(?:limit|offset) $/i.test(before) ? String(param) : undefined;
}

function boundFormOf(param: unknown): string | number | boolean | null | undefined {
  if (param === null || typeof param === 'string' || typeof param === 'number' || typeof param === 'boolean') return param;
  if (typeof param === 'bigint') return String(param);
  if (param instanceof Date) return param.toISOString();
  return Utils.isPlainObject(param) ? JSON.stringify(param) : undefined;
}
