import { type FileServices, serveStored, storedFile } from '../../files/serve-stored.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { archiveNameOf, BulkDownload, DOWNLOAD_PATH, mimeTypeOf } from './bulk-download.entity.ts';

/** `GET /v1/bulk_downloads/{id}/file`: the archive, only for the caller who asked for it, because it contains what they may read. */
export const bulkDownloadEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: DOWNLOAD_PATH,
    handlers: (services) => [
      serveStored(services, {
        path: DOWNLOAD_PATH,
        entity: BulkDownload,
        fileOf: ({ type, fileId: key, byteSize, createdAt, expiresAt }) =>
          key && expiresAt.getTime() > Date.now()
            ? { key, mimeType: mimeTypeOf(type), byteSize: byteSize!, fileName: archiveNameOf(type, createdAt) }
            : undefined,
        isFor: ({ createdById }, viewer) => createdById === viewer.id,
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
