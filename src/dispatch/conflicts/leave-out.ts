import type { ErrorItem } from '../../platform/errors.ts';

/**
 * Replacements for refused fields without which a write cannot run; undefined if there is none.
 * @param wrong paths below the field that caused the refusal, such as `1.siteId`; `` for the field itself
 */
export type Substitutes<I> = { [K in keyof I]?: (given: I[K], wrong: readonly string[]) => I[K] | undefined | Promise<I[K] | undefined> };

const isComplianceDocument = ({ key }: ErrorItem) => key.startsWith('compliance_');

/**
 * Returns a write's input without its refused parts. Blocking compliance documents are overridden first. A trial with the result shows the
 * warnings that would follow once the errors are corrected. Required fields are replaced by what `substitutes` returns for them.
 * @returns undefined if nothing is left that could be tried
 */
export async function leaveOut<I extends object>(
  input: I & Overriding,
  items: readonly ErrorItem[],
  substitutes: Substitutes<I>,
): Promise<(I & Overriding) | undefined> {
  const left = Object.assign(Object.create(Object.getPrototypeOf(input)), input) as I & Overriding;
  const overrides = !input.complianceOverride && items.some(isComplianceDocument);
  const blamed = Map.groupBy(
    items.filter((item) => !(overrides && isComplianceDocument(item))),
    ({ field }) => field.split('.')[0] as keyof I & string,
  );
  for (const [field, wrong] of blamed) {
    if (left[field] === undefined) return undefined;
    delete left[field];
    const substitute = substitutes[field];
    if (!substitute) continue;
    const paths = wrong.map((item) => item.field.slice(field.length + 1));
    const value = await substitute(input[field], paths);
    if (value === undefined) return undefined;
    left[field] = value;
  }
  if (Object.values(left).every((value) => value === undefined)) return undefined;
  return overrides ? Object.assign(left, { complianceOverride: true }) : left;
}

/** A trial may override compliance documents even if the client's own write may not. */
export interface Overriding {
  complianceOverride?: boolean | null;
}
