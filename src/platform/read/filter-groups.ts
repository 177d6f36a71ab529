import type { Context } from '../context.ts';
import { type ErrorItem, Invalid } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { flatten, grammarOf } from './grammar.ts';

/** Filters that must all be met, and groups of which none (`not`) or at least one (`or`) must be. */
export interface FilterGroup {
  /** By dotted name. */
  filters: Map<string, unknown>;
  groups: { kind: 'not' | 'or'; of: FilterGroup[] }[];
}

/** Conditions of one filter at most, those of its groups included: each is SQL. */
const MOST_CONDITIONS = 30;

interface Input {
  not?: readonly object[] | null;
  or?: readonly object[] | null;
}

/**
 * Reads the `filter` argument of a list.
 * @throws Invalid on ids that are none, and on more conditions than a statement should have
 */
export async function readFilters(
  entity: Function,
  input: object | null | undefined,
  ctx: Context,
  companyId: string,
): Promise<FilterGroup> {
  const items: ErrorItem[] = [];
  const model = entity.name;
  let conditions = 0;
  const read = async (given: object, at: string): Promise<FilterGroup> => {
    const filters = new Map<string, unknown>();
    for (const [field, value] of flatten(given)) {
      const name = value === false && `${field}.not` in grammarOf(entity).filters ? `${field}.not` : field;
      const spec = grammarOf(entity).filters[name];
      if (!spec) continue;
      conditions++;
      // GraphQL's ID takes any text; PostgreSQL would refuse the whole statement.
      if (spec.cast.startsWith('uuid') && ![value].flat().every(isUuid)) items.push({ model, field: `${at}.${name}`, key: 'not_a_uuid' });
      filters.set(name, spec.value ? await spec.value(value, ctx, companyId) : value);
    }
    return { filters, groups: [] };
  };
  const { not, or, ...plain } = (input ?? {}) as Input;
  const group = await read(plain, 'filter');
  for (const [kind, of] of [['not', not] as const, ['or', or] as const]) {
    if (!of) continue;
    conditions += of.length;
    if (conditions > MOST_CONDITIONS) throw tooLarge(model);
    const inside: FilterGroup[] = [];
    for (const [i, one] of of.entries()) inside.push(await read(one, `filter.${kind}.${i}`));
    group.groups.push({ kind, of: inside });
  }
  if (conditions > MOST_CONDITIONS) throw tooLarge(model);
  if (items.length > 0) throw new Invalid(items);
  return group;
}

const tooLarge = (model: string): Invalid =>
  new Invalid([{ model, field: 'filter', key: 'filter_too_large', params: { conditions: MOST_CONDITIONS } }]);

/** Names everything about a group that a plan depends on. */
export const shapeOf = ({ filters, groups }: FilterGroup): string =>
  [[...filters.keys()].sort().join(), ...groups.map(({ kind, of }) => `${kind}(${of.map(shapeOf).join(';')})`)].join('');

/** Whether anything is filtered at all. */
export const isFiltered = ({ filters, groups }: FilterGroup): boolean => filters.size > 0 || groups.length > 0;
