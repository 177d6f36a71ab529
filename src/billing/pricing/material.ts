import type { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { amount, computed, FINE, type Figure, sum } from './figure.ts';
import { inUnit, isSplit, type Line, type LoadFacts, NOTHING, nameOf } from './freight.ts';

/** The price of a material, to the customer or from the supplier. */
export interface MaterialTerms {
  price: Figure;
  unit: UnitOfMeasure;
}

/** A price of all loads, or of each; undefined of a load whose material is not charged. */
export type MaterialOf = MaterialTerms | ((load: LoadFacts) => MaterialTerms | undefined);

/** Returns a line of material for each load, by what was delivered: minimums are the freight's (BILLING B3, material itemized). */
export const materialLines = (material: MaterialOf, loads: readonly LoadFacts[]): Line[] =>
  loads.flatMap((load) => {
    const terms = typeof material === 'function' ? material(load) : material;
    if (!terms) return [];
    const { price, unit } = terms;
    const found = inUnit(load, unit);
    const blocker = typeof found === 'string' ? found : undefined;
    const quantity = typeof found === 'string' ? NOTHING : computed('sum', 'delivered', [found], FINE);
    const name = `material of ${nameOf(load, unit)}`;
    const line: Line = {
      ...{ kind: 'material', loadId: load.id, name, delivered: quantity, quantity, unit, rate: price },
      ...{ rateType: null, amount: amount(name, quantity, price) },
    };
    return blocker ? { ...line, blocker } : line;
  });

/**
 * Returns lines as they are printed if material is not charged by itself (BILLING B3, material folded): the material of a load is part of its
 * freight line, at the sum of both rates, if both are of one unit and it is one line. The minimum is the freight's, so such a line has two terms.
 */
export function foldMaterial(lines: readonly Line[]): readonly Line[] {
  if (lines.every(({ kind }) => kind === 'freight')) return lines;
  const materials = new Map(lines.flatMap((line) => (line.kind === 'material' && line.loadId ? [[line.loadId, line] as const] : [])));
  const folded = new Set<Line>();
  const freight = lines
    .filter(({ kind }) => kind === 'freight')
    .map((line) => {
      const material = line.loadId && materials.get(line.loadId);
      if (!material || material.unit !== line.unit || isSplit(lines, line)) return line;
      folded.add(material);
      const label = `${line.name} with material`;
      const blocker = line.blocker ?? material.blocker;
      return {
        ...line,
        ...{ rate: sum(label, [line.rate, material.rate]), amount: sum(label, [line.amount, material.amount]) },
        ...(blocker ? { blocker } : {}),
      };
    });
  return [...freight, ...lines.filter((line) => line.kind === 'material' && !folded.has(line))];
}
