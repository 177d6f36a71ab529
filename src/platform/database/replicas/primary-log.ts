import type { Pool } from 'pg';
import { lsnOf, type Position } from './position.ts';

/**
 * Behind everything that anybody sees: a commit is shown when it is on the disk, unless it waits for none (`synchronous_commit = off`). What is not on
 * the disk yet is not sent to replicas either, and may wait for a while if it belongs to no commit.
 */
const PLACE = `case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end::text as lsn,
  pg_walfile_name(pg_current_wal_insert_lsn()) as file`;
const NOW = `select ${PLACE}`;
const LOOK = `select ${PLACE}, pg_current_wal_flush_lsn()::text as flushed, (select max(id) from wal_timeline) as known,
    (select system_identifier::text from pg_control_system()) as cluster`;
/** In the history itself that it names, so that a replica which shows it has replayed something of that history. */
const NOTE = `insert into wal_timeline (id, begun_at)
  select ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int, now() on conflict (id) do nothing`;

/** The state of the primary's log. */
export interface PrimaryState {
  timeline: number;
  /** The place up to which the log is sent to replicas. */
  flushed: bigint;
  cluster: string;
}

interface Said {
  lsn: string;
  file: string;
}

/** The log of the primary, whose places say how far somebody's view of the database goes. */
export class PrimaryLog {
  readonly #asks: Pool;
  #waiting: Promise<Position> | undefined;
  #asking: Promise<Position> | undefined;

  /** @param asks a connection for these questions, which wait for nothing else */
  constructor(asks: Pool) {
    this.#asks = asks;
  }

  /**
   * The position of everything that anybody has been shown until now. Whoever asks while a question is under way shares the one after it, which is
   * asked later than they ask.
   */
  position(): Promise<Position> {
    if (!this.#asking) return this.#ask();
    this.#waiting ??= this.#asking
      .catch(() => undefined)
      .then(() => {
        this.#waiting = undefined;
        return this.#ask();
      });
    return this.#waiting;
  }

  #ask(): Promise<Position> {
    const asking = this.#asks.query<Said>(NOW).then(({ rows }) => ({ timeline: timelineOf(rows[0]!), lsn: lsnOf(rows[0]!.lsn) }));
    this.#asking = asking;
    const over = () => {
      if (this.#asking === asking) this.#asking = undefined;
    };
    asking.then(over, over);
    return asking;
  }

  /** Looks at the log, and notes a history that has begun. */
  async look(): Promise<PrimaryState> {
    const { rows } = await this.#asks.query<Said & { flushed: string; known: number | null; cluster: string }>(LOOK);
    const said = rows[0]!;
    const timeline = timelineOf(said);
    if (said.known === null || said.known < timeline) await this.#asks.query(NOTE);
    return { timeline, flushed: lsnOf(said.flushed), cluster: said.cluster };
  }

  close(): Promise<void> {
    return this.#asks.end();
  }
}

/** The name of a file of the log begins with its history. */
const timelineOf = ({ file }: Said): number => Number.parseInt(file.slice(0, 8), 16);
