import { type Configuration, RawQueryFragment, Utils } from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CompiledQuery, type Transaction } from 'kysely';
import { nameIfRepeated } from '../named-statements.ts';

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
}

/** What MikroORM reads of a statement. */
type Answer = Awaited<ReturnType<PostgreSqlConnection['execute']>>;

class BindingConnection extends PostgreSqlConnection {
  override async execute<T extends Answer>(...args: Parameters<PostgreSqlConnection['execute']>): Promise<T> {
    const [query, params = [], method = 'all', ctx] = args;
    const bound = ctx && typeof query === 'string' && Array.isArray(params) && GENERATED.test(query) ? bind(query, params) : undefined;
    if (!ctx || !bound) return super.execute<T>(...args);
    nameIfRepeated(bound.sql);
    const transaction = ctx as unknown as Transaction<unknown>;
    return this.transformRawResult<T>(await transaction.executeQuery(CompiledQuery.raw(bound.sql, bound.values)), method);
  }
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

/** What is written into the text for a parameter; undefined for a value that is bound. */
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
