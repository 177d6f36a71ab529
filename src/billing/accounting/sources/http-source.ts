import { authorizationOf, isObject, jsonOf, ProviderError } from '../../../platform/http/remote.ts';
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
};
