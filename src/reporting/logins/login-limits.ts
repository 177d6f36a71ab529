/** What a login may take of the server. PostgreSQL keeps the first; whoever is signed in can lift the others for themselves, up to what the watch allows. */
export const LIMITS = {
  /** Sessions at a time. */
  connections: 5,
  /** Seconds that a statement may run. */
  statement: 60,
  /** Seconds that a transaction may wait for its next statement. */
  idle: 60,
  /** Megabytes on disk that a statement may sort and join; only where the owner of the database may set it. */
  temporary: 2_048,
} as const;

/** What ends a session, whatever was set in it: seconds that its statement runs, and its transaction is open. */
export const WATCHED = { statement: 90, transaction: 600 } as const;
/** Milliseconds between two looks. */
export const WATCH_EVERY = 5_000;
/** Logins that a company may have at a time. */
export const MOST_LOGINS = 10;
