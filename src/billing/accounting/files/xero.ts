import { dayIn } from '../../settlements/documents/figures.ts';
import type { FileFormat } from './file-format.ts';
import { csvFile, linesOf, partyOf, product, readCsvFile } from './file-lines.ts';

const HEADS = [
  ...['*ContactName', 'EmailAddress', '*InvoiceNumber', 'Reference', '*InvoiceDate', '*DueDate', 'InventoryItemCode', '*Description'],
  ...['*Quantity', '*UnitAmount', '*AccountCode', '*TaxType', 'Currency'],
];
/** To what lines are posted unless somebody says otherwise: of customers, and of others. */
const [SALES, COSTS] = ['200', '300'];
/** What is not taxed by Xero: tax is a line. */
const UNTAXED = 'Tax Exempt (0%)';

/** The file that Xero imports, of sales invoices or of bills: a row for each line. Xero computes the amounts itself. */
export const xero: FileFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  mostLines: 50_000,
  write: ({ documents, names, account }) =>
    csvFile([
      HEADS,
      ...documents.flatMap((document) => {
        const { number, date, dueDate, dateFormat, counterparty, currency, kind } = document;
        const posted = account ?? (kind === 'customer' ? SALES : COSTS);
        return linesOf(document, names).map(({ item, description, quantity, rate }) => [
          ...[partyOf(document, names), counterparty.email, number, null, dayIn(dateFormat, date), dayIn(dateFormat, dueDate), null],
          ...[`${item}: ${description}`, quantity, rate, posted, UNTAXED, currency],
        ]);
      }),
    ]),
  read: (file) => readCsvFile(file, '*InvoiceNumber', (row) => product(row['*Quantity']!, row['*UnitAmount']!)),
};
