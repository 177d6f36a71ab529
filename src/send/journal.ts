import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { usage } from './fault.ts';

/** The subject of a run; another file, target or mapping, or another way to treat guesses, is another run. */
export interface Run {
  input: string;
  kind: string;
  url: string;
  client: string;
  mapping: Record<string, string>;
  /** Absent where guesses are welcome. */
  strict?: true;
}

/** A request that was acknowledged. */
export interface Acknowledged {
  /** Number of the request within the run, counted from 0. */
  request: number;
  batch: string;
  records: number;
}

/** A request that was refused for good: nothing of it was stored. */
export interface Refused {
  request: number;
  refused: string;
}

interface Head {
  haulgate_send: 1;
  run: Run;
  /** Part of every idempotency key: requests that an interrupted run was sending are not stored twice. */
  id: string;
  /** Elements of a request; a continued run keeps it, because its requests are counted. */
  size: number;
}

/**
 * The progress of a run, in a file next to its input: one line for each finished request, appended at once. If a run is killed while it
 * writes a line, only that line is lost, and that request is repeated.
 */
export class Journal {
  readonly head: Head;
  readonly done = new Map<number, Acknowledged | Refused>();
  /** Why an older journal was not continued. */
  readonly note: string | undefined;
  readonly #path: string;
  readonly #file: number;

  /** Opens or begins a journal. @throws Fault if the file is no journal, or cannot be written */
  constructor(path: string, run: Run, size: number, restart: boolean) {
    this.#path = path;
    // Also where it begins anew: a file that is something else, such as the one to be sent, is not overwritten.
    const before = readJournal(path);
    const found = restart ? undefined : before;
    const same = found && JSON.stringify(found.head.run) === JSON.stringify(run);
    if (found && !same)
      this.note = found.head.run.input === run.input ? 'The last run went elsewhere' : 'The file has changed since the last run';
    this.head = same ? found.head : { haulgate_send: 1, run, id: randomUUID(), size };
    try {
      this.#file = openSync(path, same ? 'a' : 'w', 0o600);
    } catch (error) {
      throw usage(`The state file ${path} cannot be written (${(error as NodeJS.ErrnoException).code}): give another one with --state.`);
    }
    if (!same) this.#append(this.head);
    // An incomplete last line must not merge with the next one.
    else if (found.torn) writeSync(this.#file, '\n');
    for (const line of same ? found.lines : []) this.done.set(line.request, line);
  }

  add(line: Acknowledged | Refused): void {
    this.done.set(line.request, line);
    this.#append(line);
  }

  /** Deletes the journal; nothing is left to continue. */
  remove(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #append(line: object): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

function readJournal(path: string): { head: Head; lines: (Acknowledged | Refused)[]; torn: boolean } | undefined {
  if (!existsSync(path)) return undefined;
  const text = textOf(path);
  // Killed before the first line was complete: nothing was sent.
  if (!text.includes('\n') && text.length < 4_096 && '{"haulgate_send":1,'.startsWith(text.slice(0, 19))) return undefined;
  const [first, ...lines] = text.split('\n').map(parseLine);
  if ((first as Head | undefined)?.haulgate_send !== 1)
    throw usage(`${path} is no state file of haulgate-send: name another one with --state, or remove it.`);
  const whole = lines.filter((line): line is Acknowledged | Refused => Number.isInteger((line as Acknowledged | undefined)?.request));
  return { head: first as Head, lines: whole, torn: !text.endsWith('\n') };
}

/** @throws Fault for a folder, and for a file that may not be read */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usage(`The state file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}): give another one with --state.`);
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
