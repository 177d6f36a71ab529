import type { EntityManager } from '@mikro-orm/postgresql';
import type { NumberedKind } from '../dispatch/fields/numbers.ts';
import type { Actor, Records } from '../platform/commands/records.ts';
import type { Language } from '../platform/i18n/messages.ts';
import { stringEnum } from '../platform/model/columns.ts';
import type { ImportWarningCode } from './warning-codes.ts';

export const ImportKind = stringEnum('ImportKind', ['order', 'project', 'ticket']);
export type ImportKind = keyof typeof ImportKind;

/** A row that the ledger passes to an importer; its key is locked, and it is neither stale nor a duplicate. */
export interface ClaimedRecord {
  id: string;
  companyId: string;
  kind: ImportKind;
  /** The key by which the sender knows the record; undefined if the element has none. */
  importedFor: string | undefined;
  /** The element as it was sent, with `metadata`. */
  payload: Record<string, unknown>;
  /** 1 for the first attempt. */
  attempt: number;
  createdBy: Actor;
  requestId: string;
  /** The sender may change existing records, not only create new ones. */
  mayEdit: boolean;
  /** The permissions that a person lacks to create what the payload names, or to assign vendors (create-permissions.ts); undefined if none. */
  lacking?: readonly string[] | undefined;
  /** The part of the company's work that the sender sees; undefined for all of it. */
  limits?: SenderLimits | undefined;
  /** The sender wants no guess: a payload with which one would be made fails instead (apply/guesses.ts). */
  strict?: boolean | undefined;
  /** Warnings of the payload from before it came to its importer. */
  noted?: readonly Warning[];
  /** Says whether a column holds a rate that the sender may not see; undefined if they see all. Such rates are kept, and not compared. */
  unseen?: ((column: string) => boolean) | undefined;
}

/** Records beyond these limits do not exist for the sender (docs/users.md). The limits are those at the time of the payload. */
export interface SenderLimits {
  /** Sites at which the work must be. */
  siteIds?: string[];
  /** The person to whom the records must belong (own records). */
  personId?: string;
}

/** A part of the payload that was dropped, guessed or replaced, whether or not the record succeeded. */
export interface Warning {
  code: ImportWarningCode;
  /** JSON pointer into the element, `/sites/0/full_address`. */
  pointer: string;
  given?: unknown;
  used?: unknown;
}

/** The key by which a nested record of a payload was found, or that it is created. */
export type MatchedBy =
  | 'name'
  | 'external_id'
  | 'name_and_external_id'
  | 'email'
  | 'phone'
  | 'platform_order_id'
  | 'dispatch_number'
  | 'created';

/** A record that a payload names, with the key by which it was found. */
export interface Match {
  /** JSON pointer into the element; empty for the record the payload itself is about. */
  pointer: string;
  /** Name of the type, `Account`. */
  model: string;
  /** The id of the found record, or of the new one if `by` is `created`. */
  id: string;
  by: MatchedBy;
}

/** One error of an element; a line of `last_error`. */
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
  /** Further errors, so that the sender can correct all of them at once. */
  more?: readonly Problem[];
  /** The warnings up to the error; undefined if nothing was read, which keeps those of an earlier attempt. */
  warnings?: readonly Warning[];
  /** The cause is not in the payload, so the record is tried for longer. */
  transient?: boolean;
  /** The thrown error behind `internal`: for the log, never for the sender. */
  cause?: unknown;
}

/**
 * The outcome of one record. After `processed` and `skipped_update`, an equal payload of the key is a duplicate; not so after `skipped` (a
 * business rule) and `failed`, which must have written nothing.
 */
export type Outcome =
  | {
      state: 'processed' | 'skipped' | 'skipped_update';
      resultId?: string;
      warnings?: Warning[];
      lastError?: string;
      /**
       * A part of it was not applied, because of a lock or of the customer of a project. Older payloads are superseded, but an equal one is no
       * duplicate, because that may end.
       */
      partly?: true;
    }
  | Failure;

/** The transaction that applies one batch, of one company and kind. */
export interface BatchTx {
  /** A fork inside the transaction. It is flushed after `apply` returns, and cleared when the ledger rolls back to bisect. */
  em: EntityManager;
  /** The database's now() at the start of the transaction. */
  now: Date;
  company: { id: string; timeZone: string; language: Language };
  /** The ids of all records that this transaction holds, whichever of them `apply` is given; none in a dry run. */
  claimed: readonly string[];
  /** Set in a dry run, which is rolled back and so does not have to lock others out. */
  dry?: true;
  /** Set if the elements before these of their requests were waited for already (nested/earlier.ts). */
  inTurn?: boolean;
  /** Runs one statement on the transaction's connection, with `$1` parameters bound by the server. @returns the rows */
  query<R extends object = Record<string, unknown>>(sql: string, parameters?: unknown[]): Promise<R[]>;
  /** Reserves running numbers of the company, even if the batch is rolled back. @returns the first of `count` */
  numbers(kind: NumberedKind, count: number): Promise<number>;
  /**
   * Returns the outbox, audit and transition rows collected in the name of the record's sender; they are written with the effect or not at
   * all. Each `apply` begins with new ones: those of a failed one are thrown away.
   */
  recordsOf(by: ClaimedRecord): Records;
  /** Adds fields to the dry-run preview of a new record; `undefined` removes a field that the audit would show. */
  made(id: string, fields: () => Readonly<Record<string, unknown>>): void;
  /** Informs a dry run by which key a nested record was found. A real run ignores it. */
  matched(by: ClaimedRecord, match: Match): void;
}

/** A payload equal to the one that was applied last to its key. */
export interface Repeat {
  record: ClaimedRecord;
  resultId: string | undefined;
  /** The sequence of the record that was applied; null if it is not in the ledger, as in a dry run. */
  applied: string | null;
}

/**
 * Makes records of one kind of payload. `apply` works on the whole batch with set-based statements and returns one outcome for each
 * record, in order. If it throws, the ledger rolls back to a savepoint and tries halves, down to the single record that throws: an error of
 * platform/errors.ts becomes its `last_error`, any other becomes `internal`.
 */
export interface Importer {
  kind: ImportKind;
  /**
   * True if a newer payload replaces all older open ones of its key. For kinds that are only created, the payloads are applied one by one,
   * so that the first one counts; a newer one then replaces those that failed.
   */
  supersedes: boolean;
  /** Rows of a batch if as many wait; 100 by default. Larger batches share the fixed cost of a batch among more rows. */
  batch?: number;
  /** The field with an element's key (`keyOf`). */
  keyField: 'external_id' | 'ticket_number';
  /** Returns the addresses of an element that are geocoded before the effect, outside any transaction. Never throws. */
  addresses?(element: Record<string, unknown>): string[];
  apply(tx: BatchTx, records: ClaimedRecord[]): Promise<Outcome[]>;
  /**
   * Does what the records of equal payloads still lack. It returns the outcomes of those that lacked something; what they warn of replaces
   * the warnings of the payload that they repeat.
   */
  again?(tx: BatchTx, repeats: readonly Repeat[]): Promise<Map<ClaimedRecord, Outcome>>;
  /** For payloads equal to the last one: the table of their records, and the error for senders who may not see the record. */
  limited?: { table: 'orders' | 'project'; failure: Failure };
  /**
   * When the record of a payload counts as gone, and the code of the warning for the sender of an equal payload. `sql` returns which of the
   * ids `$1` are gone. Payloads for which `wanted` returns true get no warning.
   */
  gone?: { code: ImportWarningCode; sql: string; wanted?(payload: Record<string, unknown>): boolean };
}
