import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../../files/file-name.ts';
import type { Context } from '../../../platform/context.ts';
import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../../platform/http/rest/router.ts';
import { TRACKED } from '../exports/accounting-document.ts';
import { FORMAT_NAMES } from './accounting-file.ts';
import { type FileWishes, LONGEST_ACCOUNT, MOST, makeAccountingFile, type TrackingFields } from './make-accounting-file.ts';

interface FileServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}

const ACCOUNTING_FILE_PATH = '/v1/companies/{company-id}/accounting_file';
const ACCOUNT = { type: 'string', maxLength: LONGEST_ACCOUNT };
/** The tracking categories of a line, as the query string numbers them. */
const PLACES = [1, 2] as const;
const IDS = { type: 'array', maxItems: MOST, items: { type: 'string', format: 'uuid' } };
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });
const query = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: 'query',
  required,
  description,
  schema,
});

/** Settlements, and invoices by themselves, in a file that an accounting system imports. */
export const accountingFileEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: ACCOUNTING_FILE_PATH,
    handlers: (services) => [serveFile(services)],
    openapi: {
      operationId: 'GetAccountingFile',
      summary: 'Get accounting file',
      description:
        'Approved settlements, and approved invoices that are in none, of one side and currency in a file that an accounting system imports (docs/accounting.md); at least one and at most 100. It requires to see the rates of their side.',
      tags: ['billing'],
      parameters: [
        { name: 'company-id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        query('format', 'The system, or `template` for one of the company.', { type: 'string', enum: FORMAT_NAMES }),
        query('template_id', 'The template, with the format `template`.', { type: 'string', format: 'uuid' }, false),
        query('settlement_ids[]', 'The settlements.', IDS, false),
        query('invoice_ids[]', 'The invoices that go to accounting by themselves.', IDS, false),
        query('account', 'The account to which lines are posted.', ACCOUNT, false),
        query('tax_account', 'The account to which the tax of customers is posted.', ACCOUNT, false),
        query('tax_item', 'For QuickBooks Online: the product or service as which the tax of customers is sold.', ACCOUNT, false),
        ...PLACES.flatMap((place) => [
          query(`tracking_${place}`, 'For Xero: by what lines are followed.', { type: 'string', enum: [...TRACKED] }, false),
          query(`tracking_name_${place}`, 'The name of it in Xero; by default `Project`, `Order` and so on.', ACCOUNT, false),
        ]),
      ],
      responses: {
        200: {
          description: 'Success',
          content: { 'text/csv': { schema: { type: 'string' } }, 'text/plain': { schema: { type: 'string' } } },
        },
        401: error('Unauthorized'),
        403: error('Forbidden'),
        404: error('NotFound'),
        422: error('UnprocessableContent'),
        503: error('ServiceUnavailable'),
      },
    },
  },
];

function serveFile({ contextFor, takeTurn }: FileServices): RequestHandler {
  return async (req, res, next) => {
    try {
      const ctx = await contextFor(req);
      await takeTurn(ctx, res);
      const wishes = wishesIn(new URL(req.originalUrl, 'http://localhost').searchParams);
      const { name, mediaType, bytes } = await makeAccountingFile(ctx, { companyId: String(req.params.companyId) }, wishes, FIELDS);
      res.set({
        'Content-Type': mediaType,
        'Content-Disposition': contentDisposition(name),
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      });
      res.end(bytes);
    } catch (failure) {
      next(failure);
    }
  };
}

const FIELDS: TrackingFields = { all: 'tracking_1', by: (at) => `tracking_${PLACES[at]}`, name: (at) => `tracking_name_${PLACES[at]}` };

function wishesIn(params: URLSearchParams): FileWishes {
  const idsIn = (name: string) => [...new Set([`${name}[]`, name].flatMap((one) => params.getAll(one)).map((id) => id.toLowerCase()))];
  return {
    format: params.get('format')?.trim() || null,
    templateId: params.get('template_id'),
    settlementIds: idsIn('settlement_ids'),
    invoiceIds: idsIn('invoice_ids'),
    account: params.get('account'),
    taxAccount: params.get('tax_account'),
    taxItem: params.get('tax_item'),
    tracking: PLACES.map((place) => ({ by: params.get(`tracking_${place}`), name: params.get(`tracking_name_${place}`) })),
  };
}
