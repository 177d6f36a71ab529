import { PDFiumLibrary } from '@hyzyla/pdfium';

/** The part of it that is used here; Node's types leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: Record<string, unknown> };
};

/** Functions of PDFium that make documents (fpdfview.h, fpdf_edit.h, fpdf_ppo.h, fpdf_save.h); numbers are addresses of its memory. */
export interface Pdfium {
  HEAPU8: Uint8Array;
  HEAP32: Int32Array;
  wasmExports: { __indirect_function_table: { set(index: number, value: unknown): void } };
  _malloc(size: number): number;
  _free(at: number): void;
  _FPDF_GetLastError(): number;
  _FPDF_CreateNewDocument(): number;
  _FPDF_LoadMemDocument(bytes: number, size: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_ImportPagesByIndex(to: number, from: number, indices: number, length: number, at: number): number;
  _FPDF_SaveAsCopy(document: number, writer: number, flags: number): number;
  _FPDFPage_New(document: number, index: number, width: number, height: number): number;
  _FPDFPage_Delete(document: number, index: number): void;
  _FPDFPage_SetRotation(page: number, quarters: number): void;
  _FPDFPage_InsertObject(page: number, object: number): void;
  _FPDFPage_GenerateContent(page: number): number;
  _FPDFPageObj_NewImageObj(document: number): number;
  _FPDFPageObj_NewTextObj(document: number, font: number, size: number): number;
  _FPDFPageObj_Transform(object: number, a: number, b: number, c: number, d: number, e: number, f: number): void;
  _FPDFImageObj_LoadJpegFileInline(pages: number, count: number, image: number, access: number): number;
  _FPDFText_SetText(text: number, utf16: number): number;
}

/** Loads PDFium, with its functions that write. */
export async function loadPdfium(): Promise<Pdfium> {
  const library = await PDFiumLibrary.init();
  // The module that the library wraps; the library itself offers only what draws pages.
  return (library as unknown as { module: Pdfium }).module;
}

/** Bytes in PDFium's memory while `use` runs. */
export function withBytes<T>(pdfium: Pdfium, bytes: Uint8Array, use: (at: number) => T): T {
  const at = pdfium._malloc(Math.max(bytes.length, 1));
  if (at === 0) throw new Error('no memory');
  pdfium.HEAPU8.set(bytes, at);
  try {
    return use(at);
  } finally {
    pdfium._free(at);
  }
}

/** 32-bit words in PDFium's memory while `use` runs. */
export const withWords = <T>(pdfium: Pdfium, words: readonly number[], use: (at: number) => T): T =>
  withBytes(pdfium, new Uint8Array(Int32Array.from(words).buffer), use);

/**
 * Lets PDFium call `act` by the address 0 while `use` runs: its table of functions has a fixed length, and this place in it is the null
 * pointer's, which nothing else may call.
 * @param act its arguments and what it answers are 32-bit numbers
 */
export function calledBack<T>(pdfium: Pdfium, act: (...args: number[]) => number, use: (address: 0) => T): T {
  const table = pdfium.wasmExports.__indirect_function_table;
  table.set(0, asWasm(act));
  try {
    return use(0);
  } finally {
    table.set(0, null);
  }
}

/** A function of JavaScript as one of WebAssembly: a module that imports and exports it (WebAssembly 1.0, section 5.5). */
function asWasm(act: (...args: number[]) => number): unknown {
  const I32 = 0x7f;
  const length = act.length;
  const type = [1, 0x60, length, ...Array<number>(length).fill(I32), 1, I32];
  const header = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const imported = [1, 1, 0x65, 1, 0x66, 0, 0];
  const exported = [1, 1, 0x66, 0, 0];
  const bytes = [...header, 1, type.length, ...type, 2, imported.length, ...imported, 7, exported.length, ...exported];
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes)), { e: { f: act } }).exports.f;
}
