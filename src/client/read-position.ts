/** One request's part in what a client has seen. */
export interface Sight {
  /** The position that is sent along. */
  sent: string | undefined;
  /** @param answered the position of the answer; null without one */
  end(answered: string | null): void;
}

/** The position up to which a client has seen the database. Its requests may run at the same time. */
export class ReadPosition {
  #seen: string | undefined;
  /** The number of times that it was forgotten. */
  #forgotten = 0;

  begin(): Sight {
    const begun = this.#forgotten;
    return {
      sent: this.#seen,
      end: (answered) => {
        // An answer without a position may have shown, or done, more than is known: the next request has to see all.
        if (answered === null || answered === 'none') {
          this.#seen = undefined;
          this.#forgotten++;
        } else if (begun === this.#forgotten && (this.#seen === undefined || isBehind(this.#seen, answered))) this.#seen = answered;
      },
    };
  }
}

/** Whether a position is before another one: `3-0/16B3748` is the history, and the place in its log. */
function isBehind(one: string, other: string): boolean {
  const [left, right] = [partsOf(one), partsOf(other)];
  const at = left.findIndex((part, n) => part !== right[n]);
  return at >= 0 && left[at]! < right[at]!;
}

const partsOf = (position: string): bigint[] => position.split(/[-/]/).map((part, n) => (n === 0 ? BigInt(part) : BigInt(`0x${part}`)));
