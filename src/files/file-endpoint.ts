import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { find, viewerOf } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { Unavailable } from '../platform/errors.ts';
import type { PlainEndpoint } from '../platform/http/plain.ts';
import { storage } from '../platform/storage/storage.ts';
import { FileAttachment } from './file-attachment.entity.ts';
import { contentDisposition } from './file-name.ts';
import { FILE_PATH } from './file-url.ts';

export interface FileServices {
  contextFor(req: Request): Promise<Context>;
}

/** `GET /v1/file_attachments/{id}/file`: an attachment's bytes, to be saved and never to be run by a browser. */
export const fileEndpoints: readonly PlainEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: FILE_PATH,
    handlers: ({ contextFor }) => [serveFile(contextFor)],
    openapi: {
      operationId: 'GetFileAttachmentBytes',
      summary: 'Get file attachment bytes',
      description: 'The file itself. `Content-Disposition` carries its name; the type is the one found in the content.',
      tags: ['files'],
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      responses: {
        200: { description: 'Success', content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
        401: { $ref: '#/components/responses/Unauthorized' },
        404: { $ref: '#/components/responses/NotFound' },
        503: { $ref: '#/components/responses/ServiceUnavailable' },
      },
    },
  },
];

function serveFile(contextFor: FileServices['contextFor']): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      viewerOf(ctx);
      const file = await find(ctx, FileAttachment, String(req.params.id));
      const bytes = req.method === 'HEAD' ? undefined : await opened(file.id);
      res.set({
        'Content-Type': file.mimeType,
        'Content-Length': String(file.byteSize),
        'Content-Disposition': contentDisposition(file.fileName),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cross-Origin-Resource-Policy': 'same-origin',
        // Of a company, for one viewer: no shared cache may keep it.
        'Cache-Control': 'private, no-cache',
      });
      if (!bytes) return void res.end();
      await pipeline(bytes, res);
    } catch (error) {
      // What broke off while the bytes were going out cannot be told any more; the length that is missing tells it.
      if (res.headersSent) res.destroy();
      else next(error);
    }
  };
}

/** @throws Unavailable when the storage does not give the bytes: the row says that they are there */
const opened = (id: string) =>
  storage()
    .read(id)
    .catch((error) => {
      throw new Unavailable(5, error);
    });
