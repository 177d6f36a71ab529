import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { later, type Position } from './position.ts';
import type { PrimaryLog, PrimaryState } from './primary-log.ts';
import { ReadRoute } from './read-route.ts';
import type { OutBecause, Replica, Sample } from './replica.ts';

/** Milliseconds between two looks at the primary and its replicas. */
const LOOK = 250;
/** Milliseconds that a read waits for a replica to be far enough, and between two questions: most are a few milliseconds behind. */
const PATIENCE = 25;
const AGAIN = 2;
/** Milliseconds for which nobody waits for a replica that somebody has waited for in vain. */
const NO_WAIT = 250;
/** Callers whose positions are remembered. */
const MOST_CALLERS = 10_000;

export interface ReplicasOptions {
  primary: PrimaryLog;
  replicas: readonly Replica[];
  /** Milliseconds that a replica may be behind. */
  mostLag: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Counts of answered reads, by the server that answered. */
export interface ReadCounts {
  replica: number;
  primary: number;
  /** Statements that failed on a replica, and were asked again on the primary. */
  again: number;
}

/** Options of reads that belong together. */
export interface Manner {
  /** They may take minutes, in one transaction. */
  long?: boolean;
  /** As of `ReadRoute`. */
  writesApart?: boolean;
}

/** A moment, and how far the primary was. */
interface Mark {
  at: number;
  lsn: bigint;
}

/**
 * The replicas of the primary, and which of them may answer a read: one that has replayed everything that its caller has written or read before. Every
 * statement that is sent to a replica proves that there once more, so that what is remembered here decides only where it is tried first.
 */
export class Replicas {
  readonly counts: ReadCounts = { replica: 0, primary: 0, again: 0 };
  readonly #options: ReplicasOptions;
  /** The oldest first. */
  #marks: Mark[] = [];
  readonly #positions = new Map<string, Position>();
  /** Until when nobody waits for a replica. */
  readonly #waitedInVain = new WeakMap<Replica, number>();
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ReplicasOptions) {
    this.#options = options;
  }

  /** Looks at the replicas, and goes on with it until it is closed. */
  async open(): Promise<this> {
    await this.look();
    this.#later();
    return this;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    const { primary, replicas } = this.#options;
    await Promise.all([primary.close(), ...replicas.map((one) => one.close())]);
  }

  get all(): readonly Replica[] {
    return this.#options.replicas;
  }

  /** Milliseconds that a replica is behind at most; undefined if that is longer than it may be. */
  lagOf({ replayed }: Replica): number | undefined {
    const now = performance.now();
    const reached = this.#marks.findLast(({ at, lsn }) => lsn <= replayed && now - at <= this.#options.mostLag + LOOK);
    if (!reached) return undefined;
    return reached === this.#marks.at(-1) ? 0 : now - reached.at;
  }

  /**
   * Begins reads that belong together.
   * @param sent the position that the caller sent along; without one they see everything that is committed now, wherever they wrote it
   */
  async begin(sent: Position | undefined, caller: string | undefined, { long, writesApart }: Manner = {}): Promise<ReadRoute> {
    const known = caller === undefined ? undefined : this.#positions.get(caller);
    const isOut = this.all.every(({ out }) => out);
    // A primary that does not answer this does not answer the read either, which says so in its own way.
    const required = isOut ? undefined : sent ? later(sent, known) : await this.#options.primary.position().catch(() => undefined);
    if (!required) return ReadRoute.atPrimary();
    return new ReadRoute(required, await this.#choose(required, long, sent !== undefined), writesApart);
  }

  /** The position of everything that anybody has been shown until now. */
  position(): Promise<Position> {
    return this.#options.primary.position();
  }

  /** Remembers how far a caller's view goes, who may have several sessions. */
  remember(caller: string, position: Position): void {
    const known = this.#positions.get(caller);
    this.#positions.delete(caller);
    // A position that a failover has lost is in no history that goes on.
    this.#positions.set(caller, known && known.timeline >= position.timeline ? later(known, position)! : position);
    if (this.#positions.size > MOST_CALLERS) this.#positions.delete(this.#positions.keys().next().value!);
  }

  /** A statement failed on a replica, and is asked again on the primary. */
  failed(replica: Replica, error: Error & { code?: string }): void {
    this.counts.again++;
    if (isBehind(error)) replica.forgetReplayed();
    else if (isGone(error)) this.#leaveOut(replica, 'gone', error);
  }

  /** Looks once at the primary and all replicas. */
  look(): Promise<void> {
    this.#looking = this.#look();
    return this.#looking;
  }

  #later(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.look().then(() => this.#later()), LOOK).unref();
  }

  async #look(): Promise<void> {
    const { primary, replicas, mostLag } = this.#options;
    const state = await primary.look().catch(() => undefined);
    const now = performance.now();
    if (state) {
      // A history that was left may have gone further than the one that goes on.
      this.#marks = this.#marks.filter(({ at, lsn }) => now - at <= 2 * mostLag && lsn <= state.flushed);
      this.#marks.push({ at: now, lsn: state.flushed });
    }
    await Promise.all(replicas.map((one) => this.#lookAt(one, state)));
  }

  async #lookAt(replica: Replica, primary: PrimaryState | undefined): Promise<void> {
    try {
      const sample = await replica.ask();
      // Whether it is late, only the primary knows.
      if (!primary) return;
      const because = this.#reasonAgainst(replica, sample, primary);
      if (because) return this.#leaveOut(replica, because);
      if (replica.out) this.#options.log.info({ replica: replica.name }, 'a replica answers reads');
      replica.letIn();
      // Most are a few milliseconds behind: one that is not by then is not waited for until it is.
      if (replica.replayed >= primary.flushed) return;
      await sleep(PATIENCE);
      if (!this.#closed) await replica.ask();
    } catch (error) {
      const gone = isGone(error as Error & { code?: string });
      this.#leaveOut(replica, gone ? 'gone' : 'unusable', error as Error);
      if (gone) replica.noteSilence();
    }
  }

  #reasonAgainst(replica: Replica, sample: Sample, primary: PrimaryState): OutBecause | undefined {
    if (!sample.standby) return 'no-replica';
    if (sample.cluster !== primary.cluster) return 'other-cluster';
    if (replica.timeline < primary.timeline || followsOther(sample, primary)) return 'other-history';
    return this.lagOf(replica) === undefined ? 'late' : undefined;
  }

  #leaveOut(replica: Replica, because: OutBecause, error?: Error): void {
    if (this.#closed) return;
    if (replica.out !== because) this.#options.log.warn({ replica: replica.name, because, err: error }, 'a replica is left out');
    replica.leaveOut(because);
  }

  /**
   * They take turns, as far as they have replayed enough; where none is known to have, they are waited for a little.
   * @param sent by the client, who may say what they like: it may be beyond everything that the primary has
   */
  async #choose(required: Position, long = false, sent = false): Promise<Replica | undefined> {
    const turn = this.#turn++;
    const inTurn = this.all.map((_, at, all) => all[(at + turn) % all.length]!);
    const able = inTurn.filter((one) => !one.out && one.timeline >= required.timeline && (!long || one.keeps));
    const known = able.find(({ replayed }) => replayed >= required.lsn);
    if (known) return known;
    const awaited = able.filter((one) => this.#isWorthWaiting(one));
    if (awaited.length === 0) return undefined;
    const flushed = this.#marks.at(-1)?.lsn ?? 0n;
    if (sent && required.lsn > flushed) {
      const position = await this.#options.primary.position().catch(() => undefined);
      if (!position || position.lsn < required.lsn) return undefined;
    }
    return this.#firstToReach(required, awaited);
  }

  /** Not for one that is further behind than anybody waits, or was a moment ago: everybody would wait, and go to the primary then. */
  #isWorthWaiting(replica: Replica): boolean {
    const now = performance.now();
    const ahead = this.#marks.find(({ lsn }) => lsn > replica.replayed);
    return now >= (this.#waitedInVain.get(replica) ?? 0) && (!ahead || now - ahead.at <= PATIENCE);
  }

  async #firstToReach(required: Position, awaited: readonly Replica[]): Promise<Replica | undefined> {
    const end = performance.now() + PATIENCE;
    const reached = async (one: Replica): Promise<Replica> => {
      while (performance.now() < end && !one.out) {
        await one.ask();
        if (one.replayed >= required.lsn) return one;
        await sleep(AGAIN);
      }
      throw new Error('not far enough');
    };
    // One that hangs is waited for no longer.
    const late = sleep(PATIENCE * 2).then(() => undefined);
    const first = await Promise.race([Promise.any(awaited.map(reached)).catch(() => undefined), late]);
    if (!first) for (const one of awaited) this.#waitedInVain.set(one, performance.now() + NO_WAIT);
    return first;
  }
}

/**
 * Whether a standby has left for a history that is not the primary's: of a server that was promoted elsewhere. Its places go on as those of the primary
 * do, with something else in them.
 */
const followsOther = ({ followed, restartsIn }: Sample, { timeline }: PrimaryState): boolean =>
  followed === null ? restartsIn > timeline : followed !== timeline;

/** The division by zero in front of a statement (scope-statement.ts): the replica has not replayed what its caller must see. */
const isBehind = ({ code }: { code?: string }): boolean => code === '22012';

/** The server, or the connection to it, is gone, or says nothing. One that has no connection left for us is there. */
const isGone = (error: Error & { code?: string }): boolean => error.code !== '53300' && isUnreachable(error);
