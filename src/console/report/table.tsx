import { amountOf, type Column, nameOf, titleOf, wordsOf } from './columns.ts';
import type { ReportData } from './report-data.ts';

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
