import type { Group, ReportData, Value } from './report-api.ts';

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

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });
/** Decimals are formatted as they are written: a number of JavaScript would round them. */
const shown = (value: string | null): string => (value === null ? '' : numbers.format(value as `${number}`));

/** The numbers behind the plots, with what they come to. */
export function Table({ report, columns }: { report: ReportData; columns: readonly Column[] }) {
  const { group_by: groupBy, groups, totals } = report;
  return (
    <table className="report-table">
      <thead>
        <tr>
          {groupBy.map((name) => (
            <th key={name} scope="col">
              {wordsOf(name)}
            </th>
          ))}
          {columns.map((column) => (
            <th key={titleOf(column)} scope="col" className="number">
              {titleOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.keys.map(({ value }) => value).join(' ')}>
            {groupBy.map((name, at) => (
              <td key={name}>{nameOf(group, at)}</td>
            ))}
            {columns.map((column) => (
              <td key={titleOf(column)} className="number">
                {shown(amountOf(group.values, column))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {groupBy.length > 0 && (
        <tfoot>
          <tr>
            <th scope="row" colSpan={groupBy.length}>
              All
            </th>
            {columns.map((column) => (
              <td key={titleOf(column)} className="number">
                {shown(amountOf(totals, column))}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
