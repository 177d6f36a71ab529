import { authorizationOf, jsonOf, ProviderError } from '../../../platform/http/remote.ts';
import { isObject } from '../../../platform/json/objects.ts';
import { DocumentRefused, quoted } from '../exports/export-errors.ts';
import type { AccountingSource } from './accounting-source.ts';
import { recordsOf } from './source-records.ts';

/** Any system that lists its records in JSON below one address (docs/accounting.md): `GET {server}/customers?cursor=...`. */
export const httpSource: AccountingSource = {
  async read({ server, credentials }, kind, cursor, call) {
    const url = new URL(`${server}/${kind}`);
    if (cursor !== null) url.searchParams.set('cursor', cursor);
    const answer = await jsonOf(await call.fetch(url, { headers: { Accept: 'application/json', ...authorizationOf(credentials) } }));
    const list = isObject(answer) ? answer.data : answer;
    if (!Array.isArray(list)) throw new ProviderError(`the answer of the provider has no list of ${kind}`);
    const next = isObject(answer) ? answer.next : null;
    const follows = (typeof next === 'string' || typeof next === 'number') && next !== '' ? String(next) : null;
    return { records: recordsOf(kind, list), next: follows };
  },
  async push({ server, credentials }, { key, document }, call) {
    const headers = {
      ...{ Accept: 'application/json', 'Content-Type': 'application/json', 'Idempotency-Key': key },
      ...authorizationOf(credentials),
    };
    const response = await call.fetch(`${server}/documents`, { method: 'POST', headers, body: JSON.stringify(document) });
    if (isRefusal(response.status))
      throw new DocumentRefused('document_refused', { status: response.status, said: await saidIn(response) });
    const answer = await jsonOf(response);
    const { id } = (isObject(answer) && isObject(answer.data) ? answer.data : answer) as { id?: unknown };
    if ((typeof id !== 'string' && typeof id !== 'number') || id === '') throw new ProviderError('the answer of the provider has no id');
    return String(id).slice(0, LONGEST);
  },
};

/** Characters of an id of the system that are kept. */
const LONGEST = 300;

/** Whether a status says that the document is wrong, and not the moment or the credentials. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);

/** Returns the words with which the system refuses a document, as a quotation. */
async function saidIn(response: Response): Promise<string> {
  const said: unknown = await response.json().catch(() => undefined);
  const reason = isObject(said) ? (said.error ?? said.message) : undefined;
  return typeof reason === 'string' ? quoted(reason) : '';
}
