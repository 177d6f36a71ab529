import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import Pdf from 'pdfkit';
import { lineDocument } from '../../../src/billing/settlements/documents/line-document.ts';

const FONTS = ['Helvetica-Bold', 'Helvetica', createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')];

/** Pages of lines in fonts of readers and in one of its own, with a rule, written in one of two ways. */
function print(pdf: PDFKit.PDFDocument, write: (text: string, x: number, y: number, width: number) => void): Promise<Buffer> {
  for (let page = 0; page < 3; page++) {
    pdf.addPage();
    for (let line = 0; line < 20; line++) {
      // The second comes again; the letters of the third have accents that are placed above and below them.
      const text = [`Ticket AV-${page}-${line}, 23.21 tons of flex base`, 'To Austin, TX', 'q\u0303 a\u0323', ''][line % 4]!;
      pdf.font(FONTS[line % FONTS.length]!).fontSize(9);
      const width = pdf.widthOfString(text);
      write(text, 300 - width, 40 + line * 12, width);
    }
    pdf.moveTo(40, 700).lineTo(500, 700).stroke();
  }
  const bytes = buffer(pdf);
  pdf.end();
  return bytes;
}

test('a document of lines has the bytes of the same texts written by pdfkit', async () => {
  const options = { size: 'letter', margin: 0, autoFirstPage: false, info: { Title: 'Lines', CreationDate: new Date(0) } };
  const plain = new Pdf(options);
  const byPdfkit = await print(plain, (text, x, y) => plain.text(text, x, y, { lineBreak: false }));
  const lines = new (lineDocument(Pdf))(options);
  const byLine = await print(lines, (text, x, y, width) => lines.line(text, x, y, width));
  expect(byLine.equals(byPdfkit)).toBe(true);
  expect(byPdfkit.length).toBeGreaterThan(1_000);
});
