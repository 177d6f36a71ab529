import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../files/file-name.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { type CsvRow, csvLines } from '../../platform/csv.ts';
import { Invalid } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../platform/http/rest/router.ts';
import { isDate } from '../../platform/time.ts';
import { SHEET_PATH } from './daily-export.entity.ts';
import { HEAD, ticketsOfDay } from './tickets-of-day.ts';

interface SheetServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}
const parameter = (name: string, format: string) => ({ name, in: 'path', required: true, schema: { type: 'string', format } });
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The sheet that `file_url` of a day's export leads to. */
export const dailyExportEndpoints: readonly HttpEndpoint<SheetServices>[] = [
  {
    method: 'get',
    path: SHEET_PATH,
    handlers: (services) => [serveSheet(services)],
    openapi: {
      operationId: 'GetDailyTicketSheet',
      summary: 'Get daily ticket sheet',
      description:
        'The tickets created on one day of the company that the caller may read, oldest first, as they are now: CSV, one line for each ticket. No cell is a formula.',
      tags: ['proof'],
      parameters: [parameter('company-id', 'uuid'), parameter('date', 'date')],
      responses: {
        200: { description: 'Success', content: { 'text/csv': { schema: { type: 'string' } } } },
        401: error('Unauthorized'),
        404: error('NotFound'),
        422: error('UnprocessableContent'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function serveSheet({ contextFor, takeTurn }: SheetServices): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      // To its end: it reads while it is sent.
      await takeTurn(ctx, res);
      const companyId = companyOf(ctx, String(req.params.companyId));
      const day = String(req.params.date);
      if (!isDate(day)) throw new Invalid([{ model: 'DailyExport', field: 'date', key: 'date_invalid' }]);
      const pages = ticketsOfDay(ctx, companyId, day);
      // Read before the first byte is sent: errors can still be reported.
      const first = await pages.next();
      res.set({
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': contentDisposition(`tickets-${day}.csv`),
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      });
      if (req.method === 'HEAD') return void res.end();
      await pipeline(linesOf(first.value ?? [], pages), res);
    } catch (failure) {
      // Half of it is sent: only a broken connection shows that it is not complete.
      if (res.headersSent) res.destroy();
      else next(failure);
    }
  };
}

async function* linesOf(first: CsvRow[], rest: AsyncGenerator<CsvRow[]>): AsyncGenerator<string> {
  yield csvLines([HEAD, ...first], { bom: true });
  for await (const rows of rest) yield csvLines(rows);
}
