import { later, lsnOf, lsnText, type Position } from './position.ts';
import type { Replica } from './replica.ts';

/** Reads that belong together, such as those of one request: none of them sees an older database than the one before. */
export class ReadRoute {
  /** Writes in between are read by none of the others, so that they need not follow them to the primary. */
  readonly writesApart: boolean;
  #replica: Replica | undefined;
  readonly #required: Position;
  #seen: Position | undefined;
  #replayed = 0n;

  /**
   * @param required what the first read must see
   * @param replica where it reads; the primary by default
   */
  constructor(required: Position, replica: Replica | undefined, writesApart = false) {
    this.#required = required;
    this.#replica = replica;
    this.writesApart = writesApart;
  }

  static atPrimary(): ReadRoute {
    return new ReadRoute({ timeline: 0, lsn: 0n }, undefined);
  }

  /** Where its next statement goes; undefined for the primary. */
  get replica(): Replica | undefined {
    return this.#replica;
  }

  /** The LSN that the replica must have replayed before it answers the next statement. */
  get requiredLsn(): string {
    return lsnText(this.#replayed > this.#required.lsn ? this.#replayed : this.#required.lsn);
  }

  /** The position of what was required and read; undefined if nothing was read from a replica. */
  get seen(): Position | undefined {
    return this.#seen;
  }

  /** All of it was read from replicas, so far. */
  get isAtReplica(): boolean {
    return this.#replica !== undefined && this.#seen !== undefined;
  }

  /** Stays on the primary from now on, which has everything that was read elsewhere. */
  leave(): void {
    this.#replica = undefined;
  }

  /**
   * Notes how far the replica was, after it has answered. It shows a commit before it says that it has replayed it: what is being replayed may have been
   * read, so that another replica must have replayed more than this one said, unless there was nothing more.
   */
  saw(replica: Replica, replayed: string, received: string | null): void {
    const lsn = lsnOf(replayed);
    replica.noteReplayed(lsn);
    this.#replayed = lsn;
    const shown = { timeline: replica.timeline, lsn: received === replayed ? lsn : lsn + 1n };
    this.#seen = later(later(this.#required, this.#seen), shown);
  }
}
