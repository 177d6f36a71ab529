import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import { contentDisposition } from '../../files/file-name.ts';
import type { FileServices } from '../../files/serve-stored.ts';
import { viewerOfRemembered } from '../../identity/access/viewer.ts';
import { SIGN_IN } from '../../identity/sign-in/sign-in-purpose.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { type CsvRow, csvLines } from '../../platform/csv.ts';
import { asCompanies, runAsPurpose } from '../../platform/database/scope.ts';
import { Invalid, Missing } from '../../platform/errors.ts';
import type { HttpEndpoint } from '../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../platform/http/rest/router.ts';
import { SIGNATURE } from '../../platform/public-url.ts';
import { isDate } from '../../platform/time.ts';
import { SHEET_PATH } from './daily-export.entity.ts';
import { readSheetSignature } from './sheet-url.ts';
import { HEAD, ticketsOfDay } from './tickets-of-day.ts';

interface SheetServices extends FileServices {
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
      security: [{ bearer: [] }, {}],
      parameters: [
        parameter('company-id', 'uuid'),
        parameter('date', 'date'),
        { name: SIGNATURE, in: 'query', description: 'In place of a token, as `file_url` has it.', schema: { type: 'string' } },
      ],
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

function serveSheet(services: SheetServices): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await services.contextFor(req);
      const signature = req.headers.authorization === undefined ? req.query[SIGNATURE] : undefined;
      if (typeof signature !== 'string') return await sendSheet(services, ctx, req, res);
      const viewer = await signedReader(services, req, signature);
      await asCompanies(viewer.companyIds, () => sendSheet(services, Object.assign(ctx, { viewer }), req, res));
    } catch (failure) {
      // Half of it is sent: only a broken connection shows that it is not complete.
      if (res.headersSent) res.destroy();
      else next(failure);
    }
  };
}

/** Whoever asked for the URL, as they are now. @throws Missing for a signature that is not ours, of another sheet, or over */
async function signedReader({ em }: SheetServices, { params }: Request, signature: string): Promise<Viewer> {
  const sheet = { companyId: String(params.companyId).toLowerCase(), day: String(params.date) };
  const actor = readSheetSignature(em, sheet, signature);
  const viewer = actor && (await runAsPurpose(SIGN_IN, () => viewerOfRemembered(em, actor)));
  if (!viewer?.companyIds.includes(sheet.companyId)) throw new Missing();
  return viewer;
}

async function sendSheet({ takeTurn }: SheetServices, ctx: Context, req: Request, res: Response): Promise<void> {
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
}

async function* linesOf(first: CsvRow[], rest: AsyncGenerator<CsvRow[]>): AsyncGenerator<string> {
  yield csvLines([HEAD, ...first], { bom: true });
  for await (const rows of rest) yield csvLines(rows);
}
