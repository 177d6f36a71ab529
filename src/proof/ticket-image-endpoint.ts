import type { Request } from 'express';
import { serveStored } from '../files/file-endpoint.ts';
import { find } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import { Missing } from '../platform/errors.ts';
import type { PlainEndpoint } from '../platform/http/plain.ts';
import { Ticket } from './ticket.entity.ts';
import { TICKET_IMAGE_PATH } from './ticket-image.ts';

/** `GET /v1/tickets/{id}/image/file`: the picture of a ticket, as files are served. */
export const ticketImageEndpoints: readonly PlainEndpoint<{ contextFor(req: Request): Promise<Context> }>[] = [
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
    openapi: {
      operationId: 'GetTicketImage',
      summary: 'Get ticket image',
      description: 'The picture of a ticket. `Content-Disposition` carries its name.',
      tags: ['proof'],
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
