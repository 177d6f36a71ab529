/** The limits of a login on the server. PostgreSQL keeps the first; somebody who is signed in can lift the others for themselves, up to those of the watch. */
export const LIMITS = {
  /** Sessions at a time. */
  connections: 5,
  /** Sessions at a time of all logins of a company, who share them out: each has one at least. */
  ofCompany: 10,
  /** Seconds that a statement may run. */
  statement: 60,
  /** Seconds that a transaction may wait for its next statement. */
  idle: 60,
  /** Megabytes on disk that a statement may sort and join; only where the owner of the database may set it. */
  temporary: 2_048,
} as const;

/** The limits at which a session is ended, whatever was set in it: seconds that its statement runs, and its transaction is open. */
export const WATCHED = { statement: 90, transaction: 600 } as const;
/** All logins together have one of so many connections that the server takes; the companies with the most sessions lose the newest of what is above it. */
export const SHARE_OF_SERVER = 4;
/** Milliseconds between two looks. */
export const WATCH_EVERY = 5_000;
/** Logins that a company may have at a time. */
export const MOST_LOGINS = 10;

/**
 * Functions of PostgreSQL that everybody who is signed in may call, and that write without any right to a table: large objects, and messages in the
 * log of changes.
 */
export const WRITERS = [
  ...['lo_creat', 'lo_create', 'lo_from_bytea', 'lo_put', 'lowrite', 'lo_truncate', 'lo_truncate64', 'lo_import'],
  'pg_logical_emit_message',
] as const;
