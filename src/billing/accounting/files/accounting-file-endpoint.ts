import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../../files/file-name.ts';
import { allow, companyOf, findKept } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { type ErrorItem, Invalid, Missing } from '../../../platform/errors.ts';
import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../../platform/http/rest/router.ts';
import { isUuid } from '../../../platform/ids.ts';
import { mayReadInvoices } from '../../invoices/read-invoice.ts';
import { TRACKED, type Tracked } from '../exports/accounting-document.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { AccountingTemplate } from '../templates/accounting-template.entity.ts';
import { templateFile } from '../templates/template-file.ts';
import { FORMAT_NAMES, FORMATS, type FormatName, isFormat, writeFile } from './accounting-file.ts';
import { namesOf } from './accounting-names.ts';
import { documentsOf, placesOf, type Wanted } from './documents-of-file.ts';
import type { FileContents, FileFormat } from './file-format.ts';

interface FileServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}

const ACCOUNTING_FILE_PATH = '/v1/companies/{company-id}/accounting_file';
const model = 'AccountingFile';
/** Settlements and invoices of a file: what QuickBooks Online takes at once. */
const MOST = 100;
/** Characters of the name of an account. */
const LONGEST_ACCOUNT = 159;
const ACCOUNT = { type: 'string', maxLength: LONGEST_ACCOUNT };
/** The tracking categories of a line. */
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
      const companyId = companyOf(ctx, String(req.params.companyId));
      allow(ctx, MANAGES_ACCOUNTING);
      mayReadInvoices(ctx);
      const asked = wishesIn(new URL(req.originalUrl, 'http://localhost').searchParams);
      const format = await formatOf(ctx, companyId, asked);
      const file = await fileOf(ctx, companyId, format, asked);
      res.set({
        'Content-Type': format.mediaType,
        'Content-Disposition': contentDisposition(`settlements-${asked.format.replaceAll('_', '-')}.${format.extension}`),
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-store',
      });
      res.end(file);
    } catch (failure) {
      next(failure);
    }
  };
}

interface Wishes {
  format: FormatName;
  templateId: string | null;
  wanted: Wanted;
  contents: Pick<FileContents, 'account' | 'taxAccount' | 'taxItem' | 'tracking'>;
}

/** @throws Invalid with every problem */
function wishesIn(params: URLSearchParams): Wishes {
  const said = (name: string): string | null => params.get(name)?.trim() || null;
  const [format, templateId, taxItem] = [said('format'), said('template_id'), said('tax_item')];
  const [account, taxAccount] = [said('account'), said('tax_account')];
  const idsIn = (name: string) => [...new Set([`${name}[]`, name].flatMap((one) => params.getAll(one)).map((id) => id.toLowerCase()))];
  const wanted = { settlementIds: idsIn('settlement_ids'), invoiceIds: idsIn('invoice_ids') };
  const items: ErrorItem[] = [];
  if (!isFormat(format)) items.push({ model, field: 'format', key: 'not_one_of', params: { values: FORMAT_NAMES.join(', ') } });
  if (format === 'template' && !templateId) items.push({ model, field: 'templateId', key: 'required' });
  if (templateId && !isUuid(templateId)) items.push({ model, field: 'templateId', key: 'not_a_uuid' });
  const count = wanted.settlementIds.length + wanted.invoiceIds.length;
  if (count === 0) items.push({ model, field: 'settlementIds', key: 'required' });
  if (count > MOST) items.push({ model, field: listOf(wanted), key: 'too_many_items', params: { max: MOST } });
  const places = PLACES.map((place) => ({ place, by: said(`tracking_${place}`), name: said(`tracking_name_${place}`) }));
  const tracking = places.flatMap(({ place, by, name }) => {
    if (isTracked(by)) return [{ by, name: name ?? by[0]!.toUpperCase() + by.slice(1) }];
    if (by ?? name) items.push({ model, field: `tracking_${place}`, key: 'not_one_of', params: { values: TRACKED.join(', ') } });
    return [];
  });
  const extras = isFormat(format) && format !== 'template' ? ((FORMATS[format] as FileFormat).extras ?? []) : [];
  if (taxItem && !extras.includes('taxItem')) items.push({ model, field: 'taxItem', key: 'not_of_format' });
  if (tracking.length > 0 && !extras.includes('tracking')) items.push({ model, field: 'tracking_1', key: 'not_of_format' });
  const texts = { account, taxAccount, taxItem, ...Object.fromEntries(places.map(({ place, name }) => [`tracking_name_${place}`, name])) };
  for (const [field, name] of Object.entries(texts))
    if (name && name.length > LONGEST_ACCOUNT) items.push({ model, field, key: 'wrong_length', params: { min: 0, max: LONGEST_ACCOUNT } });
  for (const [id, field] of placesOf(wanted)) if (!isUuid(id)) items.push({ model, field, key: 'not_a_uuid' });
  if (items.length > 0 || !isFormat(format)) throw new Invalid(items);
  return { format, templateId, wanted, contents: { account, taxAccount, taxItem, tracking } };
}
/** The list in which something is said that is wrong with all of it. */
const listOf = ({ settlementIds }: Wanted): string => (settlementIds.length > 0 ? 'settlementIds' : 'invoiceIds');
const isTracked = (name: string | null): name is Tracked => (TRACKED as readonly (string | null)[]).includes(name);

/** @throws Invalid for a template that the company does not have */
async function formatOf(ctx: Context, companyId: string, { format, templateId }: Wishes): Promise<FileFormat> {
  if (format !== 'template') return FORMATS[format];
  try {
    return templateFile(await findKept(ctx, AccountingTemplate, templateId!, { companyId }));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    throw new Invalid([{ model, field: 'templateId', key: 'must_exist' }]);
  }
}

async function fileOf(ctx: Context, companyId: string, format: FileFormat, { wanted, ...asked }: Wishes): Promise<Buffer> {
  const found = await documentsOf(ctx, companyId, wanted);
  const documents = [...found.values()];
  const lines = documents.reduce((sum, one) => sum + one.lines.length + one.taxes.length, 0);
  if (lines > format.mostLines)
    throw new Invalid([{ model, field: listOf(wanted), key: 'too_many_lines', params: { lines, max: format.mostLines } }]);
  const contents = { documents, names: await namesOf(ctx, companyId), ...asked.contents };
  const placeOf = placesOf(wanted);
  const places = new Map([...found].map(([id, { number }]) => [number, placeOf.get(id)!]));
  const items = (format.problemsOf?.(contents) ?? []).map(
    ({ field, number, ...problem }): ErrorItem => ({
      ...{ model, ...problem, field: field ?? places.get(number!)! },
    }),
  );
  if (items.length > 0) throw new Invalid(items);
  return writeFile(format, contents);
}
