import type { Credentials } from '../../../platform/http/remote.ts';

/** The lists of an accounting system that are read (BILLING B12). */
export const LIST_KINDS = ['customers', 'vendors', 'items', 'ledger_accounts'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** A record of an accounting system. */
export interface SourceRecord {
  /** Its id there. */
  key: string;
  /** Our external id, if the system keeps it. */
  externalId: string | null;
  /** What clients see of it. */
  data: object;
}

/** One page of a list. */
export interface SourcePage {
  records: SourceRecord[];
  /** Where the next page begins; null at the end. */
  next: string | null;
}

/** What the set-up page was given. */
export interface AccountingConnection {
  name: string;
  /** Of a system that is read over HTTP, without a slash at its end. */
  server: string | null;
  credentials: Credentials;
  /** The lists of a system that is not read over a network, as they were given. */
  lists: object | null;
}

/** What a request is made with. */
export interface AccountingCall {
  /** Refuses private addresses, redirects, long answers and slow ones. */
  fetch: typeof fetch;
}

/** An accounting system. An adapter keeps nothing of a connection. */
export interface AccountingSource {
  /** Reads a page of a list. @param cursor null at the beginning @throws ProviderError for answers that are none */
  read(connection: AccountingConnection, kind: ListKind, cursor: string | null, call: AccountingCall): Promise<SourcePage>;
}
