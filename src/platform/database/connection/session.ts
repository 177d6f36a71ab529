import type { PoolClient } from 'pg';
import type { Planning } from '../planned-once.ts';
import type { Replica } from '../replicas/replica.ts';
import type { RequestWork } from '../request-work.ts';
import type { Keeping, KeptStatements } from './kept-statements.ts';
import type { Pooler } from './pooler.ts';
import type { Sent } from './together.ts';

/** The properties that the connections of a pool have in common. */
export interface Manner {
  keeping?: Keeping;
  pooler?: Pooler;
  replica?: Replica;
  /**
   * Changes when PostgreSQL refuses a statement because a migration changed a table since it was prepared. All connections prepare theirs anew then:
   * a command that met one such table after the other, each on another connection, would not be done.
   */
  era: string;
}

/** A connection that sends the scope of its statements along. */
export interface Session {
  /** The client's original `query`. */
  query: (...args: unknown[]) => unknown;
  manner: Manner;
  /** Prepared statements: planned reads, and what commands send. */
  kept: KeptStatements;
  /** The era in which they were prepared. */
  era: string;
  /** A transaction was asked for, and nothing in it yet. */
  begins?: boolean;
  /** Writes of the running transaction that wait for its next statement. */
  delayed: Sent[];
  /** The transaction was committed in the message of its last statement, and its holder has yet to ask for that. */
  committed?: boolean;
  /** The scope that the running transaction got last. */
  lastScope?: string;
  /** The running transaction acts in the role of a purpose. */
  crossed?: boolean;
  /** The running transaction has its time limit for statements. Within the transaction, code may have set another one. */
  timed?: boolean;
  /** How the running transaction plans statements; undefined when it may have been set back. */
  planning?: Planning;
  /** The request that holds the connection. */
  work?: RequestWork;
  /** Gives back the request's place when the connection is given back. */
  leave?: () => void;
}

/** Whether a connection is in a transaction, and in one that has failed. */
export const statusOf = (client: PoolClient): 'I' | 'T' | 'E' | null =>
  (client as unknown as { getTransactionStatus(): 'I' | 'T' | 'E' | null }).getTransactionStatus();
