import type { ByteWindow } from './byte-window.ts';

/** Bytes at the end in which `startxref` and `%%EOF` stand. */
const TAIL = 1_024;

/**
 * Header at the first byte, and at the end `startxref` with the place of a cross-reference table or stream, `%%EOF`, and nothing but
 * blanks (ISO 32000-2, 7.5). Readers repair worse, but what is cut off or has something else appended is not what was scanned.
 */
export function isWholePdf(file: ByteWindow): boolean {
  if (!/^%PDF-\d\.\d/.test(file.at(0, 8).toString('latin1'))) return false;
  const from = Math.max(0, file.size - TAIL);
  const end = /startxref\s+(\d{1,10})\s+%%EOF[\s\0]*$/.exec(file.at(from, TAIL).toString('latin1'));
  if (!end) return false;
  const at = Number(end[1]);
  return at > 0 && at < file.size && /^\s*(xref\s|\d+\s+\d+\s+obj)/.test(file.at(at, 64).toString('latin1'));
}
