import type { Group, ReportData, Value } from './report-data.ts';

/** A column of the table, and a plot: one unit of one measure. */
export interface Column {
  measure: string;
  unit: string | null;
}

/** Words of a name: `on_time_starts` is "On time starts". */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
export const titleOf = ({ measure, unit }: Column): string => (unit ? `${wordsOf(measure)} (${unit})` : wordsOf(measure));
export const amountOf = (values: readonly Value[], { measure, unit }: Column): string | null =>
  values.find((one) => one.measure === measure && one.unit === unit)?.value ?? null;
export const nameOf = ({ keys }: Group, at: number): string => keys[at]?.label || keys[at]?.value || 'none';

/** A column for each unit that occurs. */
export function columnsOf({ measures, groups, totals }: ReportData): Column[] {
  return measures.flatMap(({ measure }) => {
    const values = [...groups.flatMap((group) => group.values), ...totals].filter((value) => value.measure === measure);
    return [...new Set(values.map(({ unit }) => unit))].map((unit) => ({ measure, unit }));
  });
}
