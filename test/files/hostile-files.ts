import { deflateSync } from 'node:zlib';
import { ONE_PAGE, pdfOf } from './sample-pdf.ts';

const stream = (content: string, more = ''): string => `<</Length ${content.length}${more}>>\nstream\n${content}\nendstream`;
const FORM = '/Type/XObject/Subtype/Form/BBox[0 0 612 792]';

/** A PDF of one letter page that is drawn so; the content may call the form X, which is object 5. */
export function drawing(content: string, page = '', forms: readonly string[] = []): Buffer {
  const [catalog, pages] = ONE_PAGE as [string, string];
  const only = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>${page}>>`;
  return pdfOf({ objects: [catalog, pages, only, stream(content), ...forms] });
}

/** A PDF of one kilobyte in which each of nine forms draws the next one twenty times. */
export function laughing(): Buffer {
  const nested = Array.from({ length: 9 }, (_, i) => stream('/X Do '.repeat(20), `${FORM}/Resources<</XObject<</X ${i + 6} 0 R>>>>`));
  return drawing('/X Do', '', [...nested, stream('0 0 9 9 re f', FORM)]);
}

/** A PDF that fills its page so often, from a few kilobytes. */
export function tireless(times: number): Buffer {
  const packed = deflateSync(Buffer.from('0 0 1 rg 0 0 612 792 re f '.repeat(times))).toString('latin1');
  const [catalog, pages] = ONE_PAGE as [string, string];
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>';
  return pdfOf({ objects: [catalog, pages, page, stream(packed, '/Filter/FlateDecode')] });
}

/** A GIF of a few bytes whose screen and image have these sides. */
export function flood(side: number): Buffer {
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
  const image = gif.indexOf(0x2c, 20);
  for (const at of [6, 8, image + 5, image + 7]) gif.writeUInt16LE(side, at);
  return gif;
}
