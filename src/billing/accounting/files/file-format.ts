import type { Decimal } from '../../../platform/decimal.ts';
import type { ErrorItem } from '../../../platform/errors.ts';
import type { AccountingDocument, Tracked } from '../exports/accounting-document.ts';
import type { AccountingNames } from './accounting-names.ts';

/** Settlements of one side and currency, as an accounting system imports them. */
export interface FileContents {
  documents: readonly AccountingDocument[];
  names: AccountingNames;
  /** To which account lines are posted. */
  account: string | null;
  /** To which account the tax of customers is posted. */
  taxAccount: string | null;
  /** As which product or service the tax of customers is sold. */
  taxItem: string | null;
  /** By what lines are followed, and what the system calls that. */
  tracking: readonly { by: Tracked; name: string }[];
}

/** Columns for which some formats have a place, and others do not. */
export type Extra = 'taxItem' | 'tracking';

/** A kind of file. */
export interface FileFormat {
  extension: string;
  mediaType: string;
  /** The most lines of a file, in addition to its heads. */
  mostLines: number;
  /** The further columns for which it has a place. */
  extras?: readonly Extra[];
  /** Returns the problems of a file that a system of this kind would not take, by their places in the request: all of them. */
  problemsOf?(contents: FileContents): FileProblem[];
  write(contents: FileContents): Buffer;
  /** Reads the totals of the documents of a file from its bytes, by their numbers. */
  read(file: Buffer): Map<string, Decimal>;
}

/** A problem of a document, by its number, or of the request. */
export interface FileProblem extends Pick<ErrorItem, 'key' | 'params'> {
  field?: 'account' | 'taxAccount' | 'taxItem';
  number?: string;
}
