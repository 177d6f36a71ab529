import { allow, companyOf, findKept } from '../../../platform/authz/authorization.ts';
import type { Context } from '../../../platform/context.ts';
import { type ErrorItem, Invalid, Missing } from '../../../platform/errors.ts';
import { isUuid } from '../../../platform/ids.ts';
import { mayReadInvoices } from '../../invoices/read-invoice.ts';
import { TRACKED, type Tracked } from '../exports/accounting-document.ts';
import { MANAGES_ACCOUNTING } from '../settings.ts';
import { AccountingTemplate } from '../templates/accounting-template.entity.ts';
import { templateFile } from '../templates/template-file.ts';
import { type AccountingFileFormat, FORMAT_NAMES, FORMATS, isFormat, writeFile } from './accounting-file.ts';
import { namesOf } from './accounting-names.ts';
import { documentsOf, placesOf, type Wanted } from './documents-of-file.ts';
import type { FileContents, FileFormat } from './file-format.ts';

const model = 'AccountingFile';
/** Settlements and invoices of a file: what QuickBooks Online takes at once. */
export const MOST = 100;
/** Characters of the name of an account. */
export const LONGEST_ACCOUNT = 159;
/** The tracking categories of a line. */
export const MOST_TRACKED = 2;

/** A file as somebody asks for it, unchecked. */
export interface FileWishes extends Wanted {
  format: string | null;
  templateId?: string | null;
  account?: string | null;
  taxAccount?: string | null;
  taxItem?: string | null;
  /** Those with neither are none, but keep their place. */
  tracking: readonly { by?: string | null; name?: string | null }[];
}

/** The fields of an interface in which a tracking category is, as errors name them. @param at its place, from 0 */
export interface TrackingFields {
  all: string;
  by(at: number): string;
  name(at: number): string;
}

/** A file for an accounting system. */
export interface MadeFile {
  /** With its ending. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

/**
 * Makes the file of approved settlements, and of approved invoices that are in none, which an accounting system imports (BILLING B12). Nothing is changed.
 * @throws Missing, Denied, Invalid with every problem
 */
export async function makeAccountingFile(
  ctx: Context,
  path: { companyId?: string | null },
  wishes: FileWishes,
  fields: TrackingFields,
): Promise<MadeFile> {
  const companyId = companyOf(ctx, path.companyId);
  allow(ctx, MANAGES_ACCOUNTING);
  mayReadInvoices(ctx);
  const asked = checked(wishes, fields);
  const format = await formatOf(ctx, companyId, asked);
  return {
    name: `settlements-${asked.format.replaceAll('_', '-')}.${format.extension}`,
    mediaType: format.mediaType,
    bytes: await bytesOf(ctx, companyId, format, asked),
  };
}

interface Asked {
  format: AccountingFileFormat;
  templateId: string | null;
  wanted: Wanted;
  contents: Pick<FileContents, 'account' | 'taxAccount' | 'taxItem' | 'tracking'>;
}

/** @throws Invalid with every problem */
function checked(wishes: FileWishes, fields: TrackingFields): Asked {
  const { format } = wishes;
  const [templateId, taxItem] = [said(wishes.templateId), said(wishes.taxItem)];
  const [account, taxAccount] = [said(wishes.account), said(wishes.taxAccount)];
  const lower = (ids: readonly string[]) => ids.map((id) => id.toLowerCase());
  const wanted = { settlementIds: lower(wishes.settlementIds), invoiceIds: lower(wishes.invoiceIds) };
  const items: ErrorItem[] = [];
  if (!isFormat(format)) items.push({ model, field: 'format', key: 'not_one_of', params: { values: FORMAT_NAMES.join(', ') } });
  if (format === 'template' && !templateId) items.push({ model, field: 'templateId', key: 'required' });
  if (templateId && !isUuid(templateId)) items.push({ model, field: 'templateId', key: 'not_a_uuid' });
  const count = wanted.settlementIds.length + wanted.invoiceIds.length;
  if (count === 0) items.push({ model, field: 'settlementIds', key: 'required' });
  if (count > MOST) items.push({ model, field: listOf(wanted), key: 'too_many_items', params: { max: MOST } });
  if (wishes.tracking.length > MOST_TRACKED) items.push({ model, field: fields.all, key: 'too_many_items', params: { max: MOST_TRACKED } });
  const categories = wishes.tracking.slice(0, MOST_TRACKED).map(({ by, name }, at) => ({ at, by: said(by), name: said(name) }));
  const tracking = categories.flatMap(({ at, by, name }) => {
    if (isTracked(by)) return [{ by, name: name ?? by[0]!.toUpperCase() + by.slice(1) }];
    if (by ?? name) items.push({ model, field: fields.by(at), key: 'not_one_of', params: { values: TRACKED.join(', ') } });
    return [];
  });
  const extras = isFormat(format) && format !== 'template' ? ((FORMATS[format] as FileFormat).extras ?? []) : [];
  if (taxItem && !extras.includes('taxItem')) items.push({ model, field: 'taxItem', key: 'not_of_format' });
  if (tracking.length > 0 && !extras.includes('tracking')) items.push({ model, field: fields.all, key: 'not_of_format' });
  const texts = { account, taxAccount, taxItem, ...Object.fromEntries(categories.map(({ at, name }) => [fields.name(at), name])) };
  for (const [field, text] of Object.entries(texts))
    if (text && text.length > LONGEST_ACCOUNT) items.push({ model, field, key: 'wrong_length', params: { min: 0, max: LONGEST_ACCOUNT } });
  for (const [id, field] of placesOf(wanted)) if (!isUuid(id)) items.push({ model, field, key: 'not_a_uuid' });
  if (items.length > 0 || !isFormat(format)) throw new Invalid(items);
  return { format, templateId, wanted, contents: { account, taxAccount, taxItem, tracking } };
}
/** A text without its outer blanks; null for one that says nothing. */
const said = (text: string | null | undefined): string | null => text?.trim() || null;
/** The list in which something is said that is wrong with all of it. */
const listOf = ({ settlementIds }: Wanted): string => (settlementIds.length > 0 ? 'settlementIds' : 'invoiceIds');
const isTracked = (name: string | null): name is Tracked => (TRACKED as readonly (string | null)[]).includes(name);

/** @throws Invalid for a template that the company does not have */
async function formatOf(ctx: Context, companyId: string, { format, templateId }: Asked): Promise<FileFormat> {
  if (format !== 'template') return FORMATS[format];
  try {
    return templateFile(await findKept(ctx, AccountingTemplate, templateId!, { companyId }));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    throw new Invalid([{ model, field: 'templateId', key: 'must_exist' }]);
  }
}

async function bytesOf(ctx: Context, companyId: string, format: FileFormat, { wanted, ...asked }: Asked): Promise<Buffer> {
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
