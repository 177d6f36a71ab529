import type PDFDocument from 'pdfkit';

/** A document of pdfkit for many short lines whose widths are known. */
export interface LineDocument extends PDFKit.PDFDocument {
  /**
   * Writes one line.
   * @param width what the line takes, in points
   */
  line(text: string, x: number, y: number, width: number): void;
}

/** A glyph of a text: its place relative to the last one, and its widths with and without the space that its neighbour asks for (kerning). */
interface Position {
  xOffset: number;
  yOffset: number;
  xAdvance: number;
  advanceWidth: number;
}

/** Of a font of pdfkit what this class leans on. */
interface Font {
  id: string;
  /** Thousandths of the size. */
  ascender: number;
  ref(): unknown;
  encode(text: string): [glyphs: string[], positions: Position[]];
}

/** Texts whose glyphs are remembered. */
const MOST_TEXTS = 1_000;

/**
 * Makes the class of such documents. What pdfkit does for each text took most of the time of a long table (D-BILLING-480): it keeps each of the ten
 * commands of a text as bytes of its own, where this class gives it a page at once; it measures the text once more, to know where a next one would
 * begin; and it looks up the glyphs of texts that come again. The bytes of the document are the same.
 */
export function lineDocument(Pdf: typeof PDFDocument): new (options: PDFKit.PDFDocumentOptions) => LineDocument {
  return class extends Pdf implements LineDocument {
    // None has a value here nor a private name: the constructor of pdfkit calls these methods before fields of this class are made.
    declare private commands?: string[];
    declare private known?: number;
    declare private shown?: Map<string, string | null>;
    declare private _font: Font;
    declare private _fontSize: number;

    line(text: string, x: number, y: number, width: number): void {
      if (text === '') return;
      const { _font: font, _fontSize: size, page } = this;
      const glyphs = this.glyphsOf(text, font);
      if (glyphs === null) {
        this.known = width;
        this.text(text, x, y, { lineBreak: false, textWidth: width, wordCount: 1 } as PDFKit.Mixins.TextOptions);
        this.known = undefined;
        return;
      }
      page.fonts[font.id] ??= font.ref();
      const base = page.height - y - (font.ascender / 1000) * size;
      this.addContent(
        `q\n1 0 0 -1 0 ${decimal(page.height)} cm\nBT\n1 0 0 1 ${decimal(x)} ${decimal(base)} Tm\n/${font.id} ${decimal(size)} Tf\n${glyphs}\nET\nQ`,
      );
    }

    override widthOfString(text: string, options?: PDFKit.Mixins.TextOptions): number {
      return this.known ?? super.widthOfString(text, options);
    }

    override addContent(command: string): PDFKit.PDFDocument {
      this.commands ??= [];
      this.commands.push(command);
      return this;
    }

    override addPage(options?: PDFKit.PDFDocumentOptions): PDFKit.PDFDocument {
      this.handOver();
      return super.addPage(options);
    }

    override end(): void {
      this.handOver();
      super.end();
    }

    /** The command that shows a text; null if its glyphs are not in one row, as accents of some alphabets are not. */
    private glyphsOf(text: string, font: Font): string | null {
      this.shown ??= new Map();
      const key = `${font.id} ${text}`;
      let glyphs = this.shown.get(key);
      if (glyphs !== undefined) return glyphs;
      glyphs = showing(...font.encode(text));
      if (this.shown.size === MOST_TEXTS) this.shown.clear();
      this.shown.set(key, glyphs);
      return glyphs;
    }

    private handOver(): void {
      const { commands } = this;
      if (!commands?.length) return;
      this.commands = [];
      super.addContent(commands.join('\n'));
    }
  };
}

/** The command that shows glyphs in one row: those with nothing special between them together, each such row with the space after it. */
function showing(glyphs: readonly string[], positions: readonly Position[]): string | null {
  const rows: string[] = [];
  let row = '';
  for (const [i, { xOffset, yOffset, xAdvance, advanceWidth }] of positions.entries()) {
    if (xOffset || yOffset) return null;
    row += glyphs[i]!;
    if (xAdvance === advanceWidth && i < positions.length - 1) continue;
    rows.push(`<${row}> ${decimal(advanceWidth - xAdvance)}`);
    row = '';
  }
  return `[${rows.join(' ')}] TJ`;
}

/** A number as pdfkit writes it. */
const decimal = (value: number): number => Math.round(value * 1e6) / 1e6;
