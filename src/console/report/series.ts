import { amountOf, type Column, nameOf } from './columns.ts';
import type { Group } from './report-data.ts';

/** More lines than that cannot be distinguished: the table has the others. */
const MOST_SERIES = 8;

/** A measure over the values of the first key, in their order; null where it has no value. */
export interface Series {
  label: string;
  data: (number | null)[];
}

const idOf = ({ keys }: Group, at: number): string => keys[at]?.value ?? '';

/**
 * Returns one measure as it is plotted: its values over the first key, and a series for each value of the other keys. Two records may be called the same, so they are
 * known by their values, and named by their names.
 */
export function seriesOf(groups: readonly Group[], column: Column): { labels: string[]; series: Series[] } {
  const places = new Map(groups.map((group) => [idOf(group, 0), nameOf(group, 0)]));
  const others = Map.groupBy(groups, (group) => JSON.stringify(group.keys.slice(1).map(({ value }) => value)));
  const series = [...others.values()].slice(0, MOST_SERIES).map((of): Series => {
    const label = of[0]!.keys
      .slice(1)
      .map((_, at) => nameOf(of[0]!, at + 1))
      .join(', ');
    const values = new Map(of.map((group) => [idOf(group, 0), amountOf(group.values, column)]));
    const numberAt = (place: string): number | null => (values.get(place) == null ? null : Number(values.get(place)));
    return { label, data: [...places.keys()].map(numberAt) };
  });
  return { labels: [...places.values()], series };
}
