import type { QueryConfig, QueryResult } from 'pg';
import type { Scope } from '../scope.ts';

/** A statement that goes along in the message of another one. */
export interface Along {
  config: QueryConfig;
  /** Under which it runs. */
  scope: Scope;
  /** Called with its result. If it fails after the other one was done, it is called with the error, and the other one is not concerned. */
  done(error: Error | null, result?: QueryResult): void;
}

// Between the code that sends a statement and the connection are Kysely and tracing, which pass its values on as they are.
const behind = new WeakMap<readonly unknown[], readonly Along[]>();
const delayed = new WeakMap<readonly unknown[], Delayed>();

/**
 * Has statements run behind another one, in its message: behind the commit if it is the last statement of its transaction. Then they are alone, and
 * read what was committed.
 * @param values of the statement that they go along with
 */
export const sendBehind = (values: readonly unknown[], statements: readonly Along[]): void => void behind.set(values, statements);

export const behindOf = (values: readonly unknown[] | undefined): readonly Along[] => (values && behind.get(values)) ?? [];

/** The knowledge about a write before it is sent. */
export interface Delayed {
  /** Its result, unless it fails. */
  result: Pick<QueryResult, 'command' | 'rowCount' | 'rows'>;
  /** The error if another number of rows was written; absent if that does not matter. */
  otherwise?: () => Error;
}

/**
 * Lets a write of a transaction wait for the next statement, in whose message it is sent before it; the writer gets the result at once. What is wrong
 * with it is thrown by the next statement, at the latest by the commit.
 * @param values of the statement
 */
export const sendWithNext = (values: readonly unknown[], known: Delayed): void => void delayed.set(values, known);

/** The values of a statement, as a connection is asked for it. */
export const valuesOf = ([first, second]: readonly unknown[]): readonly unknown[] | undefined =>
  Array.isArray(second) ? second : (first as QueryConfig | undefined)?.values;

export const delayedOf = (values: readonly unknown[] | undefined): Delayed | undefined => values && delayed.get(values);

/** A statement with the scope under which it is sent. */
export interface Sent {
  config: QueryConfig;
  scope: Scope;
  /** Of a write whose result was given before it was sent. */
  expected?: Delayed;
}
