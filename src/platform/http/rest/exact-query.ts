import { getNullableType } from 'graphql';
import type { ErrorItem } from '../../errors.ts';
import type { RestOperation, RestVariable } from './operation.ts';
import { decode, MAX_PARAMETERS } from './query.ts';

/** Characters of a parameter's name that an error repeats. */
const SHOWN = 100;

/**
 * What is wrong with the query string of an operation. Most forgive what they do not know, as links carry all kinds; no write may take a
 * rehearsal for the real thing.
 * @param search with or without its question mark
 */
export function faultsOf(search: string, { kind, exact, variables }: Pick<RestOperation, 'kind' | 'exact' | 'variables'>): ErrorItem[] {
  if (exact) return queryFaults(search, variables);
  return kind === 'mutation'
    ? queryFaults(search, variables).filter(({ field, key }) => key === 'unknown_parameter' && REHEARSAL.test(field))
    : [];
}

/** However it is spelled. */
const REHEARSAL = /^dry[_-]?run(\[|$)/i;

/**
 * What lists forgive and a write must not: query parameters that are unknown, empty, or given more than once, where a parameter
 * decides what the write does. Parameters of the type JSON take names in brackets, and empty texts.
 * @param search the query string, with or without its question mark
 */
export function queryFaults(search: string, variables: readonly RestVariable[]): ErrorItem[] {
  const known = new Map(variables.flatMap((one) => (one.place === 'query' ? [[one.wire, one] as const] : [])));
  const seen = new Set<string>();
  const faults = new Map<string, ErrorItem>();
  const fault = (name: string, key: string) => {
    const field = name.slice(0, SHOWN).toWellFormed().replaceAll('\0', '\uFFFD');
    if (!faults.has(field)) faults.set(field, { model: 'Request', field, key });
  };
  const pairs = search.replace(/^\?/, '').split('&', MAX_PARAMETERS + 1);
  for (const pair of pairs.slice(0, MAX_PARAMETERS)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const variable = known.get(name) ?? known.get(/^([^[\]]+)\[[^[\]]*\]$/.exec(name)?.[1] ?? '');
    const isMap = variable !== undefined && String(getNullableType(variable.type)) === 'JSON';
    if (!variable || (name !== variable.wire) !== isMap) fault(name, 'unknown_parameter');
    else if (seen.has(name)) fault(name, 'given_twice');
    else if (!isMap && (equals < 0 || equals === pair.length - 1)) fault(name, 'parameter_empty');
    seen.add(name);
  }
  if (pairs.length > MAX_PARAMETERS) fault('', 'unknown_parameter');
  return [...faults.values()];
}
