import { namedStatement } from '../../platform/database/named-statements.ts';
import type { BatchTx, ClaimedRecord, ImportKind } from '../importer.ts';
import { payloadHash } from '../payload/hash.ts';

/** A locked key, with what was applied to it last. */
export interface TakenKey {
  imported_for: string;
  applied_hash: Buffer | null;
  applied_sequence: string | null;
  result_id: string | null;
}

/**
 * Locks keys in sorted order, to the end of the transaction. The row of `import_key` is the lock, and it also holds the last applied
 * payload. (Advisory locks would do, but a thousand of them exhaust PostgreSQL's shared lock table; row locks have no limit.) Creating a
 * key locks it: nobody else sees it, and a concurrent insert waits.
 * @returns the keys that existed before
 */
export async function takeKeys(query: BatchTx['query'], companyId: string, kind: ImportKind, keys: string[]): Promise<TakenKey[]> {
  if (keys.length === 0) return [];
  const made = await query<{ imported_for: string }>(MAKE, [companyId, kind, keys]);
  if (made.length === keys.length) return [];
  const own = new Set(made.map((key) => key.imported_for));
  const before = keys.filter((key) => !own.has(key));
  return query<TakenKey & Record<string, unknown>>(LOCK, [companyId, kind, before]);
}

/** The same without a lock, and without creating keys: as they are at this moment. */
export async function readKeys(query: BatchTx['query'], companyId: string, kind: ImportKind, keys: string[]): Promise<TakenKey[]> {
  return keys.length === 0 ? [] : query<TakenKey & Record<string, unknown>>(KEYS, [companyId, kind, keys]);
}

const KEYS = `select imported_for, applied_hash, applied_sequence, result_id from import_key
  where company_id = $1 and kind = $2 and imported_for = any ($3::text[])
  order by imported_for`;
const MAKE = namedStatement(`insert into import_key (company_id, kind, imported_for)
  select $1, $2, key from unnest($3::text[]) key order by key
  on conflict do nothing
  returning imported_for`);
const LOCK = namedStatement(`${KEYS} for update`);

/** A payload, and the fields that its sender may not see. */
type Compared = Pick<ClaimedRecord, 'payload' | 'unseen'>;

/**
 * Returns the hash by which a payload is compared. Rates that the sender may not see are left out: whether a payload is a duplicate would
 * otherwise confirm a guessed rate, and such rates change nothing anyway.
 * @param hash of the whole payload
 */
export function comparedHash({ payload, unseen }: Compared, hash: Buffer): Buffer {
  if (!unseen) return hash;
  return Buffer.from(payloadHash(Object.fromEntries(Object.entries(payload).filter(([field]) => !unseen(field)))), 'hex');
}

/**
 * Returns the hash of what was applied last to each key, as the sender of the present record would compare it; no statement if all senders
 * see everything.
 * @param at the record of each key
 * @returns hashes by key; none if nothing was applied, or if its payload is no longer stored
 */
export async function appliedHashes(
  query: BatchTx['query'],
  [companyId, kind]: readonly [string, ImportKind],
  keys: readonly TakenKey[],
  at: (key: string) => Compared,
): Promise<Map<string, Buffer>> {
  const applied = keys.filter(({ applied_hash }) => applied_hash !== null);
  const blind = applied.filter(({ imported_for }) => at(imported_for).unseen);
  const rows = blind.length > 0 ? await query<Payload>(PAYLOADS, [companyId, kind, blind.map(keyOf), blind.map(sequenceOf)]) : [];
  const payloads = new Map(rows.map(({ imported_for, payload }) => [imported_for, payload]));
  return new Map(
    applied.flatMap(({ imported_for: key, applied_hash: hash }): [string, Buffer][] => {
      const { unseen } = at(key);
      if (!unseen) return [[key, hash!]];
      const payload = payloads.get(key);
      return payload ? [[key, comparedHash({ payload, unseen }, hash!)]] : [];
    }),
  );
}

type Payload = { imported_for: string; payload: Record<string, unknown> };
const keyOf = ({ imported_for }: TakenKey): string => imported_for;
const sequenceOf = ({ applied_sequence }: TakenKey): string | null => applied_sequence;

const PAYLOADS = namedStatement(`select r.imported_for, r.payload from unnest($3::text[], $4::bigint[]) k(key, sequence),
  lateral (select * from imported_record x where x.company_id = $1 and x.kind = $2 and x.imported_for = k.key and x.sequence = k.sequence offset 0) r`);

/** A record that somebody has tried again. */
type TriedAgain = Pick<ClaimedRecord, 'id'> & { importedFor: string; sequence: bigint; hash: Buffer };

/**
 * Returns the ids of records after which a newer payload of their key was answered without being applied: it was what the record already had, or a
 * locked order took nothing of it. The sender's last word is the newer one. Records of which one was applied are known by their keys.
 */
export async function overtakenUnapplied(
  query: BatchTx['query'],
  [companyId, kind]: readonly [string, ImportKind],
  records: readonly TriedAgain[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set();
  const rows = await query<{ id: string }>(ANSWERED, [
    companyId,
    kind,
    records.map(({ id }) => id),
    records.map(({ importedFor }) => importedFor),
    records.map(({ sequence }) => String(sequence)),
    records.map(({ hash }) => hash.toString('hex')),
  ]);
  return new Set(rows.map(({ id }) => id));
}

// An element that equals the one before it in its request is skipped without an attempt, and says nothing new.
const ANSWERED = namedStatement(`select k.id from unnest($3::uuid[], $4::text[], $5::bigint[], $6::text[]) k(id, key, sequence, hash)
  where exists (select from imported_record n where n.company_id = $1 and n.kind = $2 and n.imported_for = k.key and n.sequence > k.sequence
    and n.state = 'skipped' and n.attempts > 0 and split_part(n.last_error, ':', 1) in ('duplicate', 'order_locked') and n.payload_hash <> decode(k.hash, 'hex'))`);
