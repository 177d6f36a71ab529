import { deflateSync } from 'node:zlib';

export interface PdfOptions {
  /** Bodies of the objects, the first is number 1; a page by default. */
  objects?: readonly string[];
  /** Number of the catalog. */
  root?: number;
  /** More of the trailer. */
  trailer?: string;
  /** References in a stream, with these differences between its rows; all objects but the last packed in a stream. */
  packed?: boolean;
}

export const ONE_PAGE = [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
];

/** A PDF of these objects, its references in a table, or all of it packed as newer writers do. */
export function pdfOf(options: PdfOptions = {}): Buffer {
  return options.packed ? packed(options) : plain(options);
}

function plain({ objects = ONE_PAGE, root = 1, trailer = '' }: PdfOptions): Buffer {
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const places: number[] = [];
  for (const [i, object] of objects.entries()) {
    places.push(text.length);
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = text.length;
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<</Size ${objects.length + 1}/Root ${root} 0 R${trailer}>>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

function packed({ objects = ONE_PAGE, root = 1, trailer = '' }: PdfOptions): Buffer {
  const [pack, xref] = [objects.length + 1, objects.length + 2];
  let body = '';
  const pairs = objects.map((object, i) => {
    const pair = `${i + 1} ${body.length}`;
    body += `${object} `;
    return pair;
  });
  const head = `${pairs.join(' ')} `;
  const stream = deflateSync(Buffer.from(head + body, 'latin1')).toString('latin1');
  let text = '%PDF-1.5\n%\xe2\xe3\xcf\xd3\n';
  const at = text.length;
  text += `${pack} 0 obj\n<</Type/ObjStm/N ${objects.length}/First ${head.length}/Filter/FlateDecode/Length ${stream.length}>>\nstream\n${stream}\nendstream\nendobj\n`;
  const start = text.length;
  const rows = [[0, 0, 0], ...objects.map((_, i) => [2, pack, i]), [1, at, 0], [1, start, 0]];
  const plainRows = rows.map(([type, second, third]) => [type!, second! >> 8, second! & 255, third!]);
  // Each row less the one above it, as most writers leave them (PNG's filter 2).
  const coded = plainRows.flatMap((row, i) => [2, ...row.map((byte, k) => (byte - (i === 0 ? 0 : plainRows[i - 1]![k]!)) & 255)]);
  const references = deflateSync(Buffer.from(coded)).toString('latin1');
  text += `${xref} 0 obj\n<</Type/XRef/Size ${rows.length}/W[1 2 1]/Root ${root} 0 R/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>/Length ${references.length}${trailer}>>\nstream\n${references}\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
