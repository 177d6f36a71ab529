import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type PDFDocument from 'pdfkit';
import { type LineDocument, lineDocument } from './line-document.ts';

/** Sides of a page in points (1/72 inch). */
export const PAPER_SIZES = { letter: { width: 612, height: 792 }, a4: { width: 595.28, height: 841.89 } } as const;
export type PaperSize = keyof typeof PAPER_SIZES;

/** Points around what is printed. */
export const MARGIN = 48;

/** The characters that the fonts of every reader can show: Windows-1252. */
const PLAIN = /^[\x20-\x7e\xa0-\xffŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]*$/;
const FONTS = {
  plain: { regular: 'Helvetica', bold: 'Helvetica-Bold' },
  wide: { regular: 'DejaVuSans', bold: 'DejaVuSans-Bold' },
} as const;
const { resolve } = createRequire(import.meta.url);

export interface Style {
  size: number;
  bold?: boolean;
  /** Part of black; 1 by default. */
  ink?: number;
}

/** The place of a text on its page, in points, and its alignment there. */
export interface Place {
  x: number;
  y: number;
  width: number;
  align?: 'left' | 'right';
}

/** A text as it is printed. */
interface Fitted {
  shown: string;
  /** Points. */
  taken: number;
  font: string;
}
/** Texts that are remembered. */
const MOST_FITS = 1_000;

/**
 * The pages of a PDF, written one after the other. Its bytes depend on what is printed alone. Texts are in Helvetica, and in a font with most
 * alphabets if Helvetica does not have their letters.
 */
export class Paper {
  readonly #pdf: LineDocument;
  /** Font, size and ink of the last text of the page. */
  #used = '';
  /** Of letters, by their font. */
  readonly #widths = new Map<string, Map<string, number>>();
  readonly #fits = new Map<string, Fitted>();
  readonly width: number;
  readonly height: number;

  constructor(Pdf: typeof PDFDocument, size: PaperSize, about: { title: string; author: string; language: string; createdAt: Date }) {
    const { width, height } = PAPER_SIZES[size];
    this.width = width;
    this.height = height;
    this.#pdf = new (lineDocument(Pdf))({
      ...{ size: [width, height], margin: 0, autoFirstPage: false, lang: about.language, displayTitle: true },
      info: { Title: about.title, Author: about.author, Creator: 'Haulgate', Producer: 'Haulgate', CreationDate: about.createdAt },
    });
    for (const name of Object.values(FONTS.wide)) this.#pdf.registerFont(name, resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
  }

  /** Writes the pages. @returns the bytes, which come meanwhile; an error of the writing ends them */
  write(pages: () => Promise<void>): Readable {
    const bytes = this.#pdf as unknown as Readable;
    void pages()
      .then(() => this.#pdf.end())
      .catch((error: Error) => bytes.destroy(error));
    return bytes;
  }

  page(): void {
    this.#used = '';
    this.#pdf.addPage();
  }

  /** Writes one line of text; what is too wide is cut with an ellipsis. */
  text(text: string, { x, y, width, align }: Place, style: Style): void {
    const { shown, taken, font } = this.#fitted(text, width, style);
    if (shown === '') return;
    this.#use(font, style);
    this.#pdf.line(shown, align === 'right' ? x + width - taken : x, y, taken);
  }

  /** Draws a line from left to right. */
  rule({ x, y, width }: Place, ink = 0.6): void {
    this.#pdf
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.5)
      .strokeColor(grey(ink))
      .stroke();
  }

  /** Puts a picture (JPEG) into a box, in its shape. */
  picture(jpeg: Buffer, { x, y, width }: Place, height: number): void {
    this.#pdf.image(jpeg, x, y, { fit: [width, height] });
  }

  /** The lines into which a text breaks in a column, at blanks. */
  wrap(text: string, width: number, style: Style): string[] {
    if (isPlain(text) && this.widthOf(text, style) <= width) return text === '' ? [] : [text];
    const lines: string[] = [];
    let line = '';
    for (const word of printable(text).split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && this.widthOf(longer, style) > width) {
        lines.push(line);
        line = word;
      } else line = longer;
    }
    return line === '' ? lines : [...lines, line];
  }

  /** Points that a text takes. */
  widthOf(text: string, style: Style): number {
    const font = fontOf(text, style);
    const known = this.#widths.get(font) ?? new Map<string, number>();
    this.#widths.set(font, known);
    let width = 0;
    for (const letter of text) width += known.get(letter) ?? this.#measure(letter, font, known);
    return (width * style.size) / 1000;
  }

  /** Thousandths of the size, without kerning. */
  #measure(letter: string, font: string, known: Map<string, number>): number {
    const width = this.#pdf.font(font).fontSize(1000).widthOfString(letter);
    this.#used = '';
    known.set(letter, width);
    return width;
  }

  /** What of a text fits into a width, what that takes, and its font. Tables repeat dates, materials and trucks. */
  #fitted(text: string, width: number, style: Style): Fitted {
    const key = `${width} ${style.size} ${style.bold ?? false} ${text}`;
    let fitted = this.#fits.get(key);
    if (fitted) return fitted;
    const shown = this.#cut(printable(text), width, style);
    fitted = { shown, taken: this.widthOf(shown, style), font: fontOf(shown, style) };
    if (this.#fits.size === MOST_FITS) this.#fits.clear();
    this.#fits.set(key, fitted);
    return fitted;
  }

  #cut(text: string, width: number, style: Style): string {
    if (this.widthOf(text, style) <= width) return text;
    const letters = [...text];
    while (letters.length > 0 && this.widthOf(`${letters.join('')}…`, style) > width) letters.pop();
    return letters.length > 0 ? `${letters.join('').trimEnd()}…` : '';
  }

  #use(font: string, { size, ink = 1 }: Style): void {
    const used = `${font} ${size} ${ink}`;
    if (used === this.#used) return;
    this.#used = used;
    this.#pdf
      .font(font)
      .fontSize(size)
      .fillColor(grey(1 - ink));
  }
}

const fontOf = (text: string, { bold }: Style): string => FONTS[PLAIN.test(text) ? 'plain' : 'wide'][bold ? 'bold' : 'regular'];
const grey = (light: number): [number, number, number] => {
  const level = Math.round(light * 255);
  return [level, level, level];
};
/** Nearly all texts: letters, digits and signs of ASCII, with single blanks between them, or such at which no line breaks. */
const isPlain = (text: string): boolean => /^(?:[\x21-\x7e\u00a0]+(?: [\x21-\x7e\u00a0]+)*)?$/.test(text);
/** Line ends, tabs and letters that cannot be seen are blanks or nothing: a line is a line. The blank within a number stays one at which no line breaks. */
const printable = (text: string): string =>
  isPlain(text)
    ? text
    : text
        .replace(/[\p{Cf}]/gu, '')
        .replace(/(?:(?!\u00a0)[\s\p{Cc}])+/gu, ' ')
        .trim();
