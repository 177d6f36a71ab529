import type { Request } from 'express';
import { serveStored, storedFile } from '../../files/file-endpoint.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Missing } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { archiveNameOf, BulkDownload, DOWNLOAD_PATH, mimeTypeOf } from './bulk-download.entity.ts';

/** `GET /v1/bulk_downloads/{id}/file`: the archive, only for the caller who asked for it, because it contains what they may read. */
export const bulkDownloadEndpoints: readonly HttpEndpoint<{ contextFor(req: Request): Promise<Context> }>[] = [
  {
    method: 'get',
    path: DOWNLOAD_PATH,
    handlers: ({ contextFor }) => [
      serveStored(contextFor, async (ctx, id) => {
        const { type, fileId, byteSize, createdAt, createdById, expiresAt } = await find(ctx, BulkDownload, id);
        if (!fileId || createdById !== viewerOf(ctx).id || expiresAt.getTime() < Date.now()) throw new Missing();
        return { key: fileId, mimeType: mimeTypeOf(type), byteSize: byteSize!, fileName: archiveNameOf(type, createdAt) };
      }),
    ],
    openapi: storedFile({
      id: 'GetBulkDownloadFile',
      summary: 'Get bulk download file',
      description:
        'The zip archive with a folder for each job, or the PDF, for the person who requested it; 404 until it is ready, and after a day.',
      tag: 'proof',
    }),
  },
];
