import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A mail as its reader sees it. */
export interface Email {
  headers: Record<string, string>;
  to: string;
  subject: string;
  text: string;
  /** Of what is attached as base64: its bytes, which need not be a text. */
  bytes?: Buffer;
}

/** Returns the complete files of a folder, oldest first: their names are ids that sort by time. */
export async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return Promise.all(
    names
      .filter((name) => !name.endsWith('.part'))
      .sort()
      .map((name) => readFile(join(folder, name), 'utf8')),
  );
}

/** Reads a plain mail: folded headers, encoded words, quoted-printable, base64. */
export function parseEmail(source: string): Email {
  const at = /\r?\n\r?\n/.exec(source)!;
  const head = source.slice(0, at.index).replace(/\r?\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    head.split(/\r?\n/).map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = source.slice(at.index + at[0].length);
  const encoding = headers['content-transfer-encoding'];
  const bytes = encoding === 'base64' ? Buffer.from(body, 'base64') : undefined;
  const text = encoding === 'quoted-printable' ? unquote(body.replace(/=\r?\n/g, '')) : (bytes?.toString('utf8') ?? body);
  return { headers, to: headers.to ?? '', subject: words(headers.subject ?? ''), text: text.replace(/\r\n/g, '\n'), bytes };
}

function words(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, how: string, inner: string) =>
      how.toLowerCase() === 'b' ? Buffer.from(inner, 'base64').toString('utf8') : unquote(inner.replaceAll('_', ' ')),
    );
}

function unquote(text: string): string {
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
}
