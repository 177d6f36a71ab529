import { parse } from 'csv-parse/sync';
import { csvLines } from '../../../platform/csv.ts';
import { Decimal } from '../../../platform/decimal.ts';
import { dayIn } from '../../settlements/documents/figures.ts';
import type { AccountingDocument } from '../exports/accounting-document.ts';
import type { FileContents, FileFormat } from '../files/file-format.ts';
import { type FileLine, linesOf, partyOf } from '../files/file-lines.ts';
import type { AccountingDelimiter, AccountingField, AccountingTemplate } from './accounting-template.entity.ts';

const DELIMITERS: Record<AccountingDelimiter, string> = { comma: ',', semicolon: ';', tab: '\t' };

type Cells = Record<AccountingField, string | null>;

/** The file that a template of a company says: a row for each line, with its columns. */
export function templateFile({ columns, withHeadings, delimiter, dateFormat }: AccountingTemplate): FileFormat {
  const between = DELIMITERS[delimiter];
  const headings = withHeadings ? [columns.map(({ heading }) => heading)] : [];
  const rowOf = (cells: Cells) => columns.map(({ field, text }) => (field === null ? text : cells[field]));
  return {
    extension: delimiter === 'tab' ? 'txt' : 'csv',
    mediaType: `text/${delimiter === 'tab' ? 'plain' : 'csv'}; charset=utf-8`,
    mostLines: 50_000,
    write: (contents) =>
      Buffer.from(
        csvLines([...headings, ...contents.documents.flatMap((one) => cellsOf(one, contents, dateFormat ?? one.dateFormat).map(rowOf))], {
          delimiter: between,
        }),
      ),
    read(file) {
      const [number, amount] = (['number', 'amount'] as const).map((name) => columns.findIndex(({ field }) => field === name));
      const rows = parse(file, { delimiter: between, from: headings.length + 1 }) as string[][];
      const totals = new Map<string, Decimal>();
      for (const row of rows) totals.set(row[number!]!, (totals.get(row[number!]!) ?? new Decimal(0)).plus(row[amount!]!));
      return totals;
    },
  };
}

function cellsOf(document: AccountingDocument, { names, account, taxAccount }: FileContents, dates: string): Cells[] {
  const { kind, number, total, currency, date, dueDate, counterparty } = document;
  const isCredit = new Decimal(total).isNegative();
  const isBill = kind !== 'customer';
  const day = (of: string): string => dayIn(dates, of).replace('YY', of.slice(2, 4));
  const head = {
    ...{ number, currency, total, date: day(date), due_date: day(dueDate) },
    document_type: isBill ? (isCredit ? 'bill_credit' : 'bill') : isCredit ? 'credit' : 'invoice',
    ...{ party: partyOf(document, names), party_accounting_id: counterparty.accountingId },
    ...{ party_external_id: counterparty.externalId, party_email: counterparty.email },
  };
  const accountOf = ({ isTax }: FileLine): string | null => (isTax && !isBill ? (taxAccount ?? account) : account);
  return linesOf(document, names).map((line, i) => ({
    ...head,
    ...{ line_number: String(i + 1), service_date: day(line.date), item: line.item, description: line.description },
    ...{ quantity: line.quantity, rate: line.rate, amount: line.amount, account: accountOf(line) },
  }));
}
