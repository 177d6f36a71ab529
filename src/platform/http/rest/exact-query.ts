import { getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import type { ErrorItem } from '../../errors.ts';
import { wireFields } from '../../model/names.ts';
import { shown } from './ignored.ts';
import type { RestOperation, RestVariable } from './operation.ts';
import { decode, MAX_PARAMETERS } from './query.ts';

/**
 * Returns the errors of an operation's query string. Most operations ignore unknown parameters, because links contain all kinds of them;
 * a write must not ignore a misspelt `dry_run`.
 * @param search with or without its question mark
 */
export function faultsOf(
  search: string,
  { kind, exact, paged, rootType, variables }: Pick<RestOperation, 'kind' | 'exact' | 'paged' | 'rootType' | 'variables'>,
): ErrorItem[] {
  if (exact) return queryFaults(search, variables);
  if (kind === 'mutation')
    return queryFaults(search, variables).filter(({ field, key }) => key === 'unknown_parameter' && DRY_RUN.test(field));
  return paged || isListType(getNullableType(rootType)) ? searchFaults(search, variables) : [];
}

/**
 * Searches that a list does not have. Links carry all kinds of other unknown parameters, but somebody who searches would take the whole
 * list for the result.
 */
function searchFaults(search: string, variables: readonly RestVariable[]): ErrorItem[] {
  if (!search.includes('search')) return [];
  const faults = new Map<string, ErrorItem>();
  for (const pair of search.replace(/^\?/, '').split('&', MAX_PARAMETERS)) {
    const equals = pair.indexOf('=');
    if (equals < 0 || equals === pair.length - 1) continue;
    const name = decode(pair.slice(0, equals));
    const steps = name.split('[').map((step) => step.replace(/\]$/, ''));
    if (steps.includes('search') && !leadsToField(steps, variables)) faults.set(name, fault(name, 'not_searchable'));
  }
  return [...faults.values()];
}

/** Whether the steps of a bracketed name lead to a value of a variable: `search`, `datagrid`. */
function leadsToField([first, ...steps]: readonly string[], variables: readonly RestVariable[]): boolean {
  const variable = variables.find(({ place, wire }) => place === 'query' && wire === first);
  let type = variable && getNamedType(variable.type);
  for (const step of steps) {
    if (!isInputObjectType(type)) return false;
    const name = wireFields(type).get(step);
    type = name === undefined ? undefined : getNamedType(type.getFields()[name]!.type);
  }
  return type !== undefined;
}

/** However it is spelled. */
const DRY_RUN = /^dry[_-]?run(\[|$)/i;

/**
 * The faults that lists forgive and a write must not: query parameters that are unknown, empty, or given more than once, where a parameter
 * decides what the write does. Parameters of the type JSON take names in brackets, and empty texts.
 * @param search the query string, with or without its question mark
 */
export function queryFaults(search: string, variables: readonly RestVariable[]): ErrorItem[] {
  const known = new Map(variables.flatMap((one) => (one.place === 'query' ? [[one.wire, one] as const] : [])));
  const seen = new Set<string>();
  const faults = new Map<string, ErrorItem>();
  const add = (name: string, key: string) => {
    const item = fault(name, key);
    if (!faults.has(item.field)) faults.set(item.field, item);
  };
  const pairs = search.replace(/^\?/, '').split('&', MAX_PARAMETERS + 1);
  for (const pair of pairs.slice(0, MAX_PARAMETERS)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const variable = known.get(name) ?? known.get(/^([^[\]]+)\[[^[\]]*\]$/.exec(name)?.[1] ?? '');
    const isMap = variable !== undefined && String(getNullableType(variable.type)) === 'JSON';
    if (!variable || (name !== variable.wire) !== isMap) add(name, 'unknown_parameter');
    else if (seen.has(name)) add(name, 'given_twice');
    else if (!isMap && (equals < 0 || equals === pair.length - 1)) add(name, 'parameter_empty');
    seen.add(name);
  }
  if (pairs.length > MAX_PARAMETERS) add('', 'unknown_parameter');
  return [...faults.values()];
}

/** @param name as the client wrote it; the error repeats its beginning, as text that can be stored */
const fault = (name: string, key: string): ErrorItem => ({
  model: 'Request',
  field: shown(name),
  key,
});
