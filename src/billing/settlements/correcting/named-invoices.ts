import type { ErrorItem } from '../../../platform/errors.ts';
import { isUuid } from '../../../platform/ids.ts';

/**
 * Returns what is wrong with the invoices that a list of changes names: each must be one of a settlement, and be named once.
 * @param at the field of the list, for error items
 * @param known the ids of the settlement's invoices
 * @param keyOf the key of another problem of a change; undefined if there is none
 */
export function problemsOfNamed<C extends { invoiceId: string }>(
  changes: readonly C[],
  at: string,
  known: { has(id: string): boolean },
  keyOf: (change: C) => string | undefined = () => undefined,
): ErrorItem[] {
  const named = new Set<string>();
  return changes.flatMap((change, index) => {
    const { invoiceId } = change;
    const id = invoiceId.toLowerCase();
    const isRepeated = named.has(id);
    named.add(id);
    const key = !isUuid(invoiceId) ? 'not_a_uuid' : !known.has(id) ? 'must_exist' : isRepeated ? 'given_twice' : keyOf(change);
    return key ? [{ model: 'Settlement', field: `${at}.${index}.invoiceId`, key }] : [];
  });
}
