import { calledBack, loadPdfium, type Pdfium, withBytes, withWords } from './pdfium.ts';

/** Why a file has no pages in the book. */
export type Unmerged = 'locked' | 'damaged' | 'too_long';

/** Pages of a book. */
const MOST_PAGES = 10_000;
/** Bytes of PDFium's memory after which nothing more is put into the book. */
const MOST_MEMORY = 600 * 1024 * 1024;
/** Of US letter paper, in points (1/72 inch), upright. */
const PAPER = { width: 612, height: 792 };
/** Points of a pixel where a page is not smaller than the paper: 96 to the inch. */
const PIXEL = 0.75;
const MARGIN = 54;
const TEXT = 10;
const LINE = 14;
/** FPDF_ERR_PASSWORD */
const PASSWORD = 4;

/** A PDF that grows page by page. PDFium runs as WebAssembly: a broken file can overwrite only PDFium's own memory. */
export class PdfBook {
  readonly #pdfium: Pdfium;
  readonly #document: number;

  private constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
    this.#document = pdfium._FPDF_CreateNewDocument();
  }

  static async begin(): Promise<PdfBook> {
    return new PdfBook(await loadPdfium());
  }

  /** Appends all pages of a PDF, or none. */
  addPdf(pdf: Uint8Array): Unmerged | undefined {
    if (this.#isFull()) return 'too_long';
    return withBytes(this.#pdfium, pdf, (at) => {
      const from = this.#pdfium._FPDF_LoadMemDocument(at, pdf.length, 0);
      if (from === 0) return this.#pdfium._FPDF_GetLastError() === PASSWORD ? 'locked' : 'damaged';
      try {
        return this.#append(from);
      } finally {
        this.#pdfium._FPDF_CloseDocument(from);
      }
    });
  }

  /**
   * Appends a page of the shape of an image, no larger than US letter paper.
   * @param jpeg kept as it is; grey or RGB
   * @param quarters how many quarter turns to the right it is shown with
   */
  addJpeg(jpeg: Uint8Array, size: { width: number; height: number }, quarters = 0): Unmerged | undefined {
    if (this.#isFull()) return 'too_long';
    const sides = [size.width, size.height];
    const scale = Math.min(PIXEL, PAPER.height / Math.max(...sides), PAPER.width / Math.min(...sides));
    const [width, height] = [Math.max(3, size.width * scale), Math.max(3, size.height * scale)];
    const pdfium = this.#pdfium;
    const image = pdfium._FPDFPageObj_NewImageObj(this.#document);
    const block = (_: number, from: number, to: number, length: number) => {
      pdfium.HEAPU8.set(jpeg.subarray(from, from + length), to);
      return 1;
    };
    // FPDF_FILEACCESS: length, a function that gets a block, and its argument.
    const loaded = calledBack(pdfium, block, (address) =>
      withWords(pdfium, [jpeg.length, address, 0], (access) => pdfium._FPDFImageObj_LoadJpegFileInline(0, 0, image, access)),
    );
    if (!loaded) return 'damaged';
    pdfium._FPDFPageObj_Transform(image, width, 0, 0, height, 0, 0);
    const page = pdfium._FPDFPage_New(this.#document, this.#pages(), width, height);
    pdfium._FPDFPage_InsertObject(page, image);
    pdfium._FPDFPage_SetRotation(page, quarters);
    this.#finish(page);
    return undefined;
  }

  /** Appends pages of text, a line each; only what Windows-1252 has can be shown. */
  addText(lines: readonly string[]): void {
    const most = Math.floor((PAPER.height - 2 * MARGIN) / LINE);
    for (let i = 0; i < lines.length; i += most) this.#addTextPage(lines.slice(i, i + most));
  }

  /** Writes the document, part by part. */
  write(take: (part: Uint8Array) => void): void {
    const pdfium = this.#pdfium;
    const block = (_: number, from: number, length: number) => {
      take(pdfium.HEAPU8.subarray(from, from + length));
      return 1;
    };
    // FPDF_FILEWRITE: its version, how to write a block.
    const saved = calledBack(pdfium, block, (address) =>
      withWords(pdfium, [1, address], (writer) => pdfium._FPDF_SaveAsCopy(this.#document, writer, 0)),
    );
    if (!saved) throw new Error('the document could not be written');
  }

  #append(from: number): Unmerged | undefined {
    const pdfium = this.#pdfium;
    const [before, count] = [this.#pages(), pdfium._FPDF_GetPageCount(from)];
    if (count < 1) return 'damaged';
    if (before + count > MOST_PAGES) return 'too_long';
    for (let i = 0; i < count; i++) {
      const page = pdfium._FPDF_LoadPage(from, i);
      if (page === 0) return 'damaged';
      pdfium._FPDF_ClosePage(page);
    }
    if (pdfium._FPDF_ImportPagesByIndex(this.#document, from, 0, 0, before)) return undefined;
    while (this.#pages() > before) pdfium._FPDFPage_Delete(this.#document, this.#pages() - 1);
    return 'damaged';
  }

  #addTextPage(lines: readonly string[]): void {
    const pdfium = this.#pdfium;
    const page = pdfium._FPDFPage_New(this.#document, this.#pages(), PAPER.width, PAPER.height);
    for (const [i, line] of lines.entries()) {
      // PDFium ends the process over an empty text.
      if (line === '') continue;
      const text = withBytes(pdfium, Buffer.from('Helvetica\0'), (font) => pdfium._FPDFPageObj_NewTextObj(this.#document, font, TEXT));
      withBytes(pdfium, Buffer.from(`${line}\0`, 'utf16le'), (at) => pdfium._FPDFText_SetText(text, at));
      pdfium._FPDFPageObj_Transform(text, 1, 0, 0, 1, MARGIN, PAPER.height - MARGIN - LINE * (i + 1));
      pdfium._FPDFPage_InsertObject(page, text);
    }
    this.#finish(page);
  }

  #finish(page: number): void {
    if (!this.#pdfium._FPDFPage_GenerateContent(page)) throw new Error('a page could not be made');
    this.#pdfium._FPDF_ClosePage(page);
  }

  readonly #pages = (): number => this.#pdfium._FPDF_GetPageCount(this.#document);
  readonly #isFull = (): boolean => this.#pages() >= MOST_PAGES || this.#pdfium.HEAPU8.length >= MOST_MEMORY;
}
