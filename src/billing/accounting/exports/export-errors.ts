import type { TxContext } from '../../../platform/commands/transact.ts';
import { queryIn } from '../../../platform/database/sql.ts';
import { ProviderError } from '../../../platform/http/remote.ts';
import { translate } from '../../../platform/i18n/messages.ts';
import { stringEnum } from '../../../platform/model/columns.ts';
import { languageOf } from '../../settlements/documents/language-of.ts';

/** Why a document is not in an accounting system. */
export const ExportError = stringEnum('ExportError', [
  'document_refused',
  'credentials_refused',
  'not_answered',
  'not_exportable',
  'not_linked',
  'not_mapped',
  'pay_of_driver',
  'went_wrong_here',
]);
export type ExportError = keyof typeof ExportError;

/** Characters of what a system says that are kept. */
const LONGEST = 300;

/** A document that trying again does not make right. */
export class DocumentRefused extends ProviderError {
  /** @param params of the sentence that says so */
  constructor(
    readonly code: ExportError,
    readonly params: Record<string, string | number> = {},
  ) {
    super(code);
  }
}

/** Returns the words of a system as they are quoted: in one line, and not longer than people read. */
export const quoted = (words: string): string => {
  const line = words.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line === '' ? '' : ` “${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line}”`;
};

/** The reason of a failure as a code, with what its sentence says. */
export function reasonOfFailure(error: unknown): { code: ExportError; params: Record<string, string | number> } {
  if (error instanceof DocumentRefused) return error;
  if (!(error instanceof ProviderError)) return { code: 'went_wrong_here', params: {} };
  return error.refused ? { code: 'credentials_refused', params: {} } : { code: 'not_answered', params: { said: quoted(error.message) } };
}

const LANGUAGE = 'select c.language, a.country from company c left join address a on a.id = c.address_id where c.id = $1';

/** Says in the language of a company why a document is not in its accounting system: a sentence of ours, with what the system says as a quotation. */
export async function sentenceOf(tx: TxContext, companyId: string, { code, params }: ReturnType<typeof reasonOfFailure>): Promise<string> {
  const [company] = await queryIn<{ language: string; country: string | null }>(tx.em, LANGUAGE, [companyId]);
  return translate(languageOf(company!.language, company!.country), `export_${code}`, { said: '', ...params });
}
