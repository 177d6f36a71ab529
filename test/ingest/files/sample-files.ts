import { crc32, deflateSync } from 'node:zlib';
import { pdfOf } from '../../files/sample-pdf.ts';

/** Smallest files that truly are of the allowed types, and files that only look like it. */

const segment = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
};

/** A gray JPEG; `exif` is put into its Exif segment. */
export function jpeg(options: { exif?: string; width?: number; height?: number; pad?: number } = {}): Buffer {
  const { width = 8, height = 8, exif, pad = 0 } = options;
  const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...(exif ? [segment(0xe1, Buffer.from(`Exif\0\0${exif}`, 'latin1'))] : []),
    ...Array.from({ length: Math.ceil(pad / 60_000) }, () => segment(0xfe, Buffer.alloc(60_000, 0x20))),
    segment(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segment(0xc0, frame),
    segment(0xc4, Buffer.concat([Buffer.from([0, 0, 1, ...Array(14).fill(0)]), Buffer.from([0])])),
    segment(0xc4, Buffer.concat([Buffer.from([0x10, 1, ...Array(15).fill(0)]), Buffer.from([0])])),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x2b, 0xff, 0x00, 0x7f, 0xff, 0xd9]),
  ]);
}

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
};

/** A gray PNG that says it has these sides, whatever its data hold. */
export function png(options: { width?: number; height?: number; note?: Buffer } = {}): Buffer {
  const { width = 1, height = 1, note } = options;
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(note ? [chunk('tEXt', note)] : []),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const gif = (): Buffer => Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
export const webp = (): Buffer => Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');

/** A PDF of one empty page. */
export const pdf = (): Buffer => pdfOf();

/** An empty zip archive. */
export const zip = (): Buffer => Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1');
/** The test file of virus scanners, which is harmless; in halves, so that none takes these sources away. */
export const eicar = (): Buffer => Buffer.from(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*'].join(''));

/** Files that must be refused: name, content, message. */
export const REFUSED: [string, Buffer, 'unknown' | 'damaged' | 'empty' | 'cut' | 'unreadable'][] = [
  ['an empty file', Buffer.alloc(0), 'empty'],
  ['a text', Buffer.from('ORD-1 was here'), 'unknown'],
  ['a web page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'unknown'],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'unknown'],
  ['a zip archive', zip(), 'unknown'],
  ['the EICAR file', eicar(), 'unknown'],
  ['a program', Buffer.from(`\x7fELF\x02\x01\x01${'\0'.repeat(60)}`, 'latin1'), 'unknown'],
  ['a PHP script', Buffer.from('<?php system($_GET["c"]); ?>'), 'unknown'],
  ['a TIFF', Buffer.from('II*\0\x08\0\0\0\0\0', 'latin1'), 'unknown'],
  ['a PDF behind more than readers skip', Buffer.concat([Buffer.alloc(2_000, ' '), pdf()]), 'unknown'],
  ['a web page that begins like a GIF', Buffer.from('GIF89a<script>alert(1)</script>'), 'damaged'],
  ['a JPEG header with a script behind', Buffer.concat([jpeg().subarray(0, 20), Buffer.from('<?php ?>')]), 'damaged'],
  ['half a JPEG', jpeg().subarray(0, -2), 'damaged'],
  ['a JPEG of a header only', Buffer.from([0xff, 0xd8, 0xff, 0xd9]), 'damaged'],
  ['half a PNG', png().subarray(0, -12), 'damaged'],
  ['a PNG with an archive behind', Buffer.concat([png(), zip()]), 'damaged'],
  ['a PNG whose header was changed', Buffer.from(png()).fill(9, 20, 21), 'damaged'],
  ['a PNG of 60,000 by 60,000 pixels', png({ width: 60_000, height: 60_000 }), 'damaged'],
  ['a PNG of 15,000 by 15,000 pixels with data for one', png({ width: 15_000, height: 15_000 }), 'damaged'],
  ['a PNG without pixels', png({ width: 0 }), 'damaged'],
  ['a JPEG of 65,535 by 65,535 pixels', jpeg({ width: 65_535, height: 65_535 }), 'damaged'],
  ['half a GIF', gif().subarray(0, -1), 'damaged'],
  ['a GIF with an archive behind', Buffer.concat([gif(), zip()]), 'damaged'],
  ['half a WebP', webp().subarray(0, -4), 'damaged'],
  ['a WebP with a script behind', Buffer.concat([webp(), Buffer.from('<?php ?>')]), 'damaged'],
  ['half a PDF', pdf().subarray(0, 120), 'cut'],
  ['a PDF without its table', Buffer.from('%PDF-1.4\nstartxref\n3\n%%EOF\n'), 'unreadable'],
  ['a PDF without objects', pdfOf({ objects: [] }), 'unreadable'],
  ['a PDF without pages', pdfOf({ objects: ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>'] }), 'unreadable'],
  ['a JPEG larger than its data could be', jpeg({ width: 9_000, height: 9_000 }), 'damaged'],
];
