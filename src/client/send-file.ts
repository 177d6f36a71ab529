import { EXIT, Fault } from '../send/fault.ts';
import { reportFor } from '../send/report.ts';
import { send } from '../send/send.ts';
import { openSource } from '../send/source.ts';
import { Unreachable } from './errors.ts';

export interface SendOptions {
  /** `.csv`, `.json` or `.ndjson`. */
  file: string;
  url: string;
  clientId: string;
  clientSecret: string;
  /** By default detected from the file. */
  kind?: 'orders' | 'projects' | 'tickets';
  /** Elements of a request; 100 by default. */
  batch?: number;
  /** Requests at a time; 2 by default. */
  concurrency?: number;
  /** Paths by the headers of columns that a sheet does not name as the guide does. */
  mapping?: Record<string, string>;
  /** An element for which something would be guessed, such as its unit, fails. */
  strict?: boolean;
  /** Says what would become of each element, and stores nothing. */
  dryRun?: boolean;
  /** Waits for the outcome of each element; true by default. */
  wait?: boolean;
  /** Seconds without any record settling, after which waiting ends; 600 by default. */
  timeout?: number;
  /** The number of times that a request without an answer is repeated; 6 by default. */
  retries?: number;
  /** Where progress is kept, `FILE.haulgate-send` by default: the same call continues a run that was cut off. */
  state?: string;
  /** Forgets the progress of a run that was cut off. */
  restart?: boolean;
  onWait?: (reason: string) => void;
}

/** A record that did not simply succeed. */
export interface SentRecord {
  /** `line 3` or `element 3`. */
  place: string;
  imported_for: string | null;
  id: string;
  state: string;
  last_error: string | null;
}

export interface SendReport {
  kind: 'orders' | 'projects' | 'tickets';
  elements: number;
  /** Null for a dry run. */
  acknowledged: number | null;
  /** The number of records in each state; null without waiting. */
  states: Record<string, number> | null;
  failed: SentRecord[];
  /** Those that were there, and were left as they are. */
  left: SentRecord[];
  warned: (SentRecord & { warnings: { code: string; pointer: string; given?: unknown; used?: unknown }[] })[];
  unsent: { place: string; imported_for: string | null; why: string }[];
  unknown_columns: string[];
  ambiguous_numbers: { place: string; pointer: string; given: unknown; used?: unknown }[];
}

/**
 * Sends the orders, projects or tickets of a file to `/ingest`, as `haulgate-send` does, and says what became of them.
 * @throws TypeError if the file cannot be read, Unreachable if the server cannot be reached or refuses the client
 */
export async function sendFile(options: SendOptions): Promise<SendReport> {
  const { batch = 100, concurrency = 2, mapping = {}, strict = false, dryRun = false, wait = true } = options;
  const { timeout = 600, retries = 6, restart = false, state = `${options.file}.haulgate-send`, onWait } = options;
  const settings = { batch, concurrency, mapping, strict, dryRun, wait, timeout, retries, restart, state };
  const run = { ...options, ...settings, url: options.url.replace(/\/+$/, '') };
  const watcher = { say: onWait ?? (() => undefined), begin: () => ({ add: () => undefined, end: () => undefined }) };
  try {
    return reportFor(await send(run, await openSource(run), watcher, () => undefined));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // A mistake of the caller, and a failure outside of the program.
    throw error.exit === EXIT.usage ? new TypeError(error.message) : new Unreachable(error.message);
  }
}
