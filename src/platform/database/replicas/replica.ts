import pg, { type Pool } from 'pg';
import { cutOff } from '../connection/end.ts';
import { lsnOf } from './position.ts';

/** Why a replica is left out. */
export type OutBecause = 'not-asked-yet' | 'gone' | 'no-replica' | 'other-cluster' | 'other-history' | 'late' | 'unusable';

/** The state that a replica reports. */
export interface Sample {
  standby: boolean;
  replayed: string | null;
  timeline: number | null;
  cluster: string;
  /** The history that it receives now; null if it receives nothing, or its owner may not see that. */
  followed: number | null;
  /** That of the last point from which it would start again, which is minutes ago. */
  restartsIn: number;
  keeps: boolean;
}

/**
 * `timeline` is the last history of which the replica has replayed something (`wal_timeline`); `keeps`, that it ends no long read for what it
 * has to replay.
 */
const ASK = `select pg_is_in_recovery() as standby, pg_last_wal_replay_lsn()::text as replayed, (select max(id) from wal_timeline) as timeline,
    (select system_identifier::text from pg_control_system()) as cluster, wal_followed() as followed,
    (select timeline_id from pg_control_checkpoint()) as "restartsIn",
    current_setting('hot_standby_feedback')::bool or current_setting('max_standby_streaming_delay') = '-1' as keeps`;

export interface ReplicaPools {
  /** Connections for reads. */
  reads: Pool;
  /** A connection for questions about the replica, which wait for no read. */
  asks: Pool;
}

/** Questions in a row without an answer after which a server hangs. */
const HANGS = 2;

/** One replica as this process knows it. What is known of how far it has replayed is never more than it has. */
export class Replica {
  /** Host and port, for the log. */
  readonly name: string;
  readonly #open: () => Promise<ReplicaPools>;
  readonly #clients = new Set<pg.PoolClient>();
  #pools: ReplicaPools | undefined;
  #opening: Promise<ReplicaPools> | undefined;
  #asking: Promise<Sample> | undefined;
  #out: OutBecause | undefined = 'not-asked-yet';
  #silences = 0;
  #replayed = 0n;
  #timeline = 0;
  #keeps = false;

  /** @param open makes the pools, once the server is there */
  constructor(url: string, open: () => Promise<ReplicaPools>) {
    const { host, port } = new pg.Client({ connectionString: url });
    this.name = `${host}:${port}`;
    this.#open = open;
  }

  /** Why it gets no reads; undefined while it does. */
  get out(): OutBecause | undefined {
    return this.#out;
  }

  get timeline(): number {
    return this.#timeline;
  }

  /** Ends no long read for what it has to replay. */
  get keeps(): boolean {
    return this.#keeps;
  }

  /** The connections for reads of one that is not out. */
  get reads(): Pool {
    return this.#pools!.reads;
  }

  /** At least this much is replayed. */
  get replayed(): bigint {
    return this.#replayed;
  }

  noteReplayed(lsn: bigint): void {
    if (lsn > this.#replayed) this.#replayed = lsn;
  }

  /** Asks how far it is. Those who ask at once share a question. @throws when it does not answer */
  ask(): Promise<Sample> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<Sample> {
    const { asks } = await this.#opened();
    const { rows } = await asks.query<Sample>(ASK);
    this.#silences = 0;
    const sample = rows[0]!;
    const replayed = sample.replayed === null ? 0n : lsnOf(sample.replayed);
    // After a restart it may be behind what it was.
    if (this.#out) this.#replayed = replayed;
    else this.noteReplayed(replayed);
    this.#timeline = sample.timeline ?? 0;
    this.#keeps = sample.keeps;
    return sample;
  }

  #opened(): Promise<ReplicaPools> {
    this.#opening ??= this.#open().then(
      (pools) => {
        this.#pools = pools;
        pools.reads.on('connect', (client) => {
          this.#clients.add(client);
          client.once('end', () => this.#clients.delete(client));
        });
        return pools;
      },
      (error) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** It turned out not to be as far as was known: it has been started again. */
  forgetReplayed(): void {
    this.#replayed = 0n;
  }

  letIn(): void {
    this.#out = undefined;
  }

  /** Leaves out the replica; reads that run there go on. */
  leaveOut(because: OutBecause): void {
    this.#out = because;
  }

  /**
   * It did not answer a question. A server that hangs answers nothing, and nobody is to wait for it: what runs there fails, and is asked again elsewhere.
   * Not for one question, whose answer may be there while this process had no time to read it.
   */
  noteSilence(): void {
    if (++this.#silences < HANGS) return;
    for (const client of this.#clients) cutOff(client);
  }

  async close(): Promise<void> {
    const pools = await this.#opening?.catch(() => undefined);
    await Promise.all([pools?.reads.end(), pools?.asks.end()]);
  }
}
