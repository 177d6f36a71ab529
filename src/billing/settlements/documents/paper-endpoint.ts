import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../../files/file-name.ts';
import type { Context } from '../../../platform/context.ts';
import { Invalid } from '../../../platform/errors.ts';
import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../../platform/http/rest/router.ts';
import { PAPER_SIZES, type PaperSize } from './paper.ts';

export interface PaperServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}

/** A record of a company that is served as it is printed. */
interface OnPaper<R> {
  /** In OpenAPI spelling, with `company-id` and `id`. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** The record's type, as in error items. */
  model: string;
  /** Whether the record may be in a state in which it is not printed. */
  conflicts?: true;
  /** @throws Missing, Denied */
  find(ctx: Context, path: { id: string; companyId: string }): Promise<R>;
  /** @throws Conflict */
  print(ctx: Context, record: R): Promise<{ fileName: string; write(wanted: PaperSize | undefined): Promise<NodeJS.ReadableStream> }>;
}

const uuid = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string', format: 'uuid' } });
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The endpoint of a record on paper, whose size may be asked for. */
export function paperEndpoint<R>(printed: OnPaper<R>): HttpEndpoint<PaperServices> {
  const { path, operationId, summary, description, conflicts } = printed;
  return {
    method: 'get',
    path,
    handlers: (services) => [servePaper(services, printed)],
    openapi: {
      ...{ operationId, summary, description, tags: ['billing'] },
      parameters: [
        uuid('company-id'),
        uuid('id'),
        {
          name: 'paper',
          in: 'query',
          description: 'The paper; by default, what is usual in the country of the company.',
          schema: { type: 'string', enum: Object.keys(PAPER_SIZES) },
        },
      ],
      responses: {
        200: { description: 'Success', content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } },
        401: error('Unauthorized'),
        403: error('Forbidden'),
        404: error('NotFound'),
        ...(conflicts ? { 409: error('Conflict') } : {}),
        422: error('UnprocessableContent'),
        503: error('ServiceUnavailable'),
      },
    },
  };
}

function servePaper<R>({ contextFor, takeTurn }: PaperServices, { model, find, print }: OnPaper<R>): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      await takeTurn(ctx, res);
      const record = await find(ctx, { id: String(req.params.id), companyId: String(req.params.companyId) });
      const wanted = paperIn(req.query.paper, model);
      const { fileName, write } = await print(ctx, record);
      res.set({
        'Content-Type': 'application/pdf',
        'Content-Disposition': contentDisposition(fileName),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cache-Control': 'private, no-store',
      });
      if (req.method === 'HEAD') return void res.end();
      await pipeline(await write(wanted), res);
    } catch (failure) {
      // Half of it is sent: only a broken connection shows that it is not complete.
      if (res.headersSent) res.destroy();
      else next(failure);
    }
  };
}

/** @throws Invalid for a paper that is none */
function paperIn(given: unknown, model: string): PaperSize | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && Object.hasOwn(PAPER_SIZES, given)) return given as PaperSize;
  throw new Invalid([{ model, field: 'paper', key: 'not_one_of', params: { values: Object.keys(PAPER_SIZES).join(', ') } }]);
}
