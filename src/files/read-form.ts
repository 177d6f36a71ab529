import type { Readable } from 'node:stream';
import { type BusboyHeaders, Busboy as Parser } from '@fastify/busboy';
import type { Request } from 'express';
import type { Context } from '../platform/context.ts';
import { BadRequest, type ErrorItem, Invalid, Unavailable } from '../platform/errors.ts';
import { REPLACEMENT } from '../platform/http/rest/form.ts';
import { requireType } from '../platform/http/rest/negotiation.ts';
import { dropReceived, type Received, receive } from '../platform/storage/incoming.ts';

/** SPEC Limits: 10 MB. In bytes. */
export const FILE_LIMIT = 10 * 1024 * 1024;
/** Bytes of a text field. */
const FIELD_LIMIT = 64 * 1024;
const PARTS_LIMIT = 20;

/** A form that arrived completely, with its file in the incoming folder: the code that gets it keeps the file or drops it. */
export interface UploadForm {
  fields: Map<string, string>;
  file?: Received & { name: string | undefined };
  /** The problems with the form as such. */
  items: ErrorItem[];
}

/** The record that a form is about, if it is not an attachment. */
export interface FormKind {
  /** Type name for error items. */
  model: string;
  /** Name of the part that is the file. */
  file: string;
  /** Bytes of the file. */
  limit: number;
  /** Whether the file's MD5 is wanted. */
  md5?: boolean;
}

const ATTACHMENT: FormKind = { model: 'FileAttachment', file: 'file', limit: FILE_LIMIT };

/**
 * Reads a multipart form with one file, in whatever order its parts come. The file goes to the incoming folder as it arrives; when anything
 * fails, nothing of it stays. What arrives after an error is discarded unread.
 * @param known names of the text fields
 * @throws UnsupportedMedia for anything but multipart/form-data; BadRequest for a form that cannot be read or breaks off; Invalid for a
 *   file over the limit, as soon as it is
 */
export async function readForm({ em }: Context, req: Request, known: readonly string[], kind = ATTACHMENT): Promise<UploadForm> {
  requireType(req, 'multipart/form-data');
  const item = (field: string, key: string, params?: ErrorItem['params']): ErrorItem => ({ model: kind.model, field, key, params });
  const form: UploadForm = { fields: new Map(), items: [] };
  let arriving: Promise<Received | Error> | undefined;
  let stream: (Readable & { truncated?: boolean }) | undefined;
  let name: string | undefined;
  try {
    const parser = parserOf(req, kind.limit);
    await new Promise<void>((resolve, reject) => {
      parser.on('file', (field, part, fileName) => {
        // A part that fails makes the parser fail too, which is where the error is reported.
        part.on('error', reject);
        if (field !== kind.file || arriving) {
          form.items.push(item(field, field === kind.file ? 'given_twice' : 'unknown_field'));
          part.resume();
          return;
        }
        stream = part;
        name = fileName;
        part.on('limit', () => reject(new Invalid([item(kind.file, 'file_too_large', { limit: kind.limit / 1024 / 1024 })])));
        arriving = receive(em, part, kind.md5).catch((error: Error) => error);
      });
      parser.on('field', (field, value, _nameCut, cut) => {
        if (field === kind.file) form.items.push(item(field, 'file_not_uploaded'));
        else if (!known.includes(field)) form.items.push(item(field, 'unknown_field'));
        else if (form.fields.has(field)) form.items.push(item(field, 'given_twice'));
        else if (value.includes(REPLACEMENT)) form.items.push(item(field, 'form_text_not_utf8'));
        else if (cut) form.items.push(item(field, 'wrong_length', { min: 0, max: FIELD_LIMIT }));
        form.fields.set(field, value);
      });
      parser.on('partsLimit', () => reject(new BadRequest('form_malformed')));
      parser.on('error', reject);
      parser.on('finish', resolve);
      req.on('close', () => {
        if (!req.complete) reject(new BadRequest('body_incomplete'));
      });
      req.pipe(parser);
    });
    const arrived = await arriving;
    if (arrived instanceof Error) throw arrived;
    if (arrived) form.file = { ...arrived, name };
    return form;
  } catch (error) {
    req.unpipe();
    req.resume();
    stream?.destroy(new Error('the form failed'));
    const arrived = await arriving;
    if (arrived && !(arrived instanceof Error)) await dropReceived(arrived.path);
    throw readable(error);
  }
}

function parserOf(req: Request, fileSize: number) {
  const limits = {
    fileSize,
    fieldSize: FIELD_LIMIT,
    fieldNameSize: 100,
    parts: PARTS_LIMIT,
    headerPairs: 50,
    headerSize: 16_384,
  };
  // Only this header decides; busboy's type wants it to be certain, which requireType made it.
  return new Parser({ headers: { 'content-type': req.headers['content-type'] } as BusboyHeaders, limits });
}

/** Errors of ours as they are; of the operating system, such as a full disk, 503; the parser's own words become 400. */
function readable(error: unknown): unknown {
  if (error instanceof Invalid || error instanceof BadRequest) return error;
  if (error instanceof Error && 'code' in error && 'syscall' in error) return new Unavailable(60, error);
  return new BadRequest('form_malformed');
}
