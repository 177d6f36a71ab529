import { previewName } from '../files/file-name.ts';
import { type FileServices, serveStored, storedFile } from '../files/serve-stored.ts';
import type { HttpEndpoint } from '../platform/http/http-endpoints.ts';
import { Ticket } from './ticket.entity.ts';
import { TICKET_IMAGE_PATH, TICKET_PREVIEW_PATH } from './ticket-image-paths.ts';

/** The picture of a ticket and its preview, as files are served. */
export const ticketImageEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: TICKET_IMAGE_PATH,
    handlers: (services) => [
      serveStored(services, {
        path: TICKET_IMAGE_PATH,
        entity: Ticket,
        fileOf: ({ imageId: key, imageMimeType, imageSize, imageName }) =>
          key ? { key, mimeType: imageMimeType!, byteSize: imageSize!, fileName: imageName! } : undefined,
      }),
    ],
    openapi: storedFile({
      id: 'GetTicketImage',
      summary: 'Get ticket image',
      description: 'The picture of a ticket. `Content-Disposition` has its name.',
      tag: 'proof',
    }),
  },
  {
    method: 'get',
    path: TICKET_PREVIEW_PATH,
    handlers: (services) => [
      serveStored(services, {
        path: TICKET_PREVIEW_PATH,
        entity: Ticket,
        fileOf: ({ previewId: key, previewMimeType, previewSize, imageName }) =>
          key ? { key, mimeType: previewMimeType!, byteSize: previewSize!, fileName: previewName(imageName!) } : undefined,
      }),
    ],
    openapi: storedFile({
      id: 'GetTicketPreview',
      summary: 'Get ticket preview',
      description: 'The picture of a ticket, reduced to at most 1,024 pixels; 404 if there is none.',
      tag: 'proof',
    }),
  },
];
