import { readFileSync } from 'node:fs';
import { UNREADABLE } from '../bounded-process.ts';
import { loadPdfium, withBytes } from '../merging/pdfium.ts';

// Run by judge-pdf.ts, for one file: its bytes come in, and the way in which it ends is the verdict.

/** The last error of PDFium, for a file that asks for a password (fpdfview.h). */
const PASSWORD = 4;
/** Pages that are opened; a file of ten megabytes rarely has more. */
const MOST_PAGES = 2_000;

const bytes = readFileSync(0);
const pdfium = await loadPdfium();
try {
  process.exitCode = withBytes(pdfium, bytes, opens) ? 0 : UNREADABLE;
} catch {
  // PDFium ran out of its memory, or gave up.
  process.exitCode = UNREADABLE;
}

/** Whether every page opens. @param at the address of the file's bytes */
function opens(at: number): boolean {
  const document = pdfium._FPDF_LoadMemDocument(at, bytes.length, 0);
  // Whoever has the password opens it.
  if (document === 0) return pdfium._FPDF_GetLastError() === PASSWORD;
  const pages = Math.min(pdfium._FPDF_GetPageCount(document), MOST_PAGES);
  for (let index = 0; index < pages; index++) {
    const page = pdfium._FPDF_LoadPage(document, index);
    if (page === 0) return false;
    pdfium._FPDF_ClosePage(page);
  }
  return pages > 0;
}
