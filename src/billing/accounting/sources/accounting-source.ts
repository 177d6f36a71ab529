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
  /** The fields that clients see of it. */
  data: object;
}

/** One page of a list. */
export interface SourcePage {
  records: SourceRecord[];
  /** Where the next page begins; null at the end. */
  next: string | null;
}

/** The values that were entered on the set-up page. */
export interface AccountingConnection {
  name: string;
  /** Of a system that is read over HTTP, without a slash at its end. */
  server: string | null;
  credentials: Credentials;
  /** The lists of a system that is not read over a network, as they were given. */
  lists: object | null;
}

/** The settings of a request. */
export interface AccountingCall {
  /** Refuses private addresses, redirects, long answers and slow ones. */
  fetch: typeof fetch;
}

/** An accounting system. An adapter keeps nothing of a connection. */
export interface AccountingSource {
  /** Reads a page of a list. @param cursor null at the beginning @throws ProviderError for answers that are none */
  read(connection: AccountingConnection, kind: ListKind, cursor: string | null, call: AccountingCall): Promise<SourcePage>;
  /**
   * Hands over a document. The same key is the same document: a system that has it answers as it did before.
   * @returns what the system calls it
   * @throws ProviderError if the system did not answer or is away; DocumentRefused if it does not take the document
   */
  push?(connection: AccountingConnection, sent: { key: string; document: SentDocument }, call: AccountingCall): Promise<string>;
}

/** A settlement as an accounting system gets it (docs/accounting.md): its records by their ids there, days as `YYYY-MM-DD`, decimals as text. */
export interface SentDocument {
  /** Of the settlement, or of the reversal. */
  id: string;
  /** Grows if the settlement is sent again with other contents. */
  revision: number;
  number: string;
  type: 'invoice' | 'bill';
  /** Of a document that takes another one back: the number of that one, and what the system called it. */
  reverses?: { number: string; id: string | null };
  currency: string;
  date: string;
  due_date: string;
  customer?: string;
  vendor?: string;
  /** To which it is posted, if exactly one is mapped. */
  ledger_account: string | null;
  lines: { item: string | null; description: string; date: string; quantity: string; rate: string; amount: string }[];
  /** In addition to the lines. Rates are percent. */
  taxes: { description: string | null; rate: string | null; amount: string }[];
  total: string;
}
