import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../../files/file-name.ts';
import type { Context } from '../../../platform/context.ts';
import { Invalid } from '../../../platform/errors.ts';
import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../../platform/http/rest/router.ts';
import { findOwn } from '../read-settlement.ts';
import { documentOf } from './kept-document.ts';
import { logoOf } from './logo-on-paper.ts';
import { PAPERS, type PaperSize } from './paper.ts';
import { fileNameOf, paperOf, printDocument } from './print-document.ts';
import { requireMoney } from './require-money.ts';
import { PDF_PATH } from './settlement-pdf-url.ts';
import { MOST_READ, picturesOf } from './ticket-pictures.ts';

interface PdfServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}
const uuid = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string', format: 'uuid' } });
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** A settlement on paper: `pdfUrl` of a settlement leads here. */
export const settlementPdfEndpoints: readonly HttpEndpoint<PdfServices>[] = [
  {
    method: 'get',
    path: PDF_PATH,
    handlers: (services) => [servePdf(services)],
    openapi: {
      operationId: 'GetSettlementPdf',
      summary: 'Get settlement PDF',
      description:
        'A settlement as it is printed, in the language and date format of its company: an invoice for a customer, a settlement for a vendor, a pay statement for a driver. It requires to see the rates of its side.',
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
        409: error('Conflict'),
        422: error('UnprocessableContent'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function servePdf({ contextFor, takeTurn }: PdfServices): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      await takeTurn(ctx, res);
      const settlement = await findOwn(ctx, String(req.params.id), String(req.params.companyId));
      requireMoney(ctx, settlement);
      const wanted = paperIn(req.query.paper, 'Settlement');
      const said = await documentOf(ctx, settlement);
      res.set({
        'Content-Type': 'application/pdf',
        'Content-Disposition': contentDisposition(fileNameOf(said)),
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cache-Control': 'private, no-store',
      });
      if (req.method === 'HEAD') return void res.end();
      const logo = await logoOf(ctx.em, said, ctx.report);
      const pictures = await picturesOf(ctx, said.pictures ?? [], MOST_READ);
      await pipeline(await printDocument(said, { size: wanted ?? paperOf(said), logo, pictures }), res);
    } catch (failure) {
      // Half of it is sent: only a broken connection shows that it is not complete.
      if (res.headersSent) res.destroy();
      else next(failure);
    }
  };
}

/** @throws Invalid for a paper that is none */
export function paperIn(given: unknown, model: string): PaperSize | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string' && Object.hasOwn(PAPERS, given)) return given as PaperSize;
  throw new Invalid([{ model, field: 'paper', key: 'not_one_of', params: { values: Object.keys(PAPERS).join(', ') } }]);
}
