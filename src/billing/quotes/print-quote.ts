import { setImmediate as breath } from 'node:timers/promises';
import { wireName } from '../../platform/model/names.ts';
import { languageOf } from '../settlements/documents/language-of.ts';
import { headBlock, paginate } from '../settlements/documents/pages.ts';
import { MARGIN, Paper, type PaperSize, type Style } from '../settlements/documents/paper.ts';
import { type Block, type Column, Printing } from '../settlements/documents/print-blocks.ts';
import { commonCharges, describeRate, type Print, taxText } from './print-terms.ts';
import type { QuotedMaterial } from './project-quote.ts';
import type { QuoteOnPaper } from './read-quote.ts';

const TEXT: Style = { size: 8.5 };
const STRONG: Style = { size: 8.5, bold: true };
const SMALL: Style = { size: 8, ink: 0.6 };

/**
 * Prints a quote, in the language and date format of its company. The same quote has the same bytes on the same day.
 * @param logo a JPEG
 * @returns the bytes of a PDF
 */
export async function printQuote(
  quote: QuoteOnPaper,
  { size, logo }: { size: PaperSize; logo: Buffer | null },
): Promise<NodeJS.ReadableStream> {
  // It takes 10 MB, and most processes print nothing.
  const { default: Pdf } = await import('pdfkit');
  const { number, company, dateFormat } = quote;
  const language = languageOf(quote.language, quote.country);
  const about = { title: number, author: company.name, language, createdAt: new Date(`${quote.date}T00:00:00Z`) };
  const paper = new Paper(Pdf, size, about);
  const print: Print = new Printing(paper, { language, dateFormat });
  const common = commonCharges(print, quote.rates);
  const pages = paginate(paper, [
    headOf(print, quote, logo),
    ...linesOf(print, quote.name, STRONG),
    ...siteBlocks(print, quote),
    ...rateBlocks(print, quote, common),
    ...tableOf(
      print,
      print.word('quote_charges'),
      [{ head: print.word('description'), part: 1 }],
      common.map((charge): [string] => [charge]),
    ),
    ...materialBlocks(print, quote),
    ...taxBlocks(print, quote),
  ]);
  const write = async () => {
    for (const [index, blocks] of pages.entries()) {
      paper.page();
      for (const { block, y } of blocks) block.draw(y);
      const foot = { x: MARGIN, y: paper.height - MARGIN + 8 };
      paper.text(`${company.name} · ${number}`, { ...foot, width: print.width / 2 }, SMALL);
      paper.text(print.word('page', { page: index + 1, pages: pages.length }), { ...foot, width: print.width, align: 'right' }, SMALL);
      await breath();
    }
  };
  return paper.write(write);
}

function headOf(
  print: Print,
  { number, poJobNumber, date, startsOn, validUntil, company, customer }: QuoteOnPaper,
  logo: Buffer | null,
): Block {
  const facts: [string, string][] = [
    [print.word('quote_project'), number],
    [print.word('date'), print.date(date)],
  ];
  if (poJobNumber) facts.push([print.word('purchase_order'), poJobNumber]);
  if (startsOn) facts.push([print.word('quote_starts'), print.date(startsOn)]);
  if (validUntil) facts.push([print.word('quote_valid'), print.date(validUntil)]);
  const parties: [string, typeof company][] = [
    [print.word('from'), company],
    [print.word('quote_for'), customer],
  ];
  return headBlock(print.paper, { title: print.word('quote'), facts, parties, logo });
}

const siteBlocks = (print: Print, { sites }: QuoteOnPaper): Block[] =>
  sites.length === 0 ? [] : linesOf(print, print.word('quote_sites', { names: sites.join(', ') }), TEXT);

/** A text in as many lines as it takes. */
const linesOf = ({ paper, width }: Print, text: string, style: Style): Block[] =>
  paper.wrap(text, width, style).map((line): Block => ({ height: 12, draw: (y) => paper.text(line, { x: MARGIN, y, width }, style) }));

/** A table below its title; nothing if it has no rows. @param rows the cells of each, the first of which breaks into lines */
function tableOf(print: Print, title: string, columns: readonly Column[], rows: readonly (readonly [string, ...string[]])[]): Block[] {
  if (rows.length === 0) return [];
  const places = print.places(columns);
  const heading = print.heading(columns, places);
  return [
    { height: 14, draw: () => undefined, leads: true },
    { ...print.row([{ x: MARGIN, width: print.width }], [[title]], STRONG), leads: true },
    heading,
    ...rows.map(([first, ...others]) =>
      print.row(places, [print.paper.wrap(first, places[0]!.width, TEXT), ...others.map((cell) => [cell])], TEXT, heading),
    ),
  ];
}

const rateBlocks = (print: Print, { rates, currency }: QuoteOnPaper, common: readonly string[]): Block[] =>
  tableOf(
    print,
    print.word('quote_hauling'),
    [
      { head: print.word('description'), part: 0.64 },
      { head: print.word('quote_per'), part: 0.16 },
      { head: print.word('quote_price', { currency }), part: 0.2, right: true },
    ],
    rates.map((rate) => [describeRate(print, rate, common), print.word(`quote_${wireName(rate.rateType)}`), print.money(rate.value)]),
  );

const materialBlocks = (print: Print, { materials, currency }: QuoteOnPaper): Block[] =>
  tableOf(
    print,
    print.word('quote_materials'),
    [
      { head: print.word('material'), part: 0.44 },
      { head: print.word('quantity'), part: 0.2, right: true },
      { head: print.word('quote_per'), part: 0.16 },
      { head: print.word('quote_price', { currency }), part: 0.2, right: true },
    ],
    materials.map((material) => cellsOf(print, material)),
  );

const cellsOf = (
  print: Print,
  { name, siteName, quantity, unitOfMeasure, price, priceUnitOfMeasure }: QuotedMaterial,
): [string, ...string[]] => [
  [name, siteName && print.word('quote_from', { name: siteName })].filter(Boolean).join(' '),
  quantity ? print.quantity(quantity, unitOfMeasure ?? null) : '',
  priceUnitOfMeasure ? print.word(`unit_${wireName(priceUnitOfMeasure)}`) : '',
  price ? print.money(price) : print.word('quote_on_request'),
];

function taxBlocks(print: Print, quote: QuoteOnPaper): Block[] {
  const text = taxText(print, quote);
  return text === null ? [] : [{ height: 14, draw: () => undefined }, ...linesOf(print, text, TEXT)];
}
