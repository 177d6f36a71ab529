import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { find, viewerOf } from '../platform/authz/authorization.ts';
import type { Context } from '../platform/context.ts';
import { Missing, Unavailable } from '../platform/errors.ts';
import type { HttpEndpoint } from '../platform/http/http-endpoints.ts';
import { fileStorage } from '../platform/storage/storage.ts';
import { FileAttachment } from './file-attachment.entity.ts';
import { contentDisposition, previewName } from './file-name.ts';
import { FILE_PATH, PREVIEW_PATH } from './file-url.ts';

export interface FileServices {
  contextFor(req: Request): Promise<Context>;
}

/** An attachment's bytes and its preview, to be saved and never to be run by a browser. */
export const fileEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: FILE_PATH,
    handlers: ({ contextFor }) => [serveStored(contextFor, attached)],
    openapi: storedFile({
      id: 'GetFileAttachmentBytes',
      summary: 'Get file attachment bytes',
      description: 'The file itself. `Content-Disposition` has its name; the type was detected from the content.',
      tag: 'files',
    }),
  },
  {
    method: 'get',
    path: PREVIEW_PATH,
    handlers: ({ contextFor }) => [serveStored(contextFor, preview)],
    openapi: storedFile({
      id: 'GetFileAttachmentPreview',
      summary: 'Get file attachment preview',
      description: 'The image at `preview_url`: the file, or its first page, reduced to at most 1,024 pixels; 404 if there is none.',
      tag: 'files',
    }),
  },
];

/** The OpenAPI operation of an endpoint that serves stored bytes by the id in its path. */
export function storedFile(fields: { id: string; summary: string; description: string; tag: string }): Record<string, unknown> {
  return {
    operationId: fields.id,
    summary: fields.summary,
    description: fields.description,
    tags: [fields.tag],
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
    responses: {
      200: { description: 'Success', content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } },
      401: { $ref: '#/components/responses/Unauthorized' },
      404: { $ref: '#/components/responses/NotFound' },
      503: { $ref: '#/components/responses/ServiceUnavailable' },
    },
  };
}

/** A stored file, and how it is served. */
export interface StoredFile {
  key: string;
  mimeType: string;
  byteSize: number;
  fileName: string;
}

/** Serves stored bytes to be saved and never run. @param named finds them for the viewer, by the path's id */
export function serveStored(
  contextFor: FileServices['contextFor'],
  named: (ctx: Context, id: string) => Promise<StoredFile>,
): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      viewerOf(ctx);
      const file = await named(ctx, String(req.params.id));
      const bytes = req.method === 'HEAD' ? undefined : await opened(ctx, file.key);
      res.set({
        'Content-Type': file.mimeType,
        'Content-Length': String(file.byteSize),
        'Content-Disposition': contentDisposition(file.fileName),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cross-Origin-Resource-Policy': 'same-origin',
        // It belongs to a company and is answered to one viewer: no shared cache may keep it.
        'Cache-Control': 'private, no-cache',
      });
      if (!bytes) return void res.end();
      await pipeline(bytes, res);
    } catch (error) {
      // An error after the first bytes were sent can no longer be reported; the client sees it by the missing length.
      if (res.headersSent) res.destroy();
      else next(error);
    }
  };
}

async function attached(ctx: Context, id: string): Promise<StoredFile> {
  const { id: key, mimeType, byteSize, fileName } = await find(ctx, FileAttachment, id);
  return { key, mimeType, byteSize, fileName };
}

async function preview(ctx: Context, id: string): Promise<StoredFile> {
  const { previewId, previewMimeType, previewSize, fileName } = await find(ctx, FileAttachment, id);
  if (!previewId) throw new Missing();
  return { key: previewId, mimeType: previewMimeType!, byteSize: previewSize!, fileName: previewName(fileName) };
}

/** @throws Unavailable if the storage does not return the bytes, although the row says that they are there */
const opened = (ctx: Context, key: string) =>
  fileStorage
    .of(ctx.em)
    .read(key)
    .catch((error) => {
      throw new Unavailable(5, error);
    });
