import type { Sheet } from '../../platform/http/rest/exports/formats.ts';
import type { MetricDimension } from './metric-enums.ts';

/** A group as REST answers it. */
interface Group {
  keys: { dimension: string; value: string | null; label: string | null }[];
  values: { measure: string; unit: string | null; value: string | null }[];
}

/**
 * Metrics as a sheet: a line for each value of a group, so that its columns depend on the question alone, whatever units occur. A dimension
 * has a column for its value and one for its name.
 */
export const metricSheet: Sheet = {
  columns: ({ groupBy }) => [
    ...((groupBy ?? []) as MetricDimension[]).flatMap((dimension) => [dimension, `${dimension}_label`]),
    ...['measure', 'unit', 'value'],
  ],
  lines({ keys, values }: Group) {
    const group = keys.flatMap(({ value, label }) => [value, label]);
    return values.map(({ measure, unit, value }) => [...group, measure, unit, value]);
  },
};
