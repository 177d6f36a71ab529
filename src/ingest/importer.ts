import type { EntityManager } from '@mikro-orm/postgresql';
import type { NumberedKind } from '../dispatch/fields/numbers.ts';
import type { Actor, Records } from '../platform/commands/records.ts';
import type { Language } from '../platform/i18n/messages.ts';
import { stringEnum } from '../platform/model/columns.ts';

export const ImportKind = stringEnum('ImportKind', ['order', 'project', 'ticket']);
export type ImportKind = keyof typeof ImportKind;

/** A row the ledger hands to an importer; its key is locked and it is neither stale nor a duplicate. */
export interface ClaimedRecord {
  id: string;
  companyId: string;
  kind: ImportKind;
  /** The key the sender knows the record by; undefined when the element lacks it. */
  importedFor: string | undefined;
  /** The element as it was sent, with `metadata`. */
  payload: Record<string, unknown>;
  /** 1 for the first try. */
  attempt: number;
  createdBy: Actor;
  requestId: string;
  /** The sender may change records that are there already, not only make new ones. */
  mayEdit: boolean;
  /** What a person lacks to make what the payload names, or to assign vendors (may-make.ts); undefined for who lacks nothing of it. */
  lacking?: readonly string[] | undefined;
  /** What of the company's work the sender sees; undefined sees all of it. */
  limits?: SenderLimits | undefined;
  /** Whether a column holds a rate that the sender may not see; undefined for who sees all. Theirs stay as they are, and are not compared. */
  unseen?: ((column: string) => boolean) | undefined;
}

/** Records beyond these are not there for the sender (docs/users.md): as they were when the payload came. */
export interface SenderLimits {
  /** Sites that work must be at. */
  siteIds?: string[];
  /** Whose own records they must be. */
  personId?: string;
}

/** Something of the payload that was dropped, guessed or replaced, whether or not the record succeeded. */
export interface Warning {
  /** Stable snake_case code. */
  code: string;
  /** JSON pointer into the element, `/sites/0/full_address`. */
  pointer: string;
  given?: unknown;
  used?: unknown;
}

/** How a nested record of a payload was found, or that it is made. */
export type MatchedBy =
  | 'name'
  | 'external_id'
  | 'name_and_external_id'
  | 'email'
  | 'phone'
  | 'platform_order_id'
  | 'dispatch_number'
  | 'created';

/** A record that a payload names, by whichever key it was found. */
export interface Match {
  /** JSON pointer into the element; empty for the record the payload itself is about. */
  pointer: string;
  /** Name of the type, `Account`. */
  model: string;
  /** Of the found record; of the new one when `by` is `created`. */
  id: string;
  by: MatchedBy;
}

/** One thing that is wrong with an element; a line of `last_error`. */
export interface Problem {
  /** Stable snake_case code, the first word of the line; docs/importer.md publishes them all. */
  code: string;
  /** JSON pointer into the element; empty for the whole element. */
  pointer: string;
  /** Message key (platform/i18n) with its params. */
  key: string;
  params?: Record<string, string | number>;
}

/** Why a record could not be imported. */
export interface Failure extends Problem {
  state: 'failed';
  /** What else is wrong: the sender mends everything at once. */
  more?: readonly Problem[];
  /** What was noticed before the problem ended it; undefined where nothing was read, which leaves those of an earlier attempt. */
  warnings?: readonly Warning[];
  /** The fault is not in the payload, so it is tried longer. */
  transient?: boolean;
  /** The thrown error behind `internal`: for the log, never for the sender. */
  cause?: unknown;
}

/**
 * What became of one record. `processed` and `skipped_update` make the payload the last applied one of its key, so that an equal
 * payload is a duplicate afterwards; `skipped` (a business rule) and `failed` do not, and must have written nothing.
 */
export type Outcome =
  | {
      state: 'processed' | 'skipped' | 'skipped_update';
      resultId?: string;
      warnings?: Warning[];
      lastError?: string;
      /** A lock kept some of it out: older payloads are overtaken, but an equal one is no duplicate, because the lock may go. */
      partly?: true;
    }
  | Failure;

/** The effect transaction of one batch: one company, one kind. */
export interface BatchTx {
  /** A fork inside the transaction. Whatever it holds is flushed after `apply` returns; cleared when the ledger rolls back to bisect. */
  em: EntityManager;
  /** The database's now() at the start of the transaction. */
  now: Date;
  company: { id: string; timeZone: string; language: Language };
  /** In a dry run, which is rolled back and so need not keep others out. */
  dry?: true;
  /** One statement on the transaction's connection, `$1` parameters bound by the server. @returns the rows */
  query<R extends object = Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<R[]>;
  /** Running numbers of the company, kept whatever becomes of the batch. @returns the first of `count` */
  numbers(kind: NumberedKind, count: number): Promise<number>;
  /**
   * Where outbox, audit and transition rows are collected in the name of the record's sender; they are written with the effect or not at all.
   * Not kept from one `apply` to the next: what a failed one collected is thrown away.
   */
  recordsOf(by: ClaimedRecord): Records;
  /** Adds fields to the dry-run preview of a new record; `undefined` removes a field that the audit would show. */
  made(id: string, fields: () => Readonly<Record<string, unknown>>): void;
  /** Tells a dry run what a payload's nested records were found by; a real run has no use for it. */
  matched(by: ClaimedRecord, match: Match): void;
}

/**
 * How one kind of payload becomes records. `apply` works on the whole batch with set-based statements and answers one outcome per
 * record, in order. When it throws, the ledger rolls back to a savepoint and tries halves, down to the single record that throws:
 * an error of platform/errors.ts becomes its `last_error`, anything else `internal`.
 */
export interface Importer {
  kind: ImportKind;
  /**
   * True when a newer payload replaces all older open ones of its key. Kinds that only create work them off one by one, so that the
   * first one counts; there a newer payload replaces those that failed.
   */
  supersedes: boolean;
  /** Rows of a batch when so many wait; 100 unless given. What a batch costs beside its rows is shared by more of them. */
  batch?: number;
  /** Where an element has its key (`keyOf`). */
  keyField: 'external_id' | 'ticket_number';
  /** Addresses of an element that are looked up before the effect, outside any transaction. Never throws. */
  addresses?(element: Record<string, unknown>): string[];
  apply(tx: BatchTx, records: ClaimedRecord[]): Promise<Outcome[]>;
  /** Where the records of payloads are that are equal to the last one, when senders may be limited and what to tell those who are. */
  limited?: { table: 'orders' | 'project'; failure: Failure };
  /**
   * When a record that a payload made counts as gone, and the warning that the sender of an equal payload gets then. `sql` answers which
   * of the ids `$1` are gone; payloads in which that is `wanted` get no warning.
   */
  gone?: { code: string; sql: string; wanted?(payload: Record<string, unknown>): boolean };
}
