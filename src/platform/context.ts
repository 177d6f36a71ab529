import type { EntityManager } from '@mikro-orm/postgresql';
import type { AuthErrorType } from './errors.ts';
import type { Language } from './i18n/messages.ts';
import type { RepeatedKey } from './json/repeated-keys.ts';

/** Who acts: a person, somebody as a person, a machine client, or the system itself (workers, demo data). */
export interface Viewer {
  type: 'User' | 'Impersonation' | 'M2MClient' | 'System';
  id: string;
  /** Display name, kept on audit rows. */
  name: string;
  /** The company the viewer belongs to: where un-scoped operations act. */
  companyId: string;
  /** Who really acts, when somebody acts as this person: every read and write of theirs is in the audit log. */
  realActor?: { type: string; id: string; name: string };
  /** Own company and all its descendants: the visibility fence (DESIGN section 4). */
  companyIds: readonly string[];
  /** True when a company that is none of `companyIds` has passed work to one of them; plain predicates serve when false. */
  receivesWork: boolean;
  /** Those of `companyIds` that others of them may pass work to: among all of them it is one's own, inside of one it was passed on. */
  receiversInFamily?: readonly string[];
  /** The sites the viewer is limited to: work elsewhere is as absent. Undefined without limits. */
  siteIds?: readonly string[];
  /** Sees only work they are part of (`restrictToOwnRecords`): drivers and foremen, unless another role shows them more. */
  ownRecordsOnly?: boolean;
  roles: readonly string[];
  can(permission: string): boolean;
}

/** Who is at the other end of the wire, as far as the wire tells. */
export interface ClientPlace {
  /** IP address, behind configured proxies the one they forwarded. */
  address: string;
  /** The User-Agent header, cut to 300 characters. */
  agent?: string;
}

/**
 * What every command, resolver and loader gets first. One per request or per job. What a floor of the platform puts into it, that floor
 * declares (`declare module`): the ground does not know what is built on it.
 */
export interface Context {
  requestId: string;
  language: Language;
  /** Where an HTTP request came from; absent in jobs. */
  client?: ClientPlace;
  /** Undefined for anonymous requests; use `viewerOf(ctx)` (platform/authz/authorization.ts), which throws Unauthenticated. */
  viewer?: Viewer;
  /** Set when a presented token was refused: why, so that `viewerOf` can tell. */
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
  /** Where what was made by this request is read, for the `Location` of a REST answer. */
  location?: string;
  /** Tells the log of an error that the answer hides without failing; absent where there is no log. */
  report?(error: unknown): void;
  /**
   * Asked at the beginning of each transaction: makes sure that what lets somebody act here still does, and keeps it so to the end of the
   * transaction. @throws what the caller is answered when it does not
   */
  holds?(tx: Context): Promise<void>;
}

/** What a command records beside its entities; written in the same transaction (outbox, audit, transitions). */
export interface Transaction {
  /** The database's now() at the start of the transaction. */
  now: Date;
  /** Run once the unit of work is written, before the commit, in order: what is worked out of the rows as they are then. */
  beforeCommit: (() => Promise<void>)[];
  /** Run once the transaction is committed, in order: wakes and cache invalidations, never effects that must not be lost. */
  afterCommit: (() => void)[];
}
