import { setImmediate as breath } from 'node:timers/promises';
import { translate } from '../../../platform/i18n/messages.ts';
import { dayIn } from './figures.ts';
import { FOOT, headBlock, paginate } from './pages.ts';
import { MARGIN, Paper, type PaperSize, type Style } from './paper.ts';
import { type Block, loadBlocks, Printing, totalBlocks, workBlocks } from './print-blocks.ts';
import type { DocumentKind, SettlementDocument } from './settlement-document.ts';
import type { Pictures, TicketFile } from './ticket-pictures.ts';

const BIG: Style = { size: 11, bold: true };
const PLAIN: Style = { size: 9 };
const SMALL: Style = { size: 8, ink: 0.6 };

/** The party that is named first, and the second one. */
const ROLES: Record<DocumentKind, [string, string]> = {
  customer: ['document_from', 'document_bill_to'],
  vendor: ['document_paid_by', 'document_pay_to'],
  driver: ['document_paid_by', 'document_pay_to'],
};

export interface HowToPrint {
  size: PaperSize;
  /** A JPEG. */
  logo: Buffer | null;
  /** Of tickets, which follow on pages of their own. */
  pictures?: Pictures;
}

/** Countries whose paper is US letter. */
const LETTER = ['US', 'CA', 'MX', 'PH', 'CL', 'CO'];

/** On what a company writes; letter if nobody said where it is. */
export const paperOf = ({ country }: Pick<SettlementDocument, 'country'>): PaperSize =>
  country === null || LETTER.includes(country) ? 'letter' : 'a4';

/** The name under which a document is saved or sent: of whom it is, and nothing else. */
export const fileNameOf = ({ number }: Pick<SettlementDocument, 'number'>): string => `${number}.pdf`;

/** The title of a document, such as `Invoice AR-118`. */
export const titleOf = ({ kind, number, language }: Pick<SettlementDocument, 'kind' | 'number' | 'language'>): string =>
  `${translate(language, `document_${kind}`)} ${number}`;

/**
 * Prints what a settlement says. The bytes come page by page, others are served between two of them, and equal documents have equal bytes.
 * @returns the bytes of a PDF
 */
export async function printDocument(
  said: SettlementDocument,
  { size, logo, pictures = NO_PICTURES }: HowToPrint,
): Promise<NodeJS.ReadableStream> {
  // It takes 10 MB, and most processes print nothing.
  const { default: Pdf } = await import('pdfkit');
  const { number, language, company, createdAt } = said;
  const paper = new Paper(Pdf, size, { title: titleOf(said), author: company.name, language, createdAt });
  const printing = new Printing(paper, said);
  const pages = paginate(paper, [
    headOf(paper, said, logo),
    ...purchaseOrderBlocks(paper, said),
    ...workBlocks(printing),
    ...totalBlocks(printing),
    ...loadBlocks(printing),
    ...leftBlocks(printing, pictures.left),
  ]);
  const count = pages.length + pictures.files.length;
  const footOf = async (page: number) => {
    const foot = { y: paper.height - MARGIN + 8, width: printing.width };
    paper.text(`${company.name} · ${number}`, { ...foot, x: MARGIN, width: printing.width / 2 }, SMALL);
    paper.text(printing.word('page', { page, pages: count }), { ...foot, x: MARGIN, align: 'right' }, SMALL);
    await breath();
  };
  const write = async () => {
    for (const [index, blocks] of pages.entries()) {
      paper.page();
      for (const { block, y } of blocks) block.draw(y);
      await footOf(index + 1);
    }
    for (const [index, file] of pictures.files.entries()) {
      // One at a time is in memory.
      const jpeg = await pictures.read(file);
      paper.page();
      drawTicket(printing, file, jpeg);
      await footOf(pages.length + index + 1);
    }
  };
  return paper.write(write);
}

const NO_PICTURES: Pictures = { files: [], left: [], read: async () => null };

/** A ticket on a page of its own, under its number. */
function drawTicket(printing: Printing, { ticket }: TicketFile, jpeg: Buffer | null): void {
  const { paper, width } = printing;
  paper.text(printing.word('ticket_picture', { name: ticket }), { x: MARGIN, y: MARGIN, width }, BIG);
  const y = MARGIN + 20;
  if (jpeg) paper.picture(jpeg, { x: MARGIN, y, width }, paper.height - MARGIN - FOOT - y);
  else paper.text(printing.word('no_picture'), { x: MARGIN, y, width }, PLAIN);
}

/** Names the tickets whose pictures would be too many. */
function leftBlocks(printing: Printing, tickets: readonly string[]): Block[] {
  if (tickets.length === 0) return [];
  const { paper, width } = printing;
  const lines = paper.wrap(printing.word('pictures_left', { names: tickets.join(', ') }), width, SMALL);
  return [
    { height: 14, draw: () => undefined },
    ...lines.map((line): Block => ({ height: 11, draw: (y) => paper.text(line, { x: MARGIN, y, width }, SMALL) })),
  ];
}

/** The purchase orders of the customer, which may be many, in as many lines as they take. */
function purchaseOrderBlocks(paper: Paper, { language, purchaseOrders = [] }: SettlementDocument): Block[] {
  if (purchaseOrders.length === 0) return [];
  const text = `${translate(language, 'document_purchase_order')}: ${purchaseOrders.join(', ')}`;
  const width = paper.width - 2 * MARGIN;
  const lines = paper
    .wrap(text, width, PLAIN)
    .map((line): Block => ({ height: 12, draw: (y) => paper.text(line, { x: MARGIN, y, width }, PLAIN) }));
  return [...lines, { height: 8, draw: () => undefined }];
}

/** The head of the first page: logo and title, who bills whom, and the dates. */
function headOf(paper: Paper, said: SettlementDocument, logo: Buffer | null): Block {
  const { kind, number, language, dateFormat, state, company, counterparty, termsDays, replaces } = said;
  const word = (key: string, params = {}) => translate(language, `document_${key}`, params);
  const date = (day: string) => dayIn(dateFormat, day);
  const facts: [string, string][] = [
    [word('number'), number],
    [word('date'), date(said.date)],
    [word('period'), said.startsOn === said.endsOn ? date(said.startsOn) : `${date(said.startsOn)} – ${date(said.endsOn)}`],
  ];
  if (termsDays > 0 && kind !== 'driver') facts.push([word('terms'), word('net', { days: termsDays })], [word('due'), date(said.dueDate)]);
  if (replaces) facts.push([word('replaces'), replaces.number]);
  const mark = state === 'pending' ? ` – ${word('draft')}` : state === 'voided' ? ` – ${word('voided')}` : '';
  const [first, second] = ROLES[kind].map((role) => translate(language, role)) as [string, string];
  return headBlock(paper, {
    title: word(kind) + mark,
    facts,
    parties: [
      [first, company],
      [second, counterparty],
    ],
    logo,
  });
}
