import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../platform/commands/records.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { limitsOf, unseenBy } from '../apply/visible-to-sender.ts';
import type { ClaimedRecord, Warning } from '../importer.ts';
import { isNoted } from '../payload/noted.ts';
import type { Claim } from './claim.ts';
import { leased } from './ledger-purpose.ts';

interface LockedRow {
  id: string;
  attempts: number;
  tries_from: number;
  imported_for: string | null;
  sequence: string;
  payload: Record<string, unknown>;
  payload_hash: Buffer;
  batch_id: string;
  warnings: Warning[];
  state: string;
}

/** A record of a claim, locked to the end of the transaction. */
export interface Locked extends ClaimedRecord {
  /** Attempts of earlier series, before somebody asked for a retry. */
  triesFrom: number;
  sequence: bigint;
  hash: Buffer;
  /** Warnings of the payload from before it came to the ledger. */
  noted: Warning[];
  /** The state of its last outcome, or `created`. */
  state: string;
}

/**
 * Returns the records of a claim that are still leased under its attempt. `key share` conflicts with claiming and taking back, which skip
 * locked rows, but not with the renewal of the lease.
 */
export async function lockRows(em: EntityManager, claim: Claim): Promise<Locked[]> {
  const rows = await queryIn<LockedRow>(
    em,
    `select t.id, t.attempts, t.tries_from, t.imported_for, t.sequence, r.payload, r.payload_hash, r.batch_id, r.warnings, r.state
    from unnest($1::uuid[], $2::integer[]) held(id, attempts),
    -- Looked up id by id, each record in its own partition. Compared with the whole array, every row would cost as much as the batch is
    -- long, and the index of leases holds all rows whose lease ended since the last vacuum.
    lateral (
      select * from import_task w where w.id = held.id and w.attempts = held.attempts and ${leased('w')} offset 0 for key share) t,
    lateral (select payload, payload_hash, batch_id, warnings, state from imported_record where id = t.id offset 0) r
    order by t.sequence`,
    [claim.rows.map((r) => r.id), claim.rows.map((r) => r.attempt)],
  );
  const senders = await sendersOf(em, [...new Set(rows.map((row) => row.batch_id))]);
  return rows.map((row) => ({
    ...senders.get(row.batch_id)!,
    id: row.id,
    companyId: claim.companyId,
    kind: claim.kind,
    importedFor: row.imported_for ?? undefined,
    payload: row.payload,
    attempt: row.attempts,
    triesFrom: row.tries_from,
    sequence: BigInt(row.sequence),
    hash: row.payload_hash,
    noted: row.warnings.filter(({ code }) => isNoted(code)),
    state: row.state,
  }));
}

interface SenderRow {
  id: string;
  created_by_type: Actor['type'];
  created_by_id: string;
  created_by_name: string;
  request_id: string;
  may_edit: boolean;
  site_ids: string[] | null;
  own_only: boolean;
  unseen_rates: string[] | null;
  lacking: string[] | null;
  strict: boolean;
}

/** The fields of a record that come from its request. */
type Sender = Pick<ClaimedRecord, 'createdBy' | 'requestId' | 'mayEdit' | 'limits' | 'unseen' | 'lacking' | 'strict'>;

/** Returns the sender of each request, with their permissions: one row for each request, because hundreds of records share one. */
async function sendersOf(em: EntityManager, batchIds: string[]): Promise<Map<string, Sender>> {
  const rows = await queryIn<SenderRow>(
    em,
    namedStatement(`select id, created_by_type, created_by_id, created_by_name, request_id, may_edit, site_ids::text[], own_only, unseen_rates, lacking, strict
    from import_batch where id = any ($1::uuid[])`),
    [batchIds],
  );
  const senderOf = (row: SenderRow): Sender => ({
    createdBy: { type: row.created_by_type, id: row.created_by_id, name: row.created_by_name },
    requestId: row.request_id,
    mayEdit: row.may_edit,
    limits: limitsOf({ id: row.created_by_id, siteIds: row.site_ids ?? undefined, ownRecordsOnly: row.own_only }),
    unseen: unseenBy(row.unseen_rates),
    lacking: row.lacking ?? undefined,
    strict: row.strict,
  });
  return new Map(rows.map((row) => [row.id, senderOf(row)]));
}
