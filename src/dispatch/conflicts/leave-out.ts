import type { ErrorItem } from '../../platform/errors.ts';

/**
 * What stands in for a field that a write cannot be without, when it was refused; undefined where nothing can.
 * @param wrong paths below the field that are to blame, such as `1.siteId`; `` for the field itself
 */
export type Substitutes<I> = { [K in keyof I]?: (given: I[K], wrong: readonly string[]) => I[K] | undefined | Promise<I[K] | undefined> };

const isComplianceDocument = ({ key }: ErrorItem) => key.startsWith('compliance_');

/**
 * What is left of a write's input without what was refused of it, papers that gate dispatch being overridden first: for what would be told
 * of it once that is mended. Only what `standIns` names the write cannot be without.
 * @returns undefined when nothing is left that could be tried
 */
export async function leaveOut<I extends object>(
  input: I & Overriding,
  items: readonly ErrorItem[],
  standIns: Substitutes<I>,
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
    const standIn = standIns[field];
    if (!standIn) continue;
    const paths = wrong.map((item) => item.field.slice(field.length + 1));
    const value = await standIn(input[field], paths);
    if (value === undefined) return undefined;
    left[field] = value;
  }
  if (Object.values(left).every((value) => value === undefined)) return undefined;
  return overrides ? Object.assign(left, { complianceOverride: true }) : left;
}

/** A trial may override papers also of writes that a client cannot have override them. */
export interface Overriding {
  complianceOverride?: boolean | null;
}
