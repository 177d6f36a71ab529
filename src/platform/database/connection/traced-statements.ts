import type { Attributes } from '@opentelemetry/api';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { beginSpan, fail, isTraced } from '../../tracing/spans.ts';
import { sqlTextOf } from '../../tracing/sql-text.ts';
import { type Along, behindOf, sendBehind, valuesOf } from './together.ts';

type Ask = (...args: unknown[]) => unknown;
type Done = (error: Error | null, result?: QueryResult) => void;

/**
 * Gives each statement of work that is traced a span: with its text, and without its values. The time that a statement waits for a connection is
 * before it.
 * @param where what else its spans say: of which server the pool is
 */
export function traceStatements(pool: Pool, where: Attributes = {}): void {
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as Ask;
    Object.assign(client, { query: (...args: unknown[]) => trace(query, args, where) });
  });
}

function trace(query: Ask, args: unknown[], where: Attributes): unknown {
  if (!isTraced()) return query(...args);
  const [first] = args;
  const sql = typeof first === 'string' ? first : (first as { text?: unknown }).text;
  if (typeof sql !== 'string') return query(...args);
  traceBehind(valuesOf(args), where);
  const ended = begin(sql, where);
  const at = args.findIndex((arg) => typeof arg === 'function');
  if (at >= 0) {
    const done = args[at] as Done;
    const traced: Done = (error, result) => {
      ended(error, result);
      done(error, result);
    };
    return query(...args.with(at, traced));
  }
  const answer = query(...args);
  if (answer instanceof Promise) answer.then((result: QueryResult) => ended(undefined, result), ended);
  else ended(undefined);
  return answer;
}

/** Statements in the message of another one have spans of their own. */
function traceBehind(values: readonly unknown[] | undefined, where: Attributes): void {
  const behind = behindOf(values);
  if (!values || behind.length === 0) return;
  const traced = behind.map((along) => {
    const ended = begin(along.config.text, where);
    const done: Along['done'] = (error, result) => {
      ended(error, result);
      along.done(error, result);
    };
    return { ...along, done };
  });
  sendBehind(values, traced);
}

/** Begins the span of a statement. @returns ends it */
function begin(sql: string, where: Attributes): (error: unknown, result?: QueryResult) => void {
  const { name, operation, text } = sqlTextOf(sql);
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text, ...where };
  const span = beginSpan(name, { kind: 'client', attributes })!;
  return (error, result) => {
    if (error) fail(span, error);
    else if (typeof result?.rowCount === 'number') span.setAttribute('db.response.returned_rows', result.rowCount);
    span.end();
  };
}
