import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../files/file-name.ts';
import type { Context } from '../../platform/context.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../platform/http/rest/router.ts';
import { logoOf } from '../settlements/documents/logo-on-paper.ts';
import { PAPERS } from '../settlements/documents/paper.ts';
import { paperOf } from '../settlements/documents/print-document.ts';
import { paperIn } from '../settlements/documents/settlement-pdf-endpoint.ts';
import { printQuote } from './print-quote.ts';
import { quoteOf } from './read-quote.ts';

/** Where the quote of a project is served as it is printed, in OpenAPI spelling. */
const QUOTE_PATH = '/v1/companies/{company-id}/projects/{id}/quote/pdf';

interface QuoteServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}
const uuid = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string', format: 'uuid' } });
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** A quote on paper. */
export const quoteEndpoints: readonly HttpEndpoint<QuoteServices>[] = [
  {
    method: 'get',
    path: QUOTE_PATH,
    handlers: (services) => [serveQuote(services)],
    openapi: {
      operationId: 'GetProjectQuotePdf',
      summary: 'Get project quote PDF',
      description:
        "A project's rates and materials as its customer gets them, printed in the language and date format of its company. It requires to see the rates of customers.",
      tags: ['billing'],
      parameters: [
        uuid('company-id'),
        uuid('id'),
        {
          name: 'paper',
          in: 'query',
          description: 'The paper; by default, what is usual in the country of the company.',
          schema: { type: 'string', enum: Object.keys(PAPERS) },
        },
      ],
      responses: {
        200: { description: 'Success', content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } },
        401: error('Unauthorized'),
        403: error('Forbidden'),
        404: error('NotFound'),
        422: error('UnprocessableContent'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function serveQuote({ contextFor, takeTurn }: QuoteServices): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      await takeTurn(ctx, res);
      const quote = await quoteOf(ctx, { id: String(req.params.id), companyId: String(req.params.companyId) });
      const wanted = paperIn(req.query.paper, 'Project');
      res.set({
        'Content-Type': 'application/pdf',
        'Content-Disposition': contentDisposition(`${quote.number}.pdf`),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cache-Control': 'private, no-store',
      });
      if (req.method === 'HEAD') return void res.end();
      const { logoKey: key, logoType: type } = quote;
      const logo = await logoOf(ctx.em, { logo: key && type ? { key, type } : null }, ctx.report);
      await pipeline(await printQuote(quote, { size: wanted ?? paperOf(quote), logo }), res);
    } catch (failure) {
      // Half of it is sent: only a broken connection shows that it is not complete.
      if (res.headersSent) res.destroy();
      else next(failure);
    }
  };
}
