import { Decimal, decimalText } from '../../../platform/decimal.ts';
import type { AccountingDocument } from '../exports/accounting-document.ts';
import type { FileContents, FileFormat } from './file-format.ts';
import { ledgerOf, linesOf, partyOf } from './file-lines.ts';

const HEADS = [
  ['!TRNS', 'TRNSTYPE', 'DATE', 'ACCNT', 'NAME', 'AMOUNT', 'DOCNUM', 'MEMO', 'DUEDATE'],
  ['!SPL', 'TRNSTYPE', 'DATE', 'ACCNT', 'NAME', 'AMOUNT', 'DOCNUM', 'MEMO', 'INVITEM', 'QNTY', 'PRICE'],
  ['!ENDTRNS'],
];
/** To what lines are posted unless somebody says otherwise: of customers, of others, and the tax of customers. */
const [SALES, COSTS, TAX] = ['Sales', 'Cost of Goods Sold', 'Sales Tax Payable'];

/**
 * The file that QuickBooks Desktop imports (IIF): a block of tab-separated lines for each document, whose amounts add up to nothing, because what
 * is owed is posted against its lines. Dates are MM/DD/YY there, in whatever country, and the letters those of Windows.
 */
export const quickbooksDesktop: FileFormat = {
  extension: 'iif',
  mediaType: 'text/plain; charset=windows-1252',
  mostLines: 50_000,
  write: (contents) =>
    Buffer.from(
      [...HEADS, ...contents.documents.flatMap((one) => block(one, contents))].map((row) => `${row.join('\t')}\r\n`).join(''),
      'latin1',
    ),
  read(file) {
    const totals = new Map<string, Decimal>();
    let sum = new Decimal(0);
    let number = '';
    for (const line of file.toString('latin1').split('\r\n')) {
      const cells = line.split('\t');
      if (cells[0] === 'TRNS' || cells[0] === 'SPL') sum = sum.plus(cells[5]!);
      if (cells[0] === 'TRNS') {
        number = cells[6]!;
        // A debt to a vendor is a credit.
        totals.set(number, new Decimal(cells[5]!).mul(cells[1]!.startsWith('BILL') ? -1 : 1));
      }
      if (cells[0] === 'ENDTRNS' && !sum.isZero()) throw new Error(`the block of ${number} does not add up to nothing`);
    }
    return totals;
  },
};

function block(document: AccountingDocument, { names, account, taxAccount }: FileContents): string[][] {
  const { kind, number, total, date, dueDate } = document;
  const isBill = kind !== 'customer';
  const owed = isBill ? new Decimal(total).negated() : new Decimal(total);
  const type = isBill ? (owed.isPositive() && !owed.isZero() ? 'BILL REFUND' : 'BILL') : owed.isNegative() ? 'CREDIT MEMO' : 'INVOICE';
  const ledger = ledgerOf(document, names) ?? (isBill ? 'Accounts Payable' : 'Accounts Receivable');
  const name = plain(partyOf(document, names));
  const posted = account ?? (isBill ? COSTS : SALES);
  return [
    ['TRNS', type, dayOf(date), plain(ledger), name, decimalText(owed), plain(number), plain(number), dayOf(dueDate)],
    ...linesOf(document, names).map(({ item, description, quantity, rate, amount, isTax }) => [
      ...['SPL', type, dayOf(date), plain(isTax && !isBill ? (taxAccount ?? TAX) : posted), name],
      ...[decimalText(isBill ? amount : new Decimal(amount).negated()), plain(number), plain(description), plain(item)],
      ...[decimalText(isBill ? quantity : new Decimal(quantity).negated()), rate],
    ]),
    ['ENDTRNS'],
  ];
}

/** `2026-11-20` as `11/20/26`. */
const dayOf = (day: string): string => `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(2, 4)}`;

/** Without what ends a cell or a line, or begins a quoted text, and in the letters of Windows. */
const plain = (text: string): string =>
  [...text.replace(/["\s\p{Cc}]+/gu, ' ').trim()].map((letter) => (letter <= '\u00ff' ? letter : simple(letter))).join('');
const simple = (letter: string): string => {
  const base = letter.normalize('NFD')[0]!;
  return base <= '\u00ff' ? base : '?';
};
