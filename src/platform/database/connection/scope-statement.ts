/** A statement that is prepared by name. */
export interface NamedStatement {
  name: string;
  text: string;
  values: string[];
}

/** Settings that are sent with the scope where they change, by the ending of the name under which their statement is prepared. */
const MORE = {
  /** Where a transaction crosses companies, or comes back from it. */
  role: ['role'],
  /** The milliseconds that statements of a request may take. */
  time: ['statement_timeout'],
  /** Whether the statement is planned for its values. */
  plan: ['plan_cache_mode'],
  /** Whether it may read tables in another way than by look-ups. */
  scans: ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'],
} as const;

const texts = new Map<string, string>();

/**
 * Returns the statement that sets the scope of those behind it, until the transaction ends.
 * @param replayed on a replica, the LSN that it must have replayed: otherwise the statement fails, and those behind it with it
 */
export function scopeStatement(
  companies: string,
  work: string,
  more: Partial<Record<keyof typeof MORE, string>>,
  replayed?: string,
): NamedStatement {
  let name = 'haulgate_scope';
  const set = [`set_config('app.company_ids', $1, true)`, `set_config('app.work', $2, true)`];
  const values = [companies, work];
  for (const key of Object.keys(MORE) as (keyof typeof MORE)[]) {
    const value = more[key];
    if (value === undefined) continue;
    name += `_${key}`;
    values.push(value);
    for (const setting of MORE[key]) set.push(`set_config('${setting}', $${values.length}, true)`);
  }
  if (replayed !== undefined) {
    name += '_replayed';
    values.push(replayed);
  }
  let text = texts.get(name);
  if (text === undefined) {
    // Nothing else lets a plain statement fail.
    // A standby that was promoted goes on to say how far it had replayed.
    if (replayed !== undefined)
      set.push(`1 / coalesce(pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $${values.length}::pg_lsn, false)::int`);
    // The condition is never true, so no row comes back that would have to be separated from the statement's rows.
    text = `select where concat(${set.join(', ')}) is null`;
    texts.set(name, text);
  }
  return { name, text, values };
}
