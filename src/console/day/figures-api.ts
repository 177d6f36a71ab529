import { ask } from '../server/request.ts';

/** The measures that are shown of a day, by the names of the catalogue of metrics. */
const SHOWN = ['jobs', 'started_jobs', 'on_time_starts', 'loads', 'delivered_quantity', 'ticketed_quantity', 'cycle_minutes'];

/** A figure of the day, in one unit. */
export interface Figure {
  measure: string;
  unit: string | null;
  value: string | null;
}

/** Returns the metrics of a day: the numbers that reports and exports have. @param date `YYYY-MM-DD`, a day of the company */
export async function readFigures(date: string, company: string): Promise<Figure[]> {
  const { metrics } = await ask<{ metrics: { nodes: { values: Figure[] }[] } }>(
    `query($company: ID, $filter: MetricFilter) { metrics(companyId: $company, measures: [${SHOWN.join(' ')}], filter: $filter) {
      nodes { values { measure unit value } } } }`,
    { company: company || null, filter: { startDate: date, endDate: date } },
  );
  return metrics.nodes[0]?.values ?? [];
}
