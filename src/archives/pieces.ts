import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SYSTEM } from '../platform/commands/records.ts';
import { queryAs } from '../platform/database/sql.ts';
import { newId } from '../platform/ids.ts';
import { ARCHIVING } from './archive-purpose.ts';

/** The rows of a company in a table in a month, and their file. */
export interface Piece {
  id: string;
  /** Null for rows of all companies. */
  companyId: string | null;
  table: string;
  /** The first day of the month. */
  period: string;
  part: number;
  key: string;
  writer: string;
  rows: number;
  sha256: string;
  /** Another file of it, which is to be removed. */
  staleKey: string | null;
}

/** A file with positions of people who were forgotten since: whose, under all of their ids, and of before which moment. */
export interface WithForgotten extends Piece {
  forgotten: { ids: string[]; before: string }[];
}

/** The properties of a file that has been written. */
export interface Written {
  rows: number;
  bytes: number;
  sha256: string;
  checksum: bigint;
}

/** Seconds that a process may be silent before another one takes its piece. */
const LEASE = 600;
/** Milliseconds after which a lease is renewed. */
const RENEW_AFTER = 60_000;

/** Another process has the piece: this one was silent for too long. */
export class LeaseLost extends Error {}

const PIECE = `id, company_id as "companyId", table_name as table, period::text, part, key, stale_key as "staleKey", writer, coalesce(row_count, 0)::int as rows, sha256`;
const LEASED = `now() + ${LEASE} * interval '1 second'`;
const SAME = 'company_id is not distinct from $1::uuid and table_name = $2 and period = $3::date';

// A writer that died has left its row: whoever takes it over writes under another key, so that nobody is ever in the way of who comes back late.
const CLAIM = `with next as (select coalesce(max(part) filter (where state = 'removed'), 0) + 1 as part from archive_piece where ${SAME})
  insert into archive_piece as p (company_id, table_name, period, part, state, key, writer, lease_until)
    select $1::uuid, $2, $3::date, next.part, 'writing', $4, $5::uuid, ${LEASED} from next
  on conflict (company_id, table_name, period, part) do update
    set stale_key = p.key, key = excluded.key, writer = excluded.writer, lease_until = excluded.lease_until, begun_at = now()
    where p.state = 'writing' and p.lease_until < now()
  returning ${PIECE}`;
const RENEW = `update archive_piece set lease_until = ${LEASED} where id = $1 and writer = $2 returning 1`;
const VERIFIED = `update archive_piece set state = 'verified', verified_at = now(), lease_until = null, row_count = $3, bytes = $4, sha256 = $5, checksum = $6::numeric
  where id = $1 and writer = $2 and state = 'writing' returning 1`;
const FORGET = `delete from archive_piece where id = $1 and writer = $2 and state = 'writing'`;
const OPEN = `select ${PIECE} from archive_piece where table_name = $1 and state = 'verified' order by period, company_id, part`;
const TAKE = `update archive_piece set writer = $2, lease_until = ${LEASED} where id = $1 and state = 'verified' and (lease_until is null or lease_until < now()) returning ${PIECE}`;
// Also what was forgotten while its transaction had begun and the file was read. Whoever stayed when two were merged has the positions of both; whoever was
// forgotten and then merged is what is left of them, and their positions have the id from before, and those of whom had been merged into them. Who was merged
// into somebody who had been forgotten already is not meant: their positions stay in the table, too, and their merge can be undone.
const WITH_FORGOTTEN = `select p.id, p.company_id as "companyId", p.table_name as table, p.period::text, p.part, p.key, p.stale_key as "staleKey", p.writer,
    p.row_count::int as rows, p.sha256, json_agg(json_build_object('ids', f.ids, 'before', u.positions_forgotten_at)) as forgotten
  from archive_piece p join app_user u on u.company_id = p.company_id and u.positions_forgotten_at > p.begun_at - interval '10 minutes'
    cross join lateral (with recursive they (id) as (
        select coalesce((select m.former_id from merged_record m where m.remains_id = u.id), u.id)
        union select m.former_id from they join record_merge g on g.kept_id = they.id and g.company_id = u.company_id
            and g.created_at <= u.positions_forgotten_at
          join merged_record m on m.record_merge_id = g.id)
      select array_agg(they.id) || array_remove(array_agg(m.remains_id), null) as ids from they left join merged_record m on m.former_id = they.id) f
  where p.table_name = 'location_history' and p.state <> 'writing' and p.deleted_at is null and (p.lease_until is null or p.lease_until < now()) group by p.id`;
const STALE = `select ${PIECE} from archive_piece where stale_key is not null and state <> 'writing' and (lease_until is null or lease_until < now())`;
const REWRITE = `update archive_piece set writer = $2, stale_key = $3, lease_until = ${LEASED}
  where id = $1 and key = $4 and state <> 'writing' and deleted_at is null and stale_key is null and (lease_until is null or lease_until < now()) returning 1`;
const REWRITTEN = `update archive_piece set key = stale_key, stale_key = key, begun_at = now(), lease_until = null, row_count = $3, bytes = $4, sha256 = $5, checksum = $6::numeric
  where id = $1 and writer = $2 returning 1`;
// Whoever was cut off from it may be bringing it this very moment.
const CLEAN = `with noted as (insert into archive_stray (key) values ($2) on conflict (key) do update set noted_at = now())
  update archive_piece set stale_key = null where id = $1 and stale_key = $2`;
const STRAYS = 'select key from archive_stray order by noted_at';
const FORGET_STRAY = `delete from archive_stray where key = $1 and noted_at < now() - interval '1 day'`;
const LEAVE = 'update archive_piece set lease_until = null where id = $1 and writer = $2';
const REMOVED = `update archive_piece set state = 'removed', removed_at = now(), lease_until = null where id = $1 and writer = $2 and state = 'verified' returning 1`;
const REOPENED = `update archive_piece set state = 'writing', lease_until = ${LEASED} where id = $1 and writer = $2 and state = 'verified' returning 1`;

// Rows that are still there would be written anew at once, and what somebody else works on waits for the next round.
const MAY_END = `p.state = 'removed' and p.deleted_at is null and p.stale_key is null and (p.lease_until is null or p.lease_until < now())`;
const HAS_ENDED = `(p.period + interval '1 month') at time zone 'UTC' <= r.before`;
const NOBODY = `'00000000-0000-0000-0000-000000000000'::uuid`;
const ENDED = (ends: string): string => `select ${PIECE} from archive_piece p
    join (${ends}) r on coalesce(r."companyId", ${NOBODY}) = coalesce(p.company_id, ${NOBODY}) and ${HAS_ENDED}
  where p.table_name = $1 and ${MAY_END} order by p.period, p.company_id, p.part`;
const TAKE_ENDED = (
  ends: string,
  companyId: string | null,
): string => `update archive_piece p set writer = $2, lease_until = ${LEASED} where p.id = $1 and ${MAY_END}
    and exists (select from (${ends}) r where ${companyId === null ? '$3::uuid is null' : 'r."companyId" = $3::uuid'} and ${HAS_ENDED}) returning ${PIECE}`;
// In one statement: no file is gone without its entry, if it belongs to a company.
const DELETED = `with gone as (update archive_piece set deleted_at = now(), lease_until = null where id = $1 and writer = $2 and deleted_at is null returning *),
  noted as (insert into audit_entry (id, company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, created_by_name, request_id)
    select $3::uuid, company_id, 'ArchivePiece', id, 'destroy', jsonb_build_object('table', jsonb_build_array(table_name, null),
        'period', jsonb_build_array(to_char(period, 'YYYY-MM'), null), 'part', jsonb_build_array(part, null), 'key', jsonb_build_array(key, null),
        'rows', jsonb_build_array(row_count, null), 'sha256', jsonb_build_array(sha256, null)), $4, $5::uuid, $6, $7
    from gone where company_id is not null)
  select from gone`;

const keyOf = ({ companyId, table, period }: Pick<Piece, 'companyId' | 'table' | 'period'>, writer: string): string =>
  `archives/${companyId ?? 'all'}/${table}/${period.slice(0, 7)}-${writer.slice(0, 8)}.ndjson.gz`;

/** Which files there are, and who works on which. */
export class Pieces {
  readonly #em: EntityManager;

  constructor(em: EntityManager) {
    this.#em = em;
  }

  /** Asks for the purpose of archives. */
  async ask<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
    const rows = await queryAs<R>(ARCHIVING, this.#em, sql, values);
    return rows;
  }

  /** Changes the row of a file that this process has. @throws LeaseLost */
  async #change(sql: string, { id, writer }: Piece, ...more: readonly unknown[]): Promise<void> {
    if ((await this.ask(sql, [id, writer, ...more])).length === 0) throw new LeaseLost(`another process has the archive ${id}`);
  }

  /** Takes the file of a month that is to be written. @returns undefined if another process writes it, or it waits for its rows to leave */
  async claim(companyId: string | null, table: string, period: string): Promise<Piece | undefined> {
    const writer = randomUUID();
    const [piece] = await this.ask<Piece>(CLAIM, [companyId, table, period, keyOf({ companyId, table, period }, writer), writer]);
    return piece;
  }

  /** Positions of people who were forgotten after they were written. */
  withForgotten(): Promise<WithForgotten[]> {
    return this.ask<WithForgotten>(WITH_FORGOTTEN);
  }

  /** Files next to which another one is to be removed. */
  stale(): Promise<Piece[]> {
    return this.ask<Piece>(STALE);
  }

  /** Takes a file that is to be written anew. @returns it with its new key; undefined if another process has it, or has written it anew since it was listed */
  async rewrite(piece: Piece): Promise<Piece | undefined> {
    const writer = randomUUID();
    const key = keyOf(piece, writer);
    return (await this.ask(REWRITE, [piece.id, writer, key, piece.key])).length > 0 ? { ...piece, key, writer } : undefined;
  }

  /** Notes that the new file takes the place of the one before, which is to be removed. @throws LeaseLost */
  rewritten(piece: Piece, { rows, bytes, sha256, checksum }: Written): Promise<void> {
    return this.#change(REWRITTEN, piece, rows, bytes, sha256, String(checksum));
  }

  /** Notes that the other file is removed. */
  async clean(id: string, staleKey: string): Promise<void> {
    await this.ask(CLEAN, [id, staleKey]);
  }

  /** Files that belong to nothing, and may still be brought. */
  strays(): Promise<{ key: string }[]> {
    return this.ask<{ key: string }>(STRAYS);
  }

  /** Notes that a file was removed once more; after a day nobody brings it any more. */
  async forgetStray(key: string): Promise<void> {
    await this.ask(FORGET_STRAY, [key]);
  }

  /** The files whose rows have not left yet. */
  verified(table: string): Promise<Piece[]> {
    return this.ask<Piece>(OPEN, [table]);
  }

  /** Takes a file whose rows are to be removed. @returns it as it is by now; undefined if another process has it */
  async take(piece: Piece): Promise<Piece | undefined> {
    const [taken] = await this.ask<Piece>(TAKE, [piece.id, randomUUID()]);
    return taken;
  }

  /** Returns a function that renews the lease if it is time. It throws LeaseLost. */
  renewal(piece: Piece): () => Promise<void> {
    let renewed = Date.now();
    return async () => {
      if (Date.now() - renewed < RENEW_AFTER) return;
      renewed = Date.now();
      await this.#change(RENEW, piece);
    };
  }

  /** Notes that the file is whole. @throws LeaseLost */
  verify(piece: Piece, { rows, bytes, sha256, checksum }: Written): Promise<void> {
    return this.#change(VERIFIED, piece, rows, bytes, sha256, String(checksum));
  }

  /** Notes that the rows of the file have left. @throws LeaseLost */
  remove(piece: Piece): Promise<void> {
    return this.#change(REMOVED, piece);
  }

  /** Notes that the file is no more what its rows are: whoever dies before it is dropped leaves it to whoever writes it anew. @throws LeaseLost */
  reopen(piece: Piece): Promise<void> {
    return this.#change(REOPENED, piece);
  }

  /** Gives back a file whose rows stay for now. */
  async leave({ id, writer }: Piece): Promise<void> {
    await this.ask(LEAVE, [id, writer]);
  }

  /** Files of a table whose time is over. @param ends SQL of the rules */
  ended(table: string, ends: string): Promise<Piece[]> {
    return this.ask<Piece>(ENDED(ends), [table]);
  }

  /**
   * Takes a file that is to be deleted.
   * @returns it as it is by now: it may have been written anew, under another key, since it was listed; undefined if another process has it, or its
   * company wants it longer by now
   */
  async takeEnded(piece: Piece, ends: string): Promise<Piece | undefined> {
    const [taken] = await this.ask<Piece>(TAKE_ENDED(ends, piece.companyId), [piece.id, randomUUID(), piece.companyId]);
    return taken;
  }

  /** Notes, also in the audit log of its company, that a file is deleted. @throws LeaseLost */
  deleted(piece: Piece): Promise<void> {
    return this.#change(DELETED, piece, newId(), SYSTEM.type, SYSTEM.id, SYSTEM.name, newId());
  }

  /** There is nothing to be in the file. */
  async forget({ id, writer }: Piece): Promise<void> {
    await this.ask(FORGET, [id, writer]);
  }
}
