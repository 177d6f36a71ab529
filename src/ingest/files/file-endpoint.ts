import type { Request, RequestHandler } from 'express';
import { FILE_CATEGORIES } from '../../files/file-attachment.entity.ts';
import { readForm } from '../../files/read-form.ts';
import { allow } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { Invalid, Unavailable } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import { queryFaults } from '../../platform/http/rest/exact-query.ts';
import { requireAcceptable } from '../../platform/http/rest/negotiation.ts';
import { sendAnswer, setAnswerHeaders } from '../../platform/http/rest/send.ts';
import { addVary } from '../../platform/http/vary.ts';
import { faultOf } from '../ledger/retries.ts';
import { FILE_FIELDS, FILE_PERMISSION, ingestFile } from './ingest-file.ts';

export interface IngestFileServices {
  contextFor(req: Request): Promise<Context>;
  /** An attachment as `GET /v1/file_attachments/{id}` answers it. */
  showFile(ctx: Context, id: string): Promise<unknown>;
}

const text = { type: 'string' };
const json = (description: string, properties: object) => ({
  description,
  content: { 'application/json': { schema: { type: 'object', required: ['data'], properties: { data: properties } } } },
});
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** `POST /ingest/files` (SPEC): a plain handler, because its body is a form with a file that is never held in memory as a whole. */
export const ingestFileEndpoints: readonly HttpEndpoint<IngestFileServices>[] = [
  {
    method: 'post',
    path: '/ingest/files',
    handlers: (services) => [takeFile(services)],
    openapi: {
      operationId: 'PostFile',
      summary: 'Post file',
      description:
        'Attaches a file of at most 10 MB (JPEG, PNG, WebP, GIF, PDF; detected from the content) to an order. If there is no order of that external id yet, the file waits for it. If the same form is sent again, the answer contains the stored file, with or without an `Idempotency-Key`.',
      tags: ['ingest'],
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['file', 'external_id', 'file_attachable_type'],
              properties: {
                file: { type: 'string', format: 'binary' },
                external_id: { ...text, description: "The order's external id." },
                file_attachable_type: { ...text, enum: ['Order'] },
                category: { ...text, enum: FILE_CATEGORIES, default: 'Other' },
                description: text,
              },
            },
          },
        },
      },
      responses: {
        201: json('Attached', { $ref: '#/components/schemas/FileAttachment' }),
        202: json('Kept until an order of this external id arrives', {
          type: 'object',
          properties: { id: { ...text, format: 'uuid' }, external_id: text, state: { ...text, enum: ['created'] } },
        }),
        400: error('BadRequest'),
        401: error('Unauthorized'),
        403: error('Forbidden'),
        404: error('NotFound'),
        406: error('NotAcceptable'),
        415: error('UnsupportedMediaType'),
        422: error('UnprocessableContent'),
        429: error('TooManyRequests'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function takeFile({ contextFor, showFile }: IngestFileServices): RequestHandler {
  return async (req, res, next) => {
    try {
      requireAcceptable(req);
      const ctx = await contextFor(req);
      // Checked before the body is read; the command checks it again.
      allow(ctx, FILE_PERMISSION);
      const asked = req.originalUrl.indexOf('?');
      const faults = asked < 0 ? [] : queryFaults(req.originalUrl.slice(asked), []);
      if (faults.length > 0) throw new Invalid(faults);
      const done = await ingestFile(ctx, await readForm(ctx, req, FILE_FIELDS));
      setAnswerHeaders(res, ctx.language, ctx.rate);
      addVary(res, 'Accept-Language');
      if ('attached' in done) await sendAnswer(req, res, { status: 201, headers: {}, body: { data: await showFile(ctx, done.attached) } });
      else {
        const data = { id: done.parked, external_id: done.externalId, state: 'created' };
        await sendAnswer(req, res, { status: 202, headers: {}, body: { data } });
      }
    } catch (failure) {
      // If the answer to a commit was lost, nobody knows whether it succeeded. The bytes are kept until they are swept, and the sender
      // sends again.
      next(faultOf(failure) === 'lost-connection' ? new Unavailable(1, failure) : failure);
    }
  };
}
