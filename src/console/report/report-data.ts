/** The data that the page of a report gets from the server; the names are those of the REST answer. */
export interface ReportData {
  name: string;
  time_zone: string;
  from: string;
  to: string;
  chart: 'bar' | 'line' | 'none';
  group_by: string[];
  measures: { measure: string; description: string; by_unit: boolean }[];
  left_out: string[];
  groups: Group[];
  totals: Value[];
  more: boolean;
  /** The time before which the records of these days are archived, if some are. */
  archived: { before: string } | null;
}
export interface Group {
  keys: { dimension: string; value: string | null; label: string | null }[];
  values: Value[];
}
export interface Value {
  measure: string;
  unit: string | null;
  value: string | null;
}
