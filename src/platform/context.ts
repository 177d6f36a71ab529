import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuthErrorType } from './errors.ts';
import type { Language } from './i18n/messages.ts';
import type { RepeatedKey } from './json/repeated-keys.ts';

/** The one who makes the request: a person, a person who acts as another one, a machine client, or the system itself (workers, demo data). */
export interface Viewer {
  type: 'User' | 'Impersonation' | 'M2MClient' | 'System';
  id: string;
  /** Display name, kept on audit rows. */
  name: string;
  /** The company the viewer belongs to: where un-scoped operations act. */
  companyId: string;
  /** The person who really acts, when somebody acts as this person: all of their reads and writes are in the audit log. */
  realActor?: { type: Viewer['type']; id: string; name: string };
  /** The viewer's company and all companies below it: the companies whose records are visible (DESIGN section 4). */
  companyIds: readonly string[];
  /** True when a company that is none of `companyIds` has passed work to one of them; plain predicates serve when false. */
  receivesWork: boolean;
  /**
   * Those of `companyIds` to which others of them may pass work. For the whole family such work belongs to the viewer; for a single company
   * it was passed on.
   */
  receiversInFamily?: readonly string[];
  /** The sites the viewer is limited to: work elsewhere is as absent. Undefined without limits. */
  siteIds?: readonly string[];
  /** Sees only work they are part of (`restrictToOwnRecords`): drivers and foremen, unless another role shows them more. */
  ownRecordsOnly?: boolean;
  /** Reads people, trucks and places of `companyIds`, and no work: somebody acts there who keeps these for the company. */
  readsNoWork?: boolean;
  /** Records of `companyIds` were merged, so that an id may be a former one. */
  hasMerged?: boolean;
  roles: readonly string[];
  can(permission: string): boolean;
}

/** The client's side of the connection, as far as the request shows it. */
export interface ClientPlace {
  /** IP address, behind configured proxies the one they forwarded. */
  address: string;
  /** The User-Agent header, cut to 300 characters. */
  agent?: string;
}

/**
 * The first argument of every command, resolver and loader. There is one for each request or job. A floor of the platform that adds a
 * member declares it (`declare module`), because the lowest floor does not know the floors above.
 */
/** Where a record is: its id, and the company of a company-scoped path. */
export interface RecordPath {
  id: string;
  companyId?: string | null;
}

export interface Context {
  requestId: string;
  language: Language;
  /** Where an HTTP request came from; absent in jobs. */
  client?: ClientPlace;
  /** Undefined for anonymous requests; use `viewerOf(ctx)` (platform/authz/authorization.ts), which throws Unauthenticated. */
  viewer?: Viewer;
  /** Set when a presented token was refused: the reason, for `viewerOf`. */
  authError?: AuthErrorType;
  /** A fork for this request. Inside `transact` it is the transactional fork. */
  em: EntityManager;
  /** Variables of the running document as the client wrote them; set by the executor. */
  variables?: Record<string, unknown>;
  /** Values of the request's body that were lost to a later one of the same key, where it is a list of elements; else absent. */
  repeated?: readonly RepeatedKey[];
  /** Memoised dataloaders and other per-request things, by name. */
  memo: Map<string, unknown>;
  /** Present only inside `transact` (platform/commands/transact.ts). */
  tx?: Transaction;
  /**
   * The version that a record must still have when a command finds it, because the client says that it has seen that one (`If-Match`). Most
   * records have no number of it, and are known by the time of their last change.
   */
  expects?: { id: string; version?: number; updatedAt?: number };
  /** The client gets the contract's words in place of ours, and may send them back: `weigh_point` for a staging area. */
  contractWords?: boolean;
  /** Where what was made by this request is read, for the `Location` of a REST answer. */
  location?: string;
  /** Reports to the log an error that the answer hides without failing; absent where there is no log. */
  report?(error: unknown): void;
  /** Of a subscription or a GraphQL request: the same caller as they are now, for what is answered next. A token that ended leaves no viewer. */
  renew?(): Promise<Context>;
  /** Of a subscription or a GraphQL request: aborted when nobody waits for an answer any more. */
  ended?: AbortSignal;
  /** Of a subscription or a GraphQL request: the caller's turn, which is held while something is read for them, and not while nothing happens. */
  turn?: { take(): Promise<void>; end(): void };
  /**
   * Asked at the beginning of each transaction: makes sure that what lets somebody act here still does, and keeps it so to the end of the
   * transaction. @throws what the caller is answered when it does not
   */
  holds?(tx: Context): Promise<void>;
}

/** The records of a command in addition to its entities, in the same transaction: outbox, audit log, transitions. */
export interface Transaction {
  /** The database's now() at the start of the transaction, as the company has it: a sandbox has a clock of its own. */
  now: Date;
  /** Of a sandbox, the time of the world. Ask `worldTime` (platform/database/time/sandbox-time.ts). */
  world?: Date;
  /** Run once the unit of work is written, before the commit, in order: what is worked out of the rows as they are then. */
  beforeCommit: (() => Promise<void>)[];
  /** Run once the transaction is committed, in order: wakes and cache invalidations, never effects that must not be lost. */
  afterCommit: (() => void)[];
}
