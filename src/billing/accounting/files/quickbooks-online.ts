import { Decimal } from '../../../platform/decimal.ts';
import { dayIn } from '../../settlements/documents/figures.ts';
import type { FileFormat } from './file-format.ts';
import { csvFile, isTaxed, linesOf, partyOf, product, readCsvFile } from './file-lines.ts';

const INVOICES = [
  ...['Invoice no', 'Customer', 'Invoice date', 'Due date', 'Service date', 'Item', 'Item description', 'Item quantity', 'Item rate'],
  ...['Item amount', 'Item tax code', 'Memo'],
];
const BILLS = ['Bill no', 'Vendor', 'Bill date', 'Due date', 'Category', 'Description', 'Amount', 'Memo'];
/** To what lines of bills are posted unless somebody says otherwise. */
const COSTS = 'Cost of Goods Sold';
/** The tax code for lines that QuickBooks does not tax: tax is a line, whose item posts it to the account of the tax office. */
const UNTAXED = 'NON';

/** The files that QuickBooks Online imports: one of invoices, or one of bills, a row for each line. */
export const quickbooksOnline: FileFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  mostLines: 1_000,
  extras: ['taxItem'],
  problemsOf: ({ documents, taxItem }) =>
    taxItem === null && isTaxed(documents) ? [{ field: 'taxItem', key: 'item_of_tax_required' }] : [],
  write({ documents, names, account, taxItem }) {
    const isBill = documents[0]?.kind !== 'customer';
    const rows = documents.flatMap((document) => {
      const { number, date, dueDate, dateFormat } = document;
      const day = (of: string) => dayIn(dateFormat, of);
      const head = [number, partyOf(document, names), day(date), day(dueDate)];
      return linesOf(document, names).map(({ item, description, quantity, rate, amount, ...line }) =>
        isBill
          ? [...head, account ?? COSTS, `${item}: ${description}`, amount, number]
          : [...head, day(line.date), line.isTax ? taxItem! : item, description, quantity, rate, amount, UNTAXED, number],
      );
    });
    return csvFile([isBill ? BILLS : INVOICES, ...rows]);
  },
  read(file) {
    const isBill = file.toString().replace('\ufeff', '').startsWith('Bill');
    return isBill
      ? readCsvFile(file, 'Bill no', (row) => new Decimal(row.Amount!))
      : readCsvFile(file, 'Invoice no', (row) => {
          const amount = new Decimal(row['Item amount']!);
          if (!product(row['Item quantity']!, row['Item rate']!).equals(amount))
            throw new Error('a line is not its quantity times its rate');
          return amount;
        });
  },
};
