import type { Decimal } from '../../../platform/decimal.ts';
import type { AccountingDocument } from '../exports/accounting-document.ts';
import type { AccountingNames } from './accounting-names.ts';

/** Settlements of one side and currency, as an accounting system imports them. */
export interface FileContents {
  documents: readonly AccountingDocument[];
  names: AccountingNames;
  /** To which account lines are posted. */
  account: string | null;
}

/** A kind of file. */
export interface FileFormat {
  extension: string;
  mediaType: string;
  /** The account to which lines are posted if nobody says another one: of receivables, and of payables. */
  accounts: readonly [string, string];
  /** The most lines of a file, in addition to its heads. */
  mostLines: number;
  write(contents: FileContents): Buffer;
  /** What the documents of a file come to, by their numbers, read from its bytes. */
  read(file: Buffer): Map<string, Decimal>;
}
