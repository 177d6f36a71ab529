import { currentWork } from '../database/request-work.ts';
import { TooMany, Unavailable } from '../errors.ts';

/** Requests of one caller that wait for their turn at most; more are refused. */
const MOST_WAITING = 500;

/** The holder of a turn: the answer to a request, or a subscription. When it is closed, nobody waits for what is read in the turn. */
export interface TurnHolder {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  removeListener(event: 'close', listener: () => void): unknown;
}

interface Line {
  running: number;
  waiting: (() => void)[];
}

/**
 * Lets a limited number of requests of each caller run at a time; further ones of the same caller wait for their turn. Rate limits bound
 * how many requests come in a minute; this bounds how much of the database one caller holds at a moment.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #lines = new Map<string, Line>();

  /** @param atOnce requests of one caller that run at a time; 0 for any number */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Waits for the caller's turn. It ends with the answer and the work for it, or with `endTurn`, after which it can be taken again. A client that
   * leaves while waiting leaves the line too.
   * @param caller the same text for the same caller
   * @throws TooMany when too many requests of the caller wait already
   * @throws Unavailable when the client has left and it is not the request's turn: a command would begin that nobody counts
   */
  async take(caller: string, res: TurnHolder | undefined): Promise<void> {
    if (this.#atOnce === 0 || !res || turns.has(res)) return;
    const line = this.#lines.get(caller) ?? { running: 0, waiting: [] };
    this.#lines.set(caller, line);
    if (line.running >= this.#atOnce) {
      if (line.waiting.length >= MOST_WAITING) throw new TooMany(1);
      if (res.closed || !(await this.#wait(line, res))) throw new Unavailable();
    } else line.running++;
    const end = () => {
      if (turns.get(res) !== end) return;
      turns.delete(res);
      // A stream takes thousands of turns.
      res.removeListener('close', left);
      this.#next(caller, line);
    };
    // The statements of a client that leaves are canceled, but not a command that has begun: it uses the database until it is done.
    const work = currentWork();
    const left = () => void (work ? work.settled().then(end) : end());
    turns.set(res, end);
    res.once('close', left);
    // The client left before, or at the moment in which it was the caller's turn.
    if (res.closed) left();
  }

  /** @returns whether it became the request's turn, handed over by the one before; otherwise its client has left */
  #wait(line: Line, res: TurnHolder): Promise<boolean> {
    return new Promise((resolve) => {
      const called = () => {
        res.removeListener('close', left);
        resolve(true);
      };
      const left = () => {
        line.waiting.splice(line.waiting.indexOf(called), 1);
        resolve(false);
      };
      line.waiting.push(called);
      res.once('close', left);
    });
  }

  #next(caller: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) next();
    else if (--line.running === 0) this.#lines.delete(caller);
  }
}

const turns = new WeakMap<TurnHolder, () => void>();

/** Ends a request's turn before its answer has ended: what is left waits for something else than the database, or sends bytes of a file. */
export const endTurn = (res: TurnHolder): void => turns.get(res)?.();

/** Returns a signal that is aborted when the client leaves. */
export function whenLeft(res: TurnHolder): AbortSignal {
  const left = new AbortController();
  res.once('close', () => left.abort());
  if (res.closed) left.abort();
  return left.signal;
}
