import type PDFDocument from 'pdfkit';

/** A document of pdfkit for many short lines whose widths are known. */
export interface LineDocument extends PDFKit.PDFDocument {
  /**
   * Writes one line.
   * @param width what the line takes, in points
   */
  line(text: string, x: number, y: number, width: number): void;
}

/**
 * Makes the class of such documents. Two things that pdfkit does for each text took half of the time of a long table (D-BILLING-480): it keeps
 * each of the ten commands of a text as bytes of its own, where this class gives it a page at once; and it measures the text once more, to know
 * where a next one would begin. The bytes of the document are the same.
 */
export function lineDocument(Pdf: typeof PDFDocument): new (options: PDFKit.PDFDocumentOptions) => LineDocument {
  return class extends Pdf implements LineDocument {
    // Neither has a value here nor a private name: the constructor of pdfkit calls these methods before fields of this class are made.
    declare private commands?: string[];
    declare private known?: number;

    line(text: string, x: number, y: number, width: number): void {
      this.known = width;
      this.text(text, x, y, { lineBreak: false, textWidth: width, wordCount: 1 } as PDFKit.Mixins.TextOptions);
      this.known = undefined;
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

    private handOver(): void {
      const { commands } = this;
      if (!commands?.length) return;
      this.commands = [];
      super.addContent(commands.join('\n'));
    }
  };
}
