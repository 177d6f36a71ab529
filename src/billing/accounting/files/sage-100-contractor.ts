import { parse } from 'csv-parse/sync';
import { csvLines, safeCell } from '../../../platform/csv.ts';
import { Decimal } from '../../../platform/decimal.ts';
import type { AccountingDocument } from '../exports/accounting-document.ts';
import type { FileContents, FileFormat, FileProblem } from './file-format.ts';
import { isTaxed, linesOf, partyOf, product } from './file-lines.ts';

/** The codes of receivable and payable invoices, with the places that their heads have, whether there is something in them or not. */
const KINDS = { receivable: { code: 'ARINV', places: 21 }, payable: { code: 'APINV', places: 25 } } as const;
/** Characters of a description. */
const LONGEST = 50;
/** An open invoice of a contract. */
const [OPEN, CONTRACT] = ['1', '1'];
/** Where the rows of lines have their quantity and their price, from 0. */
const [QUANTITY, PRICE] = [8, 9];

/**
 * The file that importers of Sage 100 Contractor take: for each document a row of its head (`H`), and one for each line (`D`), without headings. There everybody
 * is known by a number: the job of a customer, a vendor, and the accounts of the ledger.
 */
export const sage100Contractor: FileFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  mostLines: 50_000,
  problemsOf({ documents, names, account, taxAccount }) {
    const problems: FileProblem[] = documents.flatMap((one) =>
      numberOf(one, names) === undefined
        ? [{ number: one.number, key: 'without_accounting_number', params: { name: one.counterparty.name } }]
        : [],
    );
    if (!isNumber(account)) problems.push({ field: 'account', key: 'not_a_ledger_number' });
    if (taxAccount === null ? isTaxed(documents) : !isNumber(taxAccount))
      problems.push({ field: 'taxAccount', key: 'not_a_ledger_number' });
    return problems;
  },
  write: (contents) => Buffer.from(csvLines(contents.documents.flatMap((one) => rowsOf(one, contents)))),
  read(file) {
    const totals = new Map<string, Decimal>();
    for (const row of parse(file, { relax_column_count: true }) as string[][]) {
      const [code, kind, number] = row as [string, string, string];
      if (kind === 'H') {
        if (row.length !== Object.values(KINDS).find((one) => one.code === code)?.places)
          throw new Error(`the head of ${number} lacks places`);
        totals.set(number, new Decimal(0));
      } else totals.set(number, totals.get(number)!.plus(product(row[QUANTITY]!, row[PRICE]!)));
    }
    return totals;
  },
};

function rowsOf(document: AccountingDocument, { names, account, taxAccount }: FileContents): string[][] {
  const { kind, number, date, dueDate } = document;
  const { code, places } = KINDS[kind === 'customer' ? 'receivable' : 'payable'];
  const party = partyOf(document, names);
  // There is no discount, so its date is that on which all is due.
  const head = [code, 'H', number, numberOf(document, names)!, short(party), date, dueDate, dueDate, OPEN, CONTRACT];
  return [
    [...head, ...Array<string>(places - head.length).fill('')],
    ...linesOf(document, names).map(({ item, description, quantity, rate, isTax }) => {
      const posted = isTax && kind === 'customer' ? taxAccount : account;
      const [subaccount, part, unit] = ['', '', ''];
      return [code, 'D', number, posted!, subaccount, short(`${item}: ${description}`), part, unit, quantity, rate];
    }),
  ];
}

/** By which number a customer's job or a vendor is known there: what the mapping, its `accounting_id` or its `external_id` says. */
function numberOf(document: AccountingDocument, names: FileContents['names']): string | undefined {
  const { accountingId, externalId } = document.counterparty;
  return [partyOf(document, names), accountingId, externalId].find(isNumber) ?? undefined;
}

const isNumber = (text: string | null): text is string => text !== null && /^\d{1,18}$/.test(text);

/** As much of a text as there is place for, no formula at its beginning. */
const short = (text: string): string => [...safeCell(text)].slice(0, LONGEST).join('');
