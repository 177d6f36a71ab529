import { parse } from 'csv-parse/sync';
import { type CsvRow, writeCsv } from '../../../platform/csv.ts';
import { Decimal } from '../../../platform/decimal.ts';
import { EXEMPT } from '../../invoices/following/tax-description.ts';
import type { AccountingDocument, AccountingLine } from '../exports/accounting-document.ts';
import type { AccountingNames } from './accounting-names.ts';

/** A line as it is written: by the names that accounting has. */
export interface FileLine extends Pick<AccountingLine, 'description' | 'date' | 'quantity' | 'rate' | 'amount' | 'work'> {
  item: string;
  isTax: boolean;
}

/** The lines of a document. Its tax is a line of its own, so that no system computes another one. */
export function linesOf({ lines, taxes, date }: AccountingDocument, { items }: AccountingNames): FileLine[] {
  return [
    ...lines.map(({ itemizables, item, known, ...line }) => {
      const named = known ?? itemizables.map(({ type, id }) => items[`${type} ${id}`]).find((name) => name !== undefined);
      return { ...line, item: named ?? item, isTax: false };
    }),
    ...taxes.map(({ description, rate, amount }) => {
      const item = description === EXEMPT ? EXEMPT : 'Tax';
      const taxed = description === null || description === EXEMPT ? '' : ` (${description})`;
      return {
        item,
        description: `${rate === null ? item : `${item} ${rate} %`}${taxed}`,
        date,
        quantity: '1',
        rate: amount,
        amount,
        isTax: true,
      };
    }),
  ];
}

/** Whether customers of a file pay tax: vendors and drivers are paid none. */
export const isTaxed = (documents: readonly AccountingDocument[]): boolean =>
  documents.some(({ kind, taxes }) => kind === 'customer' && taxes.length > 0);

/** For whom a document is, as accounting calls them. */
export const partyOf = ({ kind, counterparty }: AccountingDocument, { parties }: AccountingNames): string =>
  counterparty.known ?? ((counterparty.accountId && parties[`${kind} ${counterparty.accountId}`]) || counterparty.name);

/** The account of accounting to which what is owed is posted; null if none is mapped. */
export const ledgerOf = ({ kind, ledger }: AccountingDocument, { ledgers }: AccountingNames): string | null =>
  ledger === undefined ? (ledgers[kind === 'customer' ? 'AccountsReceivable' : 'AccountsPayable'] ?? null) : ledger;

/** What accounting gets, with the names that everything of it has there now: these are kept of what is exported. */
export function withNames(document: AccountingDocument, names: AccountingNames): AccountingDocument {
  const items = linesOf(document, names);
  return {
    ...document,
    counterparty: { ...document.counterparty, known: partyOf(document, names) },
    ledger: ledgerOf(document, names),
    lines: document.lines.map((line, i) => ({ ...line, known: items[i]!.item })),
  };
}

export const csvFile = (rows: readonly CsvRow[]): Buffer => Buffer.from(writeCsv(rows));

/** Returns the totals of the documents of a CSV file. @param amountOf reads a row by its heads */
export function readCsvFile(file: Buffer, numberColumn: string, amountOf: (row: Record<string, string>) => Decimal): Map<string, Decimal> {
  const rows = parse(file, { bom: true, columns: true }) as Record<string, string>[];
  const totals = new Map<string, Decimal>();
  for (const row of rows) {
    const number = row[numberColumn]!;
    totals.set(number, (totals.get(number) ?? new Decimal(0)).plus(amountOf(row)));
  }
  return totals;
}

/** The product of two cells, rounded to cents as accounting systems do. */
export const product = (quantity: string, rate: string): Decimal =>
  new Decimal(quantity).mul(rate).toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
