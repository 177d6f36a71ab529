import { translate } from '../../../platform/i18n/messages.ts';
import { wireName } from '../../../platform/model/names.ts';
import { EXEMPT, taxedIn } from '../../invoices/following/tax-description.ts';
import { CENTS, dayIn, figure } from './figures.ts';
import { MARGIN, type Paper, type Place, type Style } from './paper.ts';
import type { DocumentCharge, DocumentLine, DocumentLoad, SettlementDocument } from './settlement-document.ts';

/** A part of a page that is not broken. */
export interface Block {
  /** Points. */
  height: number;
  draw(y: number): void;
  /** The block that is repeated above it on a new page. */
  heading?: Block;
  /** It stays with what follows. */
  leads?: boolean;
}

const TEXT: Style = { size: 8.5 };
const STRONG: Style = { size: 8.5, bold: true };
const LABEL: Style = { size: 8, ink: 0.6 };
const TOTAL: Style = { size: 11, bold: true };
/** Points of a line, and of a line of the table of loads. */
const LINE = 11.5;
const GAP = 4;

/** A column: its head, its part of the width, and whether its texts end at the right. */
export interface Column {
  head: string;
  part: number;
  right?: boolean;
}

/** The settings with which blocks are printed: the paper, and how the company writes. */
export class Printing<Said extends Pick<SettlementDocument, 'language' | 'dateFormat'> = SettlementDocument> {
  readonly width: number;

  constructor(
    readonly paper: Paper,
    readonly said: Said,
  ) {
    this.width = paper.width - 2 * MARGIN;
  }

  word(key: string, params: Record<string, string | number> = {}): string {
    return translate(this.said.language, `document_${key}`, params);
  }
  money(amount: string): string {
    return figure(amount, this.said.language, CENTS);
  }
  date(day: string): string {
    return dayIn(this.said.dateFormat, day);
  }
  quantity(quantity: string, unit: string | null): string {
    const amount = figure(quantity, this.said.language);
    return unit === null ? amount : `${amount} ${this.word(`unit_${wireName(unit)}`)}`;
  }

  /** The places of columns. */
  places(columns: readonly Column[]): Omit<Place, 'y'>[] {
    let x = MARGIN;
    return columns.map(({ part, right }) => {
      const width = this.width * part;
      const place = { x, width: width - 6, align: right ? ('right' as const) : ('left' as const) };
      x += width;
      return right ? { ...place, x: place.x + 6 } : place;
    });
  }

  /** A row of cells, each of one line or more. */
  row(places: readonly Omit<Place, 'y'>[], cells: readonly (readonly string[])[], style: Style, heading?: Block): Block {
    const lines = Math.max(1, ...cells.map(({ length }) => length));
    const draw = (y: number) => {
      for (const [i, cell] of cells.entries())
        for (const [n, text] of cell.entries()) this.paper.text(text, { ...places[i]!, y: y + n * LINE }, style);
    };
    return { height: lines * LINE + GAP, draw, heading };
  }

  /** A row of one line, whose cells are made when it is drawn: of thousands, those of one page are there at a time. */
  line(places: readonly Omit<Place, 'y'>[], cells: () => readonly string[], style: Style, heading: Block): Block {
    const draw = (y: number) => {
      for (const [i, text] of cells().entries()) this.paper.text(text, { ...places[i]!, y }, style);
    };
    return { height: LINE + GAP, draw, heading };
  }

  heading(columns: readonly Column[], places: readonly Omit<Place, 'y'>[]): Block {
    const cells = columns.map(({ head }) => [head]);
    const { height, draw } = this.row(places, cells, LABEL);
    const rule = { x: MARGIN, width: this.width };
    return {
      height: height + 4,
      leads: true,
      draw: (y) => {
        draw(y);
        this.paper.rule({ ...rule, y: y + height - 2 });
      },
    };
  }
}

/** The lines as they are grouped, each group with its subtotal. */
export function workBlocks(printing: Printing): Block[] {
  const { said, paper } = printing;
  const columns: Column[] = [
    { head: printing.word('date'), part: 0.13 },
    { head: printing.word('description'), part: 0.4 },
    { head: printing.word('quantity'), part: 0.19, right: true },
    { head: printing.word('rate'), part: 0.12, right: true },
    { head: printing.word('amount', { currency: said.currency }), part: 0.16, right: true },
  ];
  const places = printing.places(columns);
  const heading = printing.heading(columns, places);
  const blocks: Block[] = [heading];
  for (const { name, lines, subtotal } of said.groups) {
    if (name !== null) blocks.push({ ...printing.row([{ x: MARGIN, width: printing.width }], [[name]], STRONG, heading), leads: true });
    for (const line of lines) {
      const about = describe(printing, line).flatMap((text) => paper.wrap(text, places[1]!.width, TEXT));
      const cells = [
        [printing.date(line.date)],
        about,
        line.quantities.flatMap(({ quantity, unit }) => paper.wrap(printing.quantity(quantity, unit), places[2]!.width, TEXT)),
        [line.rate === null ? '' : printing.money(line.rate)],
        [printing.money(line.amount)],
      ];
      blocks.push(...parted(cells).map((part) => printing.row(places, part, TEXT, heading)));
    }
    if (name !== null || said.groups.length > 1)
      blocks.push(printing.row(places, [[], [], [], [printing.word('subtotal')], [printing.money(subtotal)]], STRONG, heading));
  }
  return blocks;
}

/** The most lines of a row: one with thousands of tickets goes on below itself. */
const MOST_LINES = 40;

function parted(cells: readonly (readonly string[])[]): (readonly string[])[][] {
  const lines = Math.max(...cells.map(({ length }) => length));
  const parts: (readonly string[])[][] = [];
  for (let from = 0; from < lines; from += MOST_LINES) parts.push(cells.map((cell) => cell.slice(from, from + MOST_LINES)));
  return parts;
}

function describe(printing: Printing, { orders, work, materials, services, trucks, tickets }: DocumentLine): string[] {
  const names = (of: readonly string[]) => of.join(', ');
  const place = [orders.length > 0 ? printing.word('order', { names: names(orders) }) : '', work ?? ''].filter(Boolean).join(' · ');
  const what = [...services, ...materials, ...trucks].join(' · ');
  return [place, what, tickets.length > 0 ? printing.word('tickets', { names: names(tickets) }) : ''].filter(Boolean);
}

/** Prints the parts of the total: work, charges, tax, and what was billed before. */
export function totalBlocks(printing: Printing): Block[] {
  const { said, width } = printing;
  const places = [
    { x: MARGIN + width * 0.35, width: width * 0.45 },
    { x: MARGIN + width * 0.8, width: width * 0.2, align: 'right' as const },
  ];
  const blocks: Block[] = [{ height: 8, draw: (y) => printing.paper.rule({ x: MARGIN, y, width }) }];
  const add = (label: string, amount: string, style = TEXT) => {
    const [first = [], ...rest] = parted([printing.paper.wrap(label, places[0]!.width, style), [printing.money(amount)]]);
    blocks.push(printing.row(places, first, style), ...rest.map((part) => printing.row(places, part, style)));
  };
  const addCharges = (charges: readonly DocumentCharge[]) => {
    for (const charge of charges) add(nameOf(printing, charge), charge.amount);
  };
  add(printing.word('lines_total'), said.linesTotal);
  addCharges(said.invoiceCharges);
  for (const { description, rate, amount } of said.taxes)
    add([taxName(printing, description), rate === null ? '' : `${figure(rate, said.language)} %`].filter(Boolean).join(' '), amount);
  addCharges(said.charges);
  const total = printing.row(places, [[printing.word('total', { currency: said.currency })], [printing.money(said.total)]], TOTAL);
  blocks.push({ ...total, height: total.height + 6 });
  if (said.replaces) {
    add(printing.word('billed_before', { number: said.replaces.number }), said.replaces.total);
    add(printing.word('difference'), said.replaces.difference);
  }
  return blocks;
}

/** Returns what is printed next to a tax: what was taxed, or that the customer pays none. */
function taxName(printing: Printing, description: string | null): string {
  if (description === EXEMPT) return printing.word('tax_exempt');
  const taxed = taxedIn(description ?? '').map((kind) => printing.word(`taxed_${wireName(kind)}`));
  return taxed.length === 0 ? printing.word('tax') : `${printing.word('tax')} (${taxed.join(', ')})`;
}

function nameOf(printing: Printing, { name, quantity, rate, percentage }: DocumentCharge): string {
  const { language } = printing.said;
  const how =
    percentage !== null
      ? `${figure(percentage, language)} %`
      : quantity !== null && rate !== null
        ? `${figure(quantity, language)} × ${printing.money(rate)}`
        : '';
  return [name ?? printing.word('charges'), how].filter(Boolean).join('  ');
}

/** The loads with their tickets, if they are to be printed. */
export function loadBlocks(printing: Printing): Block[] {
  const { loads } = printing.said;
  if (!loads || loads.length === 0) return [];
  const columns: Column[] = [
    { head: printing.word('date'), part: 0.12 },
    { head: printing.word('load_order'), part: 0.14 },
    { head: printing.word('load'), part: 0.16 },
    { head: printing.word('material'), part: 0.18 },
    { head: printing.word('truck'), part: 0.13 },
    { head: printing.word('ticket'), part: 0.12 },
    { head: printing.word('quantity'), part: 0.15, right: true },
  ];
  const places = printing.places(columns);
  const heading = printing.heading(columns, places);
  const title = printing.row([{ x: MARGIN, width: printing.width }], [[printing.word('loads')]], STRONG);
  return [
    { height: 14, draw: () => undefined, leads: true },
    { ...title, leads: true },
    heading,
    ...loads.map((one) => {
      const { quantity, unit } = one;
      const hauled = quantity === null ? '' : printing.quantity(quantity, unit);
      // In as many lines as it takes: without its end, a ton and a tonne may read the same.
      const wide = printing.paper.wrap(hauled, places.at(-1)!.width, TEXT);
      if (wide.length <= 1) return printing.line(places, () => [...cellsOf(printing, one), hauled], TEXT, heading);
      return printing.row(places, [...cellsOf(printing, one).map((cell) => [cell]), wide], TEXT, heading);
    }),
  ];
}

/** What is printed of a load, but for its quantity. */
const cellsOf = (printing: Printing, { date, order, load, material, truck, ticket }: DocumentLoad): string[] => [
  printing.date(date),
  order,
  load,
  material ?? '',
  truck ?? '',
  ticket ?? '',
];
