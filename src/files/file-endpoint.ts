import type { Viewer } from '../platform/context.ts';
import type { HttpEndpoint } from '../platform/http/http-endpoints.ts';
import { hiddenKinds } from './attachable.ts';
import { FileAttachment } from './file-attachment.entity.ts';
import { previewName } from './file-name.ts';
import { FILE_PATH, PREVIEW_PATH } from './file-url.ts';
import { type FileServices, serveStored, storedFile } from './serve-stored.ts';

/** Whoever does not read files of its kind reads no bytes of it either. */
const isFor = ({ fileAttachableType }: FileAttachment, viewer: Viewer): boolean =>
  !hiddenKinds((permission) => viewer.can(permission)).includes(fileAttachableType);

/** An attachment's bytes and its preview, to be saved and never to be run by a browser. */
export const fileEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: FILE_PATH,
    handlers: (services) => [
      serveStored(services, {
        path: FILE_PATH,
        entity: FileAttachment,
        fileOf: ({ id: key, mimeType, byteSize, fileName }) => ({ key, mimeType, byteSize, fileName }),
        isFor,
      }),
    ],
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
    handlers: (services) => [
      serveStored(services, {
        path: PREVIEW_PATH,
        entity: FileAttachment,
        fileOf: ({ previewId: key, previewMimeType, previewSize, fileName }) =>
          key ? { key, mimeType: previewMimeType!, byteSize: previewSize!, fileName: previewName(fileName) } : undefined,
        isFor,
      }),
    ],
    openapi: storedFile({
      id: 'GetFileAttachmentPreview',
      summary: 'Get file attachment preview',
      description: 'The image at `preview_url`: the file, or its first page, reduced to at most 1,024 pixels; 404 if there is none.',
      tag: 'files',
    }),
  },
];
