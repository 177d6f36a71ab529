import { dayIn } from '../../settlements/documents/figures.ts';
import type { FileContents, FileFormat } from './file-format.ts';
import { csvFile, type FileLine, isTaxed, linesOf, partyOf, product, readCsvFile } from './file-lines.ts';

const HEADS = [
  ...['*ContactName', 'EmailAddress', '*InvoiceNumber', 'Reference', '*InvoiceDate', '*DueDate', 'InventoryItemCode', '*Description'],
  ...['*Quantity', '*UnitAmount', '*AccountCode', '*TaxType'],
  ...['TrackingName1', 'TrackingOption1', 'TrackingName2', 'TrackingOption2', 'Currency'],
];
/** To what lines are posted unless somebody says otherwise: of customers, and of others. */
const [SALES, COSTS] = ['200', '300'];
/** The tax type for lines that Xero does not tax: tax is a line. */
const UNTAXED = 'Tax Exempt (0%)';

/** The category of a line and what it is there; empty where nothing of the kind is known of it. */
function trackedAs(work: FileLine['work'], tracking: FileContents['tracking'][number] | undefined): [string | null, string | null] {
  const option = tracking && work?.[tracking.by];
  return option ? [tracking.name, option] : [null, null];
}

/** The file that Xero imports, of sales invoices or of bills: a row for each line. Xero computes the amounts itself. */
export const xero: FileFormat = {
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  mostLines: 50_000,
  extras: ['tracking'],
  // The account of sales tax is one of Xero's own, to which no line is posted; without another one, tax would be sales.
  problemsOf: ({ documents, taxAccount }) =>
    taxAccount === null && isTaxed(documents) ? [{ field: 'taxAccount', key: 'account_of_tax_required' }] : [],
  write: ({ documents, names, account, taxAccount, tracking }) =>
    csvFile([
      HEADS,
      ...documents.flatMap((document) => {
        const { number, date, dueDate, dateFormat, counterparty, currency, kind } = document;
        const posted = account ?? (kind === 'customer' ? SALES : COSTS);
        return linesOf(document, names).map(({ item, description, quantity, rate, work, isTax }) => [
          ...[partyOf(document, names), counterparty.email, number, null, dayIn(dateFormat, date), dayIn(dateFormat, dueDate), null],
          ...[`${item}: ${description}`, quantity, rate, isTax && kind === 'customer' ? taxAccount : posted, UNTAXED],
          ...[0, 1].flatMap((place) => trackedAs(work, tracking[place])),
          currency,
        ]);
      }),
    ]),
  read: (file) => readCsvFile(file, '*InvoiceNumber', (row) => product(row['*Quantity']!, row['*UnitAmount']!)),
};
