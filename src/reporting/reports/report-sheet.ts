import type { CsvRow } from '../../platform/csv.ts';
import type { MetricGroup } from '../metrics/metric.inputs.ts';
import type { Metric } from '../metrics/metric-enums.ts';

/** The parts of a table of groups. */
interface Sheet {
  groupBy: readonly string[];
  measures: readonly { measure: Metric; byUnit: boolean }[];
  groups: readonly MetricGroup[];
}

/** Returns the lines of a table: a column for each key, and for each unit of a measure that occurs. */
export function sheetOf({ groupBy, measures, groups }: Sheet): CsvRow[] {
  const columns = measures.flatMap(({ measure, byUnit }) => {
    const units = new Set(groups.flatMap(({ values }) => values.flatMap((value) => (value.measure === measure ? [value.unit] : []))));
    return byUnit ? [...units].sort().map((unit) => ({ measure, unit })) : [{ measure, unit: units.values().next().value ?? null }];
  });
  const head = [...groupBy, ...columns.map(({ measure, unit }) => (unit ? `${measure} (${unit})` : measure))];
  const lines = groups.map(({ keys, values }) => [
    ...keys.map(({ label, value }) => label ?? value),
    ...columns.map(({ measure, unit }) => values.find((one) => one.measure === measure && one.unit === unit)?.value ?? null),
  ]);
  return [head, ...lines];
}
