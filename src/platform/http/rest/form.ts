import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { Request } from 'express';
import type { Context } from '../../context.ts';
import { BadRequest, type ErrorItem, Invalid, TooLarge } from '../../errors.ts';
import { readBody } from './body.ts';

const FORM = 'multipart/form-data';

/** A form that was taken in: its fields, the upload among them by the text that JSON clients name it with. */
export interface TakenForm {
  value: Record<string, string>;
  /** The same with the file's hash, which distinguishes a form that is sent twice from another one. */
  fingerprint: Record<string, string>;
  /** Once the answer is known: forgets a file that nothing was made of. */
  settle(): Promise<void>;
}

/** Takes in the multipart form of an operation with an upload. */
export type TakeForm = (
  req: Request,
  ctx: Context,
  form: { upload: string; fields: readonly string[]; required: boolean; model: string },
) => Promise<TakenForm>;

/** Bytes of a text that is no file. */
const TEXT_LIMIT = 64 * 1024;
/** The character that a decoder writes for bytes that are no UTF-8. Stored, it would show that something was lost, but not what. */
export const REPLACEMENT = '\uFFFD';

/** Whether a body says that it is a form. */
export const isForm = (req: Request): boolean => (req.headers['content-type'] ?? '').toLowerCase().startsWith(`${FORM};`);

/**
 * A form of texts and files as the object that JSON would be: a file is its text, and `file_name` is next to `file`. For small texts only:
 * everything is held in memory.
 * @param limit bytes of the whole body
 * @param model the record that errors of it are about
 * @throws TooLarge, BadRequest when it cannot be read, or a file is not UTF-8; Invalid with every part that would lose something
 */
export async function readFormBody(req: Request, limit: number, model: string): Promise<Record<string, string>> {
  const bytes = await readBody(req, limit, FORM);
  const fields: Record<string, string> = Object.create(null);
  const items: ErrorItem[] = [];
  const taken = new Set<string>();
  const take = (name: string, value: string) => {
    if (taken.has(name)) items.push({ model, field: name, key: 'given_twice' });
    taken.add(name);
    fields[name] = value;
  };
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new BadRequest('form_malformed'));
    try {
      // Only this header decides; the parser's type wants it to be certain, which isForm made it.
      const parser = new Busboy({
        headers: { 'content-type': req.headers['content-type'] } as BusboyHeaders,
        limits: { parts: 20, fieldSize: TEXT_LIMIT, fieldNameSize: 100, fileSize: limit },
      });
      parser.on('field', (name, value, _nameCut, cut) => {
        if (value.includes(REPLACEMENT)) items.push({ model, field: name, key: 'form_text_not_utf8' });
        else if (cut) items.push({ model, field: name, key: 'wrong_length', params: { min: 0, max: TEXT_LIMIT } });
        take(name, value);
      });
      parser.on('file', (name, part, fileName) => {
        if (fileName) fields[`${name}_name`] ??= fileName;
        const chunks: Buffer[] = [];
        part.on('data', (chunk: Buffer) => chunks.push(chunk));
        part.on('limit', () => reject(new TooLarge()));
        part.on('error', fail);
        part.on('end', () => {
          try {
            take(name, new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
          } catch {
            reject(new BadRequest('body_not_utf8'));
          }
        });
      });
      parser.on('partsLimit', fail);
      parser.on('error', fail);
      parser.on('finish', resolve);
      parser.end(bytes);
    } catch {
      fail();
    }
  });
  if (items.length > 0) throw new Invalid(items);
  return { ...fields };
}
