import type { Request } from 'express';
import { serveStored, storedFile } from '../files/file-endpoint.ts';
import { previewName } from '../files/file-name.ts';
import { find } from '../platform/authz/authorization.ts';
import type { Context } from '../platform/context.ts';
import { Missing } from '../platform/errors.ts';
import type { HttpEndpoint } from '../platform/http/http-endpoints.ts';
import { Ticket } from './ticket.entity.ts';
import { TICKET_IMAGE_PATH, TICKET_PREVIEW_PATH } from './ticket-image-url.ts';

/** The picture of a ticket and its preview, as files are served. */
export const ticketImageEndpoints: readonly HttpEndpoint<{ contextFor(req: Request): Promise<Context> }>[] = [
  {
    method: 'get',
    path: TICKET_IMAGE_PATH,
    handlers: ({ contextFor }) => [
      serveStored(contextFor, async (ctx, id) => {
        const { imageId, imageMimeType, imageSize, imageName } = await find(ctx, Ticket, id);
        if (!imageId) throw new Missing();
        return { key: imageId, mimeType: imageMimeType!, byteSize: imageSize!, fileName: imageName! };
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
    handlers: ({ contextFor }) => [
      serveStored(contextFor, async (ctx, id) => {
        const { previewId, previewMimeType, previewSize, imageName } = await find(ctx, Ticket, id);
        if (!previewId) throw new Missing();
        return { key: previewId, mimeType: previewMimeType!, byteSize: previewSize!, fileName: previewName(imageName!) };
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
