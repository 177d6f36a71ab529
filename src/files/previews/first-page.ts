import { PDFiumLibrary } from '@hyzyla/pdfium';

/** A picture without compression, four bytes for a pixel: red, green, blue, how much it covers. */
export interface Bitmap {
  width: number;
  height: number;
  data: Uint8Array;
}

/**
 * The first page of a PDF, on white. PDFium runs as WebAssembly: a broken file can overwrite only PDFium's own memory.
 * @param side pixels of the longer side
 * @throws Error when it has no page that can be drawn, such as when it asks for a password
 */
export async function firstPage(pdf: Uint8Array, side: number): Promise<Bitmap> {
  const library = await PDFiumLibrary.init();
  const page = (await library.loadDocument(pdf)).getPage(0);
  const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
  if (!(width > 0 && height > 0 && Number.isFinite(width * height))) throw new Error('a page without an area');
  const scale = side / Math.max(width, height);
  const pixels = (points: number) => Math.max(1, Math.round(points * scale));
  const { data, ...size } = await page.render({ width: pixels(width), height: pixels(height), render: 'bitmap' });
  return { width: size.width, height: size.height, data };
}
