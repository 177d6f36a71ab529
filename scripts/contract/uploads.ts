import { createHash } from 'node:crypto';
import { pdfOf } from '../../test/files/sample-pdf.ts';
import { jpeg, png } from '../../test/ingest/files/sample-files.ts';

const KML = '<kml><Placemark><name>Contract</name><Point><coordinates>-97.5,30.25</coordinates></Point></Placemark></kml>';

/** Returns a body as the form that the contract accepts: files are files, of the required type. */
export function formOf(path: string, body: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(body)) {
    if (['file', 'image', 'logo', 'pdf'].includes(field)) form.append(field, ...fileFor(path));
    else form.append(field, String(value));
  }
  return form;
}

/** Returns what a direct upload announces of a file. */
export function announcement(): object {
  const bytes = png();
  const checksum = createHash('md5').update(bytes).digest('base64');
  return { filename: 'contract.png', byte_size: bytes.length, checksum, content_type: 'image/png', metadata: {} };
}

function fileFor(path: string): [Blob, string] {
  if (path.endsWith('/kml_files')) return [new Blob([KML]), 'contract.kml'];
  if (path.endsWith('/email_settlement')) return [new Blob([new Uint8Array(pdfOf())]), 'contract.pdf'];
  if (path.includes('/tickets/')) return [new Blob([new Uint8Array(jpeg())]), 'contract.jpg'];
  return [new Blob([new Uint8Array(png())]), 'contract.png'];
}
