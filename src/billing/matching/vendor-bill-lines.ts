import { CsvError, parse } from 'csv-parse/sync';
import { Decimal, fitsNumeric, readDecimal } from '../../platform/decimal.ts';
import type { ErrorItem } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { isDate } from '../../platform/time.ts';
import { type CreateVendorBillInput, MOST_LINES, type VendorBillLineInput } from './match.inputs.ts';

const model = 'VendorBill';

/** A line of a bill, checked. */
export interface BilledLine {
  ticketNumber: string | null;
  loadId: string | null;
  date: string | null;
  quantity: Decimal | null;
  rate: Decimal | null;
  amount: Decimal;
}

/** Reads the lines of a bill, of a list or of a sheet; what is wrong is noted by its place (`lines.3.quantity`, from 0). */
export function linesOf({ lines, csv }: CreateVendorBillInput, items: ErrorItem[]): BilledLine[] {
  if ((lines == null) === (csv == null)) {
    items.push({ model, field: csv == null ? 'lines' : 'csv', key: csv == null ? 'required' : 'lines_or_csv' });
    return [];
  }
  const given = lines ?? readSheet(csv!, items);
  if (given.length === 0 && items.length === 0) items.push({ model, field: lines ? 'lines' : 'csv', key: 'required' });
  if (given.length > MOST_LINES) {
    items.push({ model, field: lines ? 'lines' : 'csv', key: 'too_many_items', params: { max: MOST_LINES } });
    return [];
  }
  return given.map((line, i) => lineOf(line, `lines.${i}`, items));
}

function lineOf({ ticketNumber, loadId, date, quantity, rate, amount }: VendorBillLineInput, at: string, items: ErrorItem[]): BilledLine {
  const ticket = ticketNumber?.trim() || null;
  if (loadId != null && !isUuid(loadId)) items.push({ model, field: `${at}.loadId`, key: 'not_a_uuid' });
  if (!ticket && loadId == null) items.push({ model, field: `${at}.ticketNumber`, key: 'required' });
  if (amount == null && (quantity == null || rate == null)) items.push({ model, field: `${at}.amount`, key: 'required' });
  const product = quantity && rate ? quantity.mul(rate).toDecimalPlaces(2) : undefined;
  return {
    ...{ ticketNumber: ticket, loadId: loadId?.toLowerCase() ?? null, date: date ?? null, quantity: quantity ?? null, rate: rate ?? null },
    amount: amount ?? product ?? new Decimal(0),
  };
}

const COLUMNS = ['ticket_number', 'load_id', 'date', 'quantity', 'rate', 'amount'] as const;
type Column = (typeof COLUMNS)[number];

/** The rows of a sheet. Columns of other names are left out. */
function readSheet(csv: string, items: ErrorItem[]): VendorBillLineInput[] {
  const refuse = (key: string, params: ErrorItem['params'] = {}): [] => {
    items.push({ model, field: 'csv', key, params });
    return [];
  };
  let rows: string[][];
  try {
    rows = parse(csv, { bom: true, trim: true, skip_empty_lines: true, relax_column_count: true, delimiter: [',', ';', '\t'] });
  } catch (error) {
    if (error instanceof CsvError) return refuse('sheet_unreadable', { line: Number(error.lines ?? 0) });
    throw error;
  }
  const [header = [], ...body] = rows;
  const names = header.map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'));
  const placeOf = new Map(COLUMNS.flatMap((column) => (names.includes(column) ? [[column, names.indexOf(column)] as const] : [])));
  if (!placeOf.has('ticket_number') && !placeOf.has('load_id')) return refuse('sheet_without_column', { column: 'ticket_number' });
  if (!placeOf.has('amount') && !(placeOf.has('quantity') && placeOf.has('rate')))
    return refuse('sheet_without_column', { column: 'amount' });
  return body.map((cells, i) =>
    rowOf((column) => (placeOf.has(column) ? cells[placeOf.get(column)!]?.trim() || null : null), `lines.${i}`, items),
  );
}

function rowOf(cellOf: (column: Column) => string | null, at: string, items: ErrorItem[]): VendorBillLineInput {
  const number = (column: 'quantity' | 'rate' | 'amount'): Decimal | null => {
    const cell = cellOf(column);
    if (cell === null) return null;
    const value = readDecimal(cell.replace(/^\$/, ''));
    if (value && fitsNumeric(value) && value.decimalPlaces() <= 4 && (column !== 'quantity' || !value.isNegative())) return value;
    items.push({ model, field: `${at}.${column}`, key: 'not_a_number_of_sheet' });
    return null;
  };
  const date = cellOf('date');
  if (date !== null && !isDate(date)) items.push({ model, field: `${at}.date`, key: 'not_a_date_of_sheet' });
  return {
    ...{ ticketNumber: cellOf('ticket_number'), loadId: cellOf('load_id'), date: date !== null && isDate(date) ? date : null },
    ...{ quantity: number('quantity'), rate: number('rate'), amount: number('amount') },
  };
}
