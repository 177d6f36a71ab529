import { Decimal } from '../../../platform/decimal.ts';
import { stringEnum } from '../../../platform/model/columns.ts';
import type { FileContents, FileFormat } from './file-format.ts';
import { quickbooksDesktop } from './quickbooks-desktop.ts';
import { quickbooksOnline } from './quickbooks-online.ts';
import { sage100Contractor } from './sage-100-contractor.ts';
import { xero } from './xero.ts';

export const FORMATS = {
  quickbooks_desktop: quickbooksDesktop,
  quickbooks_online: quickbooksOnline,
  sage_100_contractor: sage100Contractor,
  xero,
} satisfies Record<string, FileFormat>;
/** Those, and that of a template of the company. */
export const AccountingFileFormat = stringEnum('AccountingFileFormat', [...(Object.keys(FORMATS) as (keyof typeof FORMATS)[]), 'template']);
export type AccountingFileFormat = keyof typeof AccountingFileFormat;
export const FORMAT_NAMES: readonly string[] = Object.keys(AccountingFileFormat);
export const isFormat = (name: unknown): name is AccountingFileFormat => typeof name === 'string' && FORMAT_NAMES.includes(name);

/** @throws Error if what the file says of a settlement is not its total: then nobody gets it */
export function writeFile(format: FileFormat, contents: FileContents): Buffer {
  const file = format.write(contents);
  const found = format.read(file);
  for (const { number, total } of contents.documents)
    if (!new Decimal(total).equals(found.get(number) ?? Number.NaN)) throw new Error(`the file does not add up to ${number}`);
  if (found.size !== contents.documents.length) throw new Error('the file has other documents than it should');
  return file;
}
