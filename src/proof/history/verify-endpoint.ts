import type { RequestHandler } from 'express';
import type { FileServices } from '../../files/serve-stored.ts';
import { readSignedId } from '../../files/signed-ids.ts';
import { Missing } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { VERIFY_PATH, verifyHistory } from './verify-ticket.ts';

const moment = { type: 'string', nullable: true, format: 'date-time' };

/** `GET /v1/ticket_verifications/{token}`: whoever was shown a ticket may check it. */
export const verifyEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: VERIFY_PATH,
    handlers: (services) => [answer(services)],
    openapi: {
      operationId: 'GetTicketVerification',
      summary: 'Get ticket verification',
      description:
        'Whether a ticket and its history are as they were written, to everybody who has the URL, which is `verify_url` of a verification. `as_issued` is false if the history does not contain what it contained when the URL was made.',
      tags: ['proof'],
      security: [],
      parameters: [{ name: 'token', in: 'path', required: true, schema: { type: 'string' } }],
      responses: {
        200: {
          description: 'Success',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['data'],
                properties: {
                  data: {
                    type: 'object',
                    required: ['ticket_number', 'unbroken', 'as_issued', 'since', 'links_count', 'hash'],
                    properties: {
                      ticket_number: { type: 'string', nullable: true },
                      unbroken: { type: 'boolean' },
                      as_issued: { type: 'boolean' },
                      since: moment,
                      links_count: { type: 'integer' },
                      hash: { type: 'string', nullable: true },
                    },
                  },
                },
              },
            },
          },
        },
        404: { $ref: '#/components/responses/NotFound' },
        429: { $ref: '#/components/responses/TooManyRequests' },
      },
    },
  },
];

function answer({ em, count }: FileServices): RequestHandler {
  return async (req, res, next) => {
    try {
      await count(req, res);
      const signed = readSignedId(em, `get ${VERIFY_PATH}`, String(req.params.token));
      const [id = '', issued = ''] = signed?.id.split(' ') ?? [];
      const verified = signed && (await verifyHistory(em, id, signed.companyId));
      if (!verified) throw new Missing();
      res.set('Cache-Control', 'no-store').json({
        data: {
          ticket_number: verified.ticketNumber,
          unbroken: verified.unbroken,
          as_issued: issued === '' || verified.hashes.includes(issued),
          since: verified.since,
          links_count: verified.linksCount,
          hash: verified.hash,
        },
      });
    } catch (error) {
      next(error);
    }
  };
}
