import { PDFiumLibrary } from '@hyzyla/pdfium';

/** The texts of a PDF, page by page, as another program than ours reads them. */
export async function pagesOf(pdf: Uint8Array): Promise<string[]> {
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(pdf);
  try {
    return [...document.pages()].map((page) => page.getText().replaceAll('\u00a0', ' '));
  } finally {
    document.destroy();
    library.destroy();
  }
}
