import { amount, type Figure, given, sum } from './figure.ts';
import { isSplit, type Line } from './freight.ts';

/** The values that somebody set on a line by hand, instead of those of the work. */
export interface LineEdit {
  kind: Line['kind'];
  loadId: string | null;
  quantity?: Figure;
  /** As the line is printed: with the price of the material if that is part of the freight. */
  rate?: Figure;
  /** Minutes that are paid, before minimum and increment; only of the line of time. */
  minutes?: Figure;
  /** Of these, by how many somebody adjusted what is paid otherwise, unless they set between which times. */
  adjusted?: Figure;
  /** The line is left out, and the load is not billed. */
  removed?: true;
}

/**
 * Returns lines as somebody edited them (BILLING B2.3). A material that is printed as a part of the freight follows the edit of that line.
 * A line is known by its kind and load; of several alike, none is edited.
 * @param folded materials are printed as a part of the freight, if both are of one unit
 */
export function editedLines(lines: readonly Line[], edits: readonly LineEdit[], folded: boolean): Line[] {
  if (edits.length === 0) return [...lines];
  const alike = (one: Pick<Line, 'kind' | 'loadId'>) => (other: Pick<Line, 'kind' | 'loadId'>) =>
    one.kind === other.kind && one.loadId === other.loadId;
  const editOf = (line: Line) => (isSplit(lines, line) ? undefined : edits.find(alike(line)));
  const counterpart = (line: Line): Line | undefined =>
    folded && line.loadId !== null
      ? lines.find((one) => one.kind !== line.kind && one.loadId === line.loadId && one.unit === line.unit && !isSplit(lines, one))
      : undefined;
  return lines.flatMap((line) => {
    const partner = counterpart(line);
    const isPart = line.kind === 'material' && partner !== undefined;
    const edit = editOf(isPart ? partner : line);
    if (!edit) return [line];
    if (edit.removed) return [];
    const { blocker, ...rest } = line;
    const quantity = edit.quantity ?? line.quantity;
    const rate = isPart ? line.rate : ((edit.rate && partner ? without(edit.rate, partner.rate) : edit.rate) ?? line.rate);
    if (quantity === line.quantity && rate === line.rate) return [line];
    // A quantity by hand is one that was missing.
    const left = edit.quantity ? {} : blocker ? { blocker } : {};
    return [{ ...rest, ...left, quantity, rate, amount: amount(line.amount.label, quantity, rate) }];
  });
}

/** Returns the part of a printed rate that is left for the freight. */
const without = (rate: Figure, material: Figure): Figure =>
  sum(rate.label, [rate, given('less the material', material.value.neg(), material.source)]);
