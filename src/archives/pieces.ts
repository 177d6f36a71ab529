import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../platform/database/scope.ts';
import { poolOf } from '../platform/database/sql.ts';
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
}

/** What is known of a file when it has been written. */
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

const PIECE = `id, company_id as "companyId", table_name as table, period::text, part, key, writer, coalesce(row_count, 0)::int as rows, sha256`;
const LEASED = `now() + ${LEASE} * interval '1 second'`;
const SAME = 'company_id is not distinct from $1::uuid and table_name = $2 and period = $3::date';

// A writer that died has left its row: whoever takes it over writes under another key, so that nobody is ever in the way of who comes back late.
const CLAIM = `with before as (select id, key from archive_piece where ${SAME} and state = 'writing'),
  next as (select coalesce(max(part) filter (where state = 'removed'), 0) + 1 as part from archive_piece where ${SAME})
  insert into archive_piece as p (company_id, table_name, period, part, state, key, writer, lease_until)
    select $1::uuid, $2, $3::date, next.part, 'writing', $4, $5::uuid, ${LEASED} from next
  on conflict (company_id, table_name, period, part) do update set key = excluded.key, writer = excluded.writer, lease_until = excluded.lease_until
    where p.state = 'writing' and p.lease_until < now()
  returning ${PIECE}, (select b.key from before b where b.id = p.id) as "keyBefore"`;
const RENEW = `update archive_piece set lease_until = ${LEASED} where id = $1 and writer = $2 and state <> 'removed' returning 1`;
const VERIFIED = `update archive_piece set state = 'verified', verified_at = now(), lease_until = null, row_count = $3, bytes = $4, sha256 = $5, checksum = $6::numeric
  where id = $1 and writer = $2 and state = 'writing' returning 1`;
const FORGET = `delete from archive_piece where id = $1 and writer = $2 and state = 'writing'`;
const OPEN = `select ${PIECE} from archive_piece where table_name = $1 and state = 'verified' order by period, company_id, part`;
const TAKE = `update archive_piece set writer = $2, lease_until = ${LEASED} where id = $1 and state = 'verified' and (lease_until is null or lease_until < now()) returning 1`;
const LEAVE = 'update archive_piece set lease_until = null where id = $1 and writer = $2';
const REMOVED = `update archive_piece set state = 'removed', removed_at = now(), lease_until = null where id = $1 and writer = $2 and state = 'verified' returning 1`;

/** Which files there are, and who works on which. */
export class Pieces {
  readonly #em: EntityManager;

  constructor(em: EntityManager) {
    this.#em = em;
  }

  async ask<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
    const { rows } = await runAsPurpose(ARCHIVING, async () => (await poolOf(this.#em)).query<R>(sql, values));
    return rows;
  }

  /** Takes the file of a month that is to be written. @returns undefined if another process writes it, or it waits for its rows to leave */
  async claim(companyId: string | null, table: string, period: string): Promise<(Piece & { keyBefore: string | null }) | undefined> {
    const writer = randomUUID();
    const key = `archives/${companyId ?? 'all'}/${table}/${period.slice(0, 7)}-${writer.slice(0, 8)}.ndjson.gz`;
    const [piece] = await this.ask<Piece & { keyBefore: string | null }>(CLAIM, [companyId, table, period, key, writer]);
    return piece;
  }

  /** The files whose rows have not left yet. */
  verified(table: string): Promise<Piece[]> {
    return this.ask<Piece>(OPEN, [table]);
  }

  /** Takes a file whose rows are to be removed. @returns undefined if another process has it */
  async take(piece: Piece): Promise<Piece | undefined> {
    const writer = randomUUID();
    return (await this.ask(TAKE, [piece.id, writer])).length > 0 ? { ...piece, writer } : undefined;
  }

  /** Returns a function that renews the lease if it is time. It throws LeaseLost. */
  renewal({ id, writer }: Piece): () => Promise<void> {
    let renewed = Date.now();
    return async () => {
      if (Date.now() - renewed < RENEW_AFTER) return;
      renewed = Date.now();
      if ((await this.ask(RENEW, [id, writer])).length === 0) throw new LeaseLost(`another process has the archive ${id}`);
    };
  }

  /** Notes that the file is whole. @throws LeaseLost */
  async verify({ id, writer }: Piece, { rows, bytes, sha256, checksum }: Written): Promise<void> {
    const done = await this.ask(VERIFIED, [id, writer, rows, bytes, sha256, String(checksum)]);
    if (done.length === 0) throw new LeaseLost(`another process has the archive ${id}`);
  }

  /** Notes that the rows of the file have left. @throws LeaseLost */
  async remove({ id, writer }: Piece): Promise<void> {
    if ((await this.ask(REMOVED, [id, writer])).length === 0) throw new LeaseLost(`another process has the archive ${id}`);
  }

  /** Gives back a file whose rows stay for now. */
  async leave({ id, writer }: Piece): Promise<void> {
    await this.ask(LEAVE, [id, writer]);
  }

  /** There is nothing to be in the file. */
  async forget({ id, writer }: Piece): Promise<void> {
    await this.ask(FORGET, [id, writer]);
  }
}
