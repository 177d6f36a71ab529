import { expect } from '@jest/globals';

/** Reads CSV letter by letter, as RFC 4180 says: another reader than the one of the product. */
export function cellsOf(bytes: Buffer): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (letter === '"') quoted = true;
    else if (letter === ',' || letter === '\n') {
      rows.at(-1)!.push(cell);
      cell = '';
      if (letter === '\n') rows.push([]);
    } else if (letter !== '\r') cell += letter;
  }
  return rows.filter((row) => row.length > 0);
}
/** The rows of a CSV file by its headings. */
export function csv(bytes: Buffer): Record<string, string>[] {
  const [heads = [], ...rest] = cellsOf(bytes);
  return rest.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i] ?? ''])));
}
/** Whole cents of a decimal text, by its digits. */
export const cents = (text: string): bigint => {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text)!;
  expect(fraction.length).toBeLessThanOrEqual(2);
  return BigInt(`${sign}${whole}${fraction.padEnd(2, '0')}`);
};
/** Cents of a quantity times a rate, half away from zero, in whole numbers. */
export function times(quantity: string, rate: string): bigint {
  const scaled = (text: string) => {
    const [, sign, whole = '', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text)!;
    return BigInt(`${sign}${whole}${fraction.padEnd(4, '0')}`);
  };
  const product = scaled(quantity) * scaled(rate);
  const half = 500_000n * (product < 0n ? -1n : 1n);
  return (product + half) / 1_000_000n;
}
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);

/** Reads a file of QuickBooks Desktop by its heads: the lines of each block, of which the first says what is owed. */
export function blocksOf(bytes: Buffer): Record<string, string>[][] {
  const rows = bytes
    .toString('latin1')
    .split('\r\n')
    .filter(Boolean)
    .map((line) => line.split('\t'));
  const heads = Object.fromEntries(rows.filter(([kind]) => kind!.startsWith('!')).map(([kind, ...names]) => [kind!.slice(1), names]));
  const blocks: Record<string, string>[][] = [];
  for (const [kind, ...cells] of rows) {
    if (kind!.startsWith('!') || kind === 'ENDTRNS') continue;
    if (kind === 'TRNS') blocks.push([]);
    blocks.at(-1)!.push(Object.fromEntries(heads[kind!]!.map((name: string, i: number) => [name, cells[i]!])));
  }
  return blocks;
}

/** A place of a row of Sage 100 Contractor: the most characters of a text, the digits and decimals of a number, or a date; and whether it is required. */
type Place = [type: 'text' | 'number' | 'date', most: number, required?: 'required'];
const EMPTY: Place = ['text', 0];
// As its importers publish them (docs/accounting.md); those that are not ours to fill are empty.
const HEAD: Place[] = [
  ...(['required', 'required', 'required'] as const).map((required): Place => ['text', 20, required]),
  ['number', 0, 'required'],
  ['text', 50, 'required'],
  ...[1, 2, 3].map((): Place => ['date', 0, 'required']),
  ...[1, 2].map((): Place => ['number', 0, 'required']),
];
const LINE: Place[] = [
  ...(['required', 'required', 'required'] as const).map((required): Place => ['text', 20, required]),
  ['number', 0, 'required'],
  EMPTY,
  ['text', 50, 'required'],
  ...[EMPTY, EMPTY],
  ['number', 4, 'required'],
  ['number', 6, 'required'],
];
const PLACES: Record<string, Place[]> = {
  'ARINV H': [...HEAD, ...Array<Place>(11).fill(EMPTY)],
  'APINV H': [...HEAD, ...Array<Place>(15).fill(EMPTY)],
  'ARINV D': LINE,
  'APINV D': LINE,
};

/** Reads a file of Sage 100 Contractor by its published places, as its importer would. @returns what the lines of each head come to, in cents */
export function readSage(bytes: Buffer): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  for (const row of cellsOf(bytes)) {
    const places = PLACES[`${row[0]} ${row[1]}`];
    expect([row[0], row[1], row.length]).toEqual([row[0], row[1], places?.length]);
    for (const [i, [type, most, required]] of places!.entries()) {
      const cell = row[i]!;
      if (required) expect(cell).not.toBe('');
      if (cell === '') continue;
      if (type === 'text') expect(cell.length).toBeLessThanOrEqual(most);
      if (type === 'number') expect(cell).toMatch(most === 0 ? /^\d+$/ : new RegExp(`^-?\\d{1,8}(\\.\\d{1,${most}})?$`));
      if (type === 'date') expect(new Date(`${cell}T00:00:00Z`).toISOString().slice(0, 10)).toBe(cell);
    }
    const number = row[2]!;
    // A line follows its head.
    if (row[1] === 'H') {
      expect(totals.has(number)).toBe(false);
      totals.set(number, 0n);
    } else {
      expect([...totals.keys()].at(-1)).toBe(number);
      totals.set(number, totals.get(number)! + times(row[8]!, row[9]!));
    }
  }
  return totals;
}
