import { Readable } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import type { Context } from '../platform/context.ts';
import { asCompanies } from '../platform/database/scope.ts';
import { poolOf } from '../platform/database/sql.ts';
import {
  BadRequest,
  type ErrorItem,
  HaulgateError,
  Invalid,
  Missing,
  TooLarge,
  Unavailable,
  UnsupportedMedia,
} from '../platform/errors.ts';
import type { HttpEndpoint } from '../platform/http/http-endpoints.ts';
import { newId } from '../platform/ids.ts';
import { dropReceived, type Received, receive } from '../platform/storage/incoming.ts';
import { fileStorage, storageIsAway } from '../platform/storage/storage.ts';
import { recognise } from './file-content.ts';
import { safeFileName } from './file-name.ts';
import { PUT_PATH } from './file-url.ts';
import { readSignedId, type SignedId } from './signed-ids.ts';

export interface UploadServices {
  contextFor(req: Request): Promise<Context>;
}

const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** `PUT /v1/direct_uploads/{token}/file`: the bytes of an announced file. */
export const uploadEndpoints: readonly HttpEndpoint<UploadServices>[] = [
  {
    method: 'put',
    path: PUT_PATH,
    handlers: ({ contextFor }) => [takeBytes(contextFor)],
    openapi: {
      operationId: 'PutDirectUpload',
      summary: 'Put direct upload',
      description:
        'The bytes of an announced file. The URL is the one of `direct_upload.url` and requires no token. Size, MD5 and type must be those that were announced; the type is detected from the content. May be repeated.',
      tags: ['files'],
      security: [],
      parameters: [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }],
      requestBody: { required: true, content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
      responses: {
        204: { description: 'Done; no body.' },
        400: error('BadRequest'),
        404: error('NotFound'),
        413: error('PayloadTooLarge'),
        415: error('UnsupportedMediaType'),
        422: error('UnprocessableContent'),
        429: error('TooManyRequests'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

interface Announced {
  filename: string;
  byte_size: number;
  checksum: string;
  content_type: string;
  sha256: string | null;
}

function takeBytes(contextFor: UploadServices['contextFor']): RequestHandler {
  return async (req, res, next) => {
    try {
      // Counts the request. The sender does not matter, because the token says what may be sent.
      const ctx = await contextFor(req);
      const named = readSignedId(ctx.em, 'put', String(req.params.token));
      if (!named) throw new Missing();
      if (!['', 'identity'].includes(req.headers['content-encoding']?.trim().toLowerCase() ?? '')) throw new UnsupportedMedia();
      await asCompanies([named.companyId], () => putBytes(ctx, named, req));
      res.status(204).end();
    } catch (failure) {
      next(failure);
    }
  };
}

/** @throws Missing when nothing was announced under it, or it was attached already; TooLarge, Invalid when something else arrives */
async function putBytes(ctx: Context, { id }: SignedId, req: Request): Promise<void> {
  const pool = await poolOf(ctx.em);
  const found = await pool.query<Announced>(
    'select filename, byte_size, checksum, content_type, sha256 from direct_upload where id = $1 and expires_at > now()',
    [id],
  );
  const announced = found.rows[0];
  if (!announced) throw new Missing();
  const arrived = await receive(ctx.em, Readable.from(limited(req, announced.byte_size)), true).catch((failure) => {
    throw failure instanceof HaulgateError ? failure : brokenOff(req, failure);
  });
  try {
    const { extensions } = await checked(arrived, announced);
    if (announced.sha256 !== null) {
      // The same bytes again; what was accepted is never changed.
      if (announced.sha256 !== arrived.sha256) throw wrong('checksum', 'upload_checksum');
      return;
    }
    const key = newId();
    await fileStorage.of(ctx.em).keep(key, arrived.path, { size: arrived.size, mimeType: announced.content_type }).catch(storageIsAway);
    const { rowCount } = await pool.query(
      'update direct_upload set file_id = $2, file_name = $3, sha256 = $4 where id = $1 and file_id is null',
      [id, key, safeFileName(announced.filename, extensions), arrived.sha256],
    );
    // A twin was faster; both had the same MD5.
    if (rowCount === 0) await fileStorage.of(ctx.em).remove(key);
  } finally {
    await dropReceived(arrived.path);
  }
}

const wrong = (field: string, key: string, params?: ErrorItem['params']) => new Invalid([{ model: 'DirectUpload', field, key, params }]);

async function checked(arrived: Received, announced: Announced): Promise<{ extensions: readonly [string, ...string[]] }> {
  if (arrived.size !== announced.byte_size) throw wrong('byte_size', 'upload_size', { bytes: arrived.size });
  if (arrived.md5 !== announced.checksum) throw wrong('checksum', 'upload_checksum');
  const type = await recognise(arrived.path, arrived.size);
  if (typeof type === 'string') throw wrong('content_type', type);
  if (type.mimeType !== announced.content_type) throw wrong('content_type', 'upload_type', { type: type.mimeType });
  return type;
}

/** Reads no more than was announced. */
async function* limited(req: Request, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLarge();
    yield chunk;
  }
}

/** The client's connection, or our disk. */
const brokenOff = (req: Request, failure: unknown): HaulgateError =>
  req.complete ? new Unavailable(60, failure) : new BadRequest('body_incomplete');
