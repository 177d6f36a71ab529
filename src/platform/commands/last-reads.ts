import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Along } from '../database/connection/together.ts';
import { companiesLiteral, type Scope } from '../database/scope.ts';
import type { HasRead } from '../database/sql.ts';

/** What transactions have read since their last change of records. */
const reads = new WeakMap<EntityManager, HasRead[]>();

/** Notes a read of the transaction of `em`, for the answer of its command. */
export function noteRead(em: EntityManager, read: HasRead): void {
  const known = reads.get(em);
  if (known && known.length < MOST) known.push(read);
}

/** The answer is one record. */
const MOST = 10;

/** Begins to note reads: nothing is changed from here on but what says that something was changed. */
export const beginLastReads = (em: EntityManager): void => void reads.set(em, []);

/** Tables that are written after the last read. */
const WRITTEN_LATER = /\b(?:outbox_event|audit_entry|transition|webhook_\w+)\b/;

/**
 * Divides statements that are to be sent behind the commit into those that the transaction has just read, as the same reader, and others. What others commit in
 * between would be read by neither of two readers who come at the same time.
 * @returns `known` hands over what was read
 */
export function takeLastReads(em: EntityManager, statements: readonly Along[]): { known: () => void; others: readonly Along[] } {
  const found = statements.map((along) => [along, reads.get(em)?.find((read) => isSame(read, along))] as const);
  reads.delete(em);
  const known = () => {
    for (const [{ done }, read] of found)
      if (read) done(null, { rows: [...read.rows], rowCount: read.rows.length, command: 'SELECT', oid: 0, fields: [] });
  };
  return { known, others: found.flatMap(([along, read]) => (read ? [] : [along])) };
}

const isSame = ({ config, scope }: HasRead, along: Along): boolean =>
  keyOf(scope) === keyOf(along.scope) &&
  isDeepStrictEqual(config.values, along.config.values) &&
  config.text === along.config.text &&
  isOfRecords(config.text);

/** Whether a statement reads nothing of them. Its text is long, and comes again and again. */
function isOfRecords(text: string): boolean {
  const known = ofRecords.get(text) ?? !WRITTEN_LATER.test(text);
  if (ofRecords.size >= MOST_TEXTS) ofRecords.clear();
  ofRecords.set(text, known);
  return known;
}
const ofRecords = new Map<string, boolean>();
const MOST_TEXTS = 500;

const keyOf = ({ companyIds, work, purpose }: Scope): string => `${companiesLiteral(companyIds)} ${work} ${purpose?.name ?? ''}`;
