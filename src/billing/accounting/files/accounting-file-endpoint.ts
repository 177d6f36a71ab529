import type { Request, RequestHandler } from 'express';
import { contentDisposition } from '../../../files/file-name.ts';
import { allow, companyOf, findKept, resolveReferences } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { queryOf } from '../../../platform/database/sql.ts';
import { type ErrorItem, Invalid, Missing } from '../../../platform/errors.ts';
import type { HttpEndpoint } from '../../../platform/http/http-endpoints.ts';
import type { TakeTurn } from '../../../platform/http/rest/router.ts';
import { isUuid } from '../../../platform/ids.ts';
import { mayReadInvoices } from '../../invoices/read-invoice.ts';
import { requireMoney } from '../../settlements/documents/require-money.ts';
import { Settlement } from '../../settlements/settlement.entity.ts';
import { type AccountingDocument, accountingDocumentsOf, TRACKED, type Tracked } from '../exports/accounting-document.ts';
import { EXPORTABLE } from '../exports/retry-exports.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { AccountingTemplate } from '../templates/accounting-template.entity.ts';
import { templateFile } from '../templates/template-file.ts';
import { FORMAT_NAMES, FORMATS, type FormatName, isFormat, writeFile } from './accounting-file.ts';
import { namesOf } from './accounting-names.ts';
import type { FileContents, FileFormat } from './file-format.ts';

interface FileServices {
  contextFor: (req: Request) => Promise<Context>;
  takeTurn: TakeTurn;
}

export const ACCOUNTING_FILE_PATH = '/v1/companies/{company-id}/accounting_file';
const model = 'AccountingFile';
/** Settlements of a file: what QuickBooks Online takes at once. */
const MOST = 100;
/** Characters of the name of an account. */
const LONGEST_ACCOUNT = 159;
const ACCOUNT = { type: 'string', maxLength: LONGEST_ACCOUNT };
/** The tracking categories of a line. */
const PLACES = [1, 2] as const;
const error = (name: string) => ({ $ref: `#/components/responses/${name}` });
const query = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: 'query',
  required,
  description,
  schema,
});

/** Settlements in a file that an accounting system imports. */
export const accountingFileEndpoints: readonly HttpEndpoint<FileServices>[] = [
  {
    method: 'get',
    path: ACCOUNTING_FILE_PATH,
    handlers: (services) => [serveFile(services)],
    openapi: {
      operationId: 'GetAccountingFile',
      summary: 'Get accounting file',
      description:
        'Approved settlements of one side and currency in a file that an accounting system imports (docs/accounting.md). It requires to see the rates of their side.',
      tags: ['billing'],
      parameters: [
        { name: 'company-id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
        query('format', 'The system, or `template` for one of the company.', { type: 'string', enum: FORMAT_NAMES }),
        query('template_id', 'The template, with the format `template`.', { type: 'string', format: 'uuid' }, false),
        query('settlement_ids[]', 'The settlements.', { type: 'array', maxItems: MOST, items: { type: 'string', format: 'uuid' } }),
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
  ids: string[];
  contents: Pick<FileContents, 'account' | 'taxAccount' | 'taxItem' | 'tracking'>;
}

/** @throws Invalid with every problem */
function wishesIn(params: URLSearchParams): Wishes {
  const said = (name: string): string | null => params.get(name)?.trim() || null;
  const [format, templateId, taxItem] = [said('format'), said('template_id'), said('tax_item')];
  const [account, taxAccount] = [said('account'), said('tax_account')];
  const ids = [...new Set([...params.getAll('settlement_ids[]'), ...params.getAll('settlement_ids')].map((id) => id.toLowerCase()))];
  const items: ErrorItem[] = [];
  if (!isFormat(format)) items.push({ model, field: 'format', key: 'not_one_of', params: { values: FORMAT_NAMES.join(', ') } });
  if (format === 'template' && !templateId) items.push({ model, field: 'templateId', key: 'required' });
  if (templateId && !isUuid(templateId)) items.push({ model, field: 'templateId', key: 'not_a_uuid' });
  if (ids.length === 0) items.push({ model, field: 'settlementIds', key: 'required' });
  if (ids.length > MOST) items.push({ model, field: 'settlementIds', key: 'too_many_items', params: { max: MOST } });
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
  for (const [i, id] of ids.entries()) if (!isUuid(id)) items.push({ model, field: `settlementIds.${i}`, key: 'not_a_uuid' });
  if (items.length > 0 || !isFormat(format)) throw new Invalid(items);
  return { format, templateId, ids, contents: { account, taxAccount, taxItem, tracking } };
}
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

async function fileOf(ctx: Context, companyId: string, format: FileFormat, { ids, ...asked }: Wishes): Promise<Buffer> {
  const found = await documentsOf(ctx, companyId, ids);
  const documents = [...found.values()];
  const lines = documents.reduce((sum, one) => sum + one.lines.length + one.taxes.length, 0);
  if (lines > format.mostLines)
    throw new Invalid([{ model, field: 'settlementIds', key: 'too_many_lines', params: { lines, max: format.mostLines } }]);
  const contents = { documents, names: await namesOf(ctx, companyId), ...asked.contents };
  const places = new Map([...found].map(([id, { number }]) => [number, `settlementIds.${ids.indexOf(id)}`]));
  const items = (format.problemsOf?.(contents) ?? []).map(
    ({ field, number, ...problem }): ErrorItem => ({
      ...{ model, ...problem, field: field ?? places.get(number!)! },
    }),
  );
  if (items.length > 0) throw new Invalid(items);
  return writeFile(format, contents);
}

/**
 * The documents of settlements, all of one moment: a file whose settlements were read one after the other could have one as it was before a
 * correction and another as it is after it. @throws Denied, Invalid naming each settlement that cannot be in a file with the first by its place
 */
async function documentsOf(ctx: Context, companyId: string, ids: readonly string[]): Promise<Map<string, AccountingDocument>> {
  const items: ErrorItem[] = [];
  const { settlements } = await resolveReferences(
    ctx,
    { settlementIds: ids },
    { settlements: [Settlement, 'settlementIds'] },
    { model, companyId, items },
  );
  const seen = (settlements as unknown as (Settlement | undefined)[]).flatMap((one) => one ?? []);
  for (const settlement of seen) requireMoney(ctx, settlement);
  const documents = await documentsAsTheyAre(ctx, seen);
  const [first] = documents.values();
  for (const { id, state } of seen) {
    const document = documents.get(id);
    const problem = document ? problemOf(document, first!) : { key: 'settlement_not_sendable', params: { state } };
    if (problem) items.push({ model, field: `settlementIds.${ids.indexOf(id)}`, ...problem });
  }
  if (items.length > 0) throw new Invalid(items.sort((a, b) => placeOf(a) - placeOf(b)));
  return documents;
}

const REVERSALS = `select e.settlement_id as "settlementId", e.document from settlement_export e where e.settlement_id = any($1::uuid[]) and e.reverses`;

/**
 * The documents by their settlements, in the order of these. Of what was voided after it was exported, a file has what takes it back: its invoices may say
 * something else since.
 */
async function documentsAsTheyAre(ctx: Context, settlements: readonly Settlement[]): Promise<Map<string, AccountingDocument>> {
  const idsOf = (isVoided: boolean) => settlements.filter(({ state }) => (state === 'voided') === isVoided).map(({ id }) => id);
  const [voided, live] = [idsOf(true), idsOf(false)];
  const rows = voided.length === 0 ? [] : await queryOf<{ settlementId: string; document: AccountingDocument }>(ctx, REVERSALS, [voided]);
  const drawn = live.length === 0 ? [] : await accountingDocumentsOf(ctx, live);
  const found = new Map([...rows.map(({ document }) => document), ...drawn].map((one) => [one.settlementId, one]));
  return new Map(settlements.flatMap(({ id }): [string, AccountingDocument][] => (found.has(id) ? [[id, found.get(id)!]] : [])));
}

const placeOf = ({ field }: ErrorItem): number => Number(field.split('.')[1]);

/** Why a document cannot be in a file with the first one. */
function problemOf({ state, kind, currency, lines, taxes }: AccountingDocument, first: AccountingDocument): Problem | undefined {
  if (!EXPORTABLE.includes(state)) return { key: 'settlement_not_sendable', params: { state } };
  if ((kind === 'customer') !== (first.kind === 'customer')) return { key: 'invoice_of_other_side' };
  if (currency !== first.currency) return { key: 'invoice_of_other_currency' };
  // A file has a row for each line, so a document without any would not be in it.
  return lines.length + taxes.length === 0 ? { key: 'settlement_without_lines' } : undefined;
}
type Problem = Pick<ErrorItem, 'key' | 'params'>;
