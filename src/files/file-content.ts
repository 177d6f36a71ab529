import { closeSync, openSync } from 'node:fs';
import { fileTypeFromBuffer } from 'file-type';
import { ByteWindow } from './structure/byte-window.ts';
import { isWholeGif, isWholePng, isWholeWebp } from './structure/image-structure.ts';
import { isWholeJpeg } from './structure/jpeg-structure.ts';
import { opensInPdfium } from './structure/judge-pdf.ts';
import { hasPdfEnd, isPdf, isWholePdf } from './structure/pdf-structure.ts';

interface FileType {
  mimeType: string;
  /** The first one is added to names without a fitting one. */
  extensions: readonly [string, ...string[]];
  isWhole(file: ByteWindow): boolean;
}

/** SPEC Limits: JPEG, PNG, WebP, GIF, PDF; by what file-type calls them. An animated PNG is a PNG. */
const png: FileType = { mimeType: 'image/png', extensions: ['png'], isWhole: isWholePng };
const pdf: FileType = { mimeType: 'application/pdf', extensions: ['pdf'], isWhole: isWholePdf };
const TYPES: Record<string, FileType> = {
  'image/jpeg': { mimeType: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'], isWhole: isWholeJpeg },
  'image/png': png,
  'image/apng': png,
  'image/webp': { mimeType: 'image/webp', extensions: ['webp'], isWhole: isWholeWebp },
  'image/gif': { mimeType: 'image/gif', extensions: ['gif'], isWhole: isWholeGif },
  'application/pdf': pdf,
};
/** The types that may be uploaded. */
export const MIME_TYPES: readonly string[] = [...new Set(Object.values(TYPES).map(({ mimeType }) => mimeType))];
/** Bytes file-type wants to see. */
const HEAD = 4_100;

/** Why a file is not accepted; the key of a message. */
export type Refusal = 'file_type_unknown' | 'file_damaged' | 'pdf_cut_off' | 'pdf_unreadable';

/**
 * The type of a file by its content, or why it is not accepted. Nothing is decoded here, so that no file can expand in memory. A PDF that
 * does not hold to its format is opened by PDFium in a process of its own: what that repairs, people can read.
 * @throws Unavailable if the machine was too busy to open it
 */
export async function recognise(path: string, size: number): Promise<FileType | Refusal> {
  const fd = openSync(path, 'r');
  try {
    const file = new ByteWindow(fd, size);
    const found = await fileTypeFromBuffer(Uint8Array.from(file.at(0, HEAD)));
    const type = found ? TYPES[found.mime] : isPdf(file) ? pdf : undefined;
    if (!type) return 'file_type_unknown';
    if (type.isWhole(file)) return type;
    if (type !== pdf) return 'file_damaged';
    if (!hasPdfEnd(file)) return 'pdf_cut_off';
    return (await opensInPdfium(path)) ? pdf : 'pdf_unreadable';
  } finally {
    closeSync(fd);
  }
}
