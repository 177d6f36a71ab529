import { normalize } from '../platform/normalize.ts';

/** Longest name we keep, in UTF-16 units; file systems stop at 255 bytes. */
const LONGEST = 120;

/**
 * A name that is safe to show and to save under: the last part of a path, without control, formatting (bidirectional) and reserved
 * characters, with an extension that fits the content. We never use it as a path or key.
 * @param extensions of the content's type, the preferred one first
 */
export function safeFileName(given: string | undefined, extensions: readonly [string, ...string[]]): string {
  const last = normalize((given ?? '').toWellFormed(), 'NFC')
    .split(/[/\\]/)
    .at(-1)!;
  const clean = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD<>:"|?*]/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, '');
  const dot = clean.lastIndexOf('.');
  const extension = dot > 0 ? clean.slice(dot + 1).toLowerCase() : '';
  const fits = extensions.includes(extension);
  const stem = shorten(fits ? clean.slice(0, dot) : clean, LONGEST - 8);
  return `${stem || 'file'}.${fits ? clean.slice(dot + 1) : extensions[0]}`;
}

/** The file name of a preview. */
export const previewName = (fileName: string): string => `${fileName.replace(/\.[^.]*$/, '')}-preview.jpg`;

/** `attachment` with a plain name for old clients and the true one for all others (RFC 6266, RFC 8187). */
export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Cuts between characters, not inside a surrogate pair. */
function shorten(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
