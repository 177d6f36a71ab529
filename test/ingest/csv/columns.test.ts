import { expect, test } from '@jest/globals';
import { matchColumns } from '../../../src/ingest/csv/columns.ts';
import { toElement } from '../../../src/ingest/csv/element.ts';
import { LISTS, plainHeader, SHEET_FIELDS, SHEET_KINDS, type SheetKind, WAYPOINTS } from '../../../src/ingest/csv/fields.ts';
import { numberStyleOf } from '../../../src/ingest/csv/number-style.ts';

/** The payload of one row under these headers. */
function elementOf(kind: SheetKind, row: Record<string, string>, separator = ',') {
  const { columns } = matchColumns(kind, Object.keys(row));
  const cells = Object.values(row);
  const { metadata, ...element } = toElement(columns, cells, 2, numberStyleOf(columns, [{ line: 2, cells }], separator).mark);
  return element;
}

const cellOf = (type: string) => (type === 'number' ? '12.5' : type === 'flag' ? 'yes' : 'text');

test.each(SHEET_KINDS)('every column of %s finds its field by its path and by each of its names', (kind) => {
  for (const { path, type, names } of SHEET_FIELDS[kind]) {
    const [first = '', second] = path.split('.');
    const value = type === 'flag' ? true : cellOf(type);
    const wanted = LISTS.some((list) => list === first)
      ? { [first]: [{ [second ?? 'external_id']: value }] }
      : WAYPOINTS.some((waypoint) => waypoint === first)
        ? { sites: [{ waypoint: first, [second as string]: value }] }
        : { [first]: second ? { [second]: value } : value };
    for (const header of [path, path.toUpperCase(), path.replace(/[._]/g, ' '), ...names])
      expect({ header, ...elementOf(kind, { [header]: cellOf(type) }) }).toEqual({ header, ...wanted });
  }
});

test.each(SHEET_KINDS)('no header of %s names two fields', (kind) => {
  const claimed = new Map<string, string>();
  for (const { path, names } of SHEET_FIELDS[kind]) {
    for (const name of new Set([path, ...names].map(plainHeader))) {
      expect([name, claimed.get(name)]).toEqual([name, undefined]);
      claimed.set(name, path);
    }
  }
});

test('headers are compared without case, accents, blanks and punctuation; # and № are numbers', () => {
  for (const header of ['Order #', 'ORDER NUMBER', ' order-number ', 'Order №', 'Numéro de commande', 'N° de commande', 'external id'])
    expect({ header, ...elementOf('orders', { [header]: 'A' }) }).toEqual({ header, external_id: 'A' });
});

test('an empty cell is an absent field, and so is an empty row', () => {
  expect(elementOf('orders', { 'Order #': 'A', notes: ' ', quantity: '', foremen: '', 'pickup.name': '' })).toEqual({ external_id: 'A' });
});

test('lists are split at semicolons, and the columns of one list belong together', () => {
  expect(
    elementOf('orders', {
      foremen: 'ana@x.ca; 512 555 0100;F-7',
      'foremen.first_name': 'Ana;;Fred',
      vendors: 'One;Two',
      'vendor id': 'V1',
    }),
  ).toEqual({
    foremen: [{ email: 'ana@x.ca', first_name: 'Ana' }, { phone: '512 555 0100' }, { external_id: 'F-7', first_name: 'Fred' }],
    vendors: [{ name: 'One', external_id: 'V1' }, { name: 'Two' }],
  });
  expect(elementOf('projects', { 'material id': 'M1;M2', 'material quantity': '5;7', 'material unit': 'Ton;Load' })).toEqual({
    materials: [
      { external_id: 'M1', total_quantity: '5', unit_of_measure: 'Ton' },
      { external_id: 'M2', total_quantity: '7', unit_of_measure: 'Load' },
    ],
  });
});

test('the single site of a ticket is an object', () => {
  expect(elementOf('tickets', { Ticket: '7', Site: 'North pit', 'site id': 'PIT' })).toEqual({
    ticket_number: '7',
    site: { name: 'North pit', external_id: 'PIT' },
  });
});

test('numbers lose their separators, and nothing else', () => {
  const read = (cell: string, separator: string) => elementOf('orders', { quantity: cell }, separator).quantity;
  const cases: [string, string, string][] = [
    ['12.5', '12.5', '12.5'],
    ['1,250.5', '1250.5', '1250.5'],
    ['1,250', '1250', '1.250'],
    ['12,5', '12,5', '12.5'],
    ['1.250,5', '1.250,5', '1250.5'],
    ['1 250,5', '1250.5', '1250.5'],
    ['1\u202F250', '1250', '1250'],
    // No group of digits begins with 0.
    ['0,125', '0,125', '0.125'],
    ['0.125', '0.125', '0.125'],
    ['0 125', '0 125', '0 125'],
    ['-3', '-3', '-3'],
    ['twelve', 'twelve', 'twelve'],
    ['=1+1', '=1+1', '=1+1'],
    ['12 Ton', '12 Ton', '12 Ton'],
  ];
  expect(cases.map(([cell]) => [cell, read(cell, ','), read(cell, ';')])).toEqual(cases);
});

test('a dot groups digits in every number of a file with semicolons if one number has a decimal comma', () => {
  const { columns } = matchColumns('tickets', ['ticket_number', 'quantity']);
  const read = (quantities: string[], separator = ';') => {
    const rows = quantities.map((quantity, i) => ({ line: i + 2, cells: ['1.250', quantity] }));
    const { mark } = numberStyleOf(columns, rows, separator);
    return rows.map(({ cells, line }) => toElement(columns, cells, line, mark)).map((row) => [row.ticket_number, row.quantity]);
  };
  const numbered = (...quantities: string[]) => quantities.map((quantity) => ['1.250', quantity]);
  expect(read(['1.250', '22,5', '1.250.000', '7'])).toEqual(numbered('1250', '22.5', '1250000', '7'));
  expect(read(['1.250', '22.5'])).toEqual(numbered('1.250', '22.5'));
  expect(read(['1.250', '1,250'], ',')).toEqual(numbered('1.250', '1250'));
  // Two dots group as surely as a comma divides.
  expect(read(['1.250', '1.250.000'])).toEqual(numbered('1250', '1250000'));
  // A zero groups nothing, whatever the others do.
  expect(read(['0.750', '22,5'])).toEqual(numbered('0.750', '22.5'));
});

test('a number that may mean a thousand times as much is not read in a file that shows both decimal marks', () => {
  const { columns } = matchColumns('tickets', ['ticket_number', 'quantity']);
  const read = (separator: string, ...quantities: string[]) => {
    const rows = quantities.map((quantity, i) => ({ line: i + 2, cells: [String(i), quantity] }));
    const { mark, doubtful } = numberStyleOf(columns, rows, separator);
    return [doubtful, ...rows.map(({ cells, line }) => toElement(columns, cells, line, mark).quantity)];
  };
  for (const separator of [',', '\t']) {
    expect(read(separator, '22,500', '22,5', '1,250.5', '1.250')).toEqual([true, '22,500', '22,5', '1250.5', '1.250']);
    expect(read(separator, '22,500', '1.250.000')).toEqual([true, '22,500', '1.250.000']);
    expect(read(separator, '22,500', '0,125')).toEqual([true, '22,500', '0,125']);
    expect(read(separator, '22,500', '22.5')).toEqual([false, '22500', '22.5']);
  }
  expect(read(';', '22,500', '1,250.5')).toEqual([false, '22500', '1250.5']);
  // One number of the other style does not have all others fail.
  expect(read(';', '22,500', '1,250.5', '22,5')).toEqual([true, '22,500', '1250.5', '22.5']);
  expect(read(';', '1.250', '1,250.5', '1.250,5', '1.250.000', '12.5')).toEqual([true, '1.250', '1250.5', '1250.5', '1250000', '12.5']);
  expect(read(';', '22,500', '1250,5')).toEqual([false, '22.500', '1250.5']);
});

test('a sheet of which all numbers are in one style is read in it, and nothing of it is doubtful', () => {
  const { columns } = matchColumns('tickets', ['ticket_number', 'quantity']);
  const read = (separator: string, ...quantities: string[]) => {
    const rows = quantities.map((quantity, i) => ({ line: i + 2, cells: [String(i), quantity] }));
    const { mark, doubtful } = numberStyleOf(columns, rows, separator);
    return [doubtful, ...rows.map(({ cells, line }) => toElement(columns, cells, line, mark).quantity)];
  };
  // As Excel writes it in German, and in French.
  expect(read(';', '1.250', '12,5', '22,500', '1.250,75', '1.250.000')).toEqual([false, '1250', '12.5', '22.500', '1250.75', '1250000']);
  expect(read(';', '1 250', '12,5', '22,500', '1\u202F250,75')).toEqual([false, '1250', '12.5', '22.500', '1250.75']);
  for (const separator of [',', '\t', ';'])
    expect(read(separator, '1,250', '12.5', '22.500', '1,250.75')).toEqual([false, '1250', '12.5', '22.500', '1250.75']);
});

test.each([
  [['1.250'], true],
  [['1.250', '7', '12 Ton'], true],
  [['1.250', '12.5'], false],
  [['1.250', '0.250'], false],
  [['1.250', '1250.250'], false],
  [['1.250', '12,5'], false],
])('numbers of a file with semicolons are ambiguous or not: %j', (quantities, doubtful) => {
  const { columns } = matchColumns('orders', ['external_id', 'quantity']);
  const rows = quantities.map((quantity, i) => ({ line: i + 2, cells: ['1.250', quantity] }));
  expect(numberStyleOf(columns, rows, ';').doubtful).toBe(doubtful);
  // A decimal comma contradicts the comma that groups there.
  const other = quantities.includes('12,5') ? { mark: 'both', doubtful: true } : { mark: '.', doubtful: false };
  for (const separator of [',', '\t']) expect(numberStyleOf(columns, rows, separator)).toEqual(other);
});

test('metadata columns are stored next to the line, and no column reaches a prototype', () => {
  const { columns, unknown } = matchColumns('orders', [
    'metadata.shift',
    'metadata.csv_line',
    'metadata.__proto__',
    '__proto__',
    'constructor',
    '',
  ]);
  expect(unknown).toEqual(['metadata.csv_line', 'metadata.__proto__', '__proto__', 'constructor']);
  expect(toElement(columns, ['night', '9', 'x', 'x', 'x', 'x'], 4, '.')).toEqual({ metadata: { shift: 'night', csv_line: 4 } });
});
