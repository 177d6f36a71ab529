import { TableHead } from '../frame/table-head.tsx';
import type { ImportedRecord, View } from './imports-api.ts';

/** The listed records, newest first. */
export function Records({
  view,
  records,
  arrived,
  shown,
  zone,
  when,
  onOpen,
}: {
  view: View;
  records: readonly ImportedRecord[] | undefined;
  /** False while those of another list are shown. */
  arrived: boolean;
  /** Id of the record that is opened next to the list. */
  shown: string | undefined;
  /** The company's time zone, in which times are shown and entered. */
  zone: string | undefined;
  when: (instant: string | null) => string;
  /** @param from the element that was pressed */
  onOpen: (id: string, from: HTMLElement) => void;
}) {
  return (
    <table aria-busy={!arrived}>
      <caption>
        {view.after || view.before ? 'Records of the chosen time' : 'Records of the last seven days'}, newest first
        {zone && `; times are those of ${zone}`}
      </caption>
      <TableHead names={['Imported for', 'Received', 'Kind', 'State', 'Last error', 'Warnings', 'Attempts']} />
      <tbody>
        {records?.map((record) => (
          <tr key={record.id} aria-current={record.id === shown}>
            <th scope="row">
              <button type="button" className="link" onClick={(event) => onOpen(record.id, event.currentTarget)}>
                {record.importedFor ?? '(no id)'}
              </button>
            </th>
            <td className="when">{when(record.importReceivedAt)}</td>
            <td>{record.kind}</td>
            <td>
              <span className={`state ${record.state}`}>{record.state}</span>
            </td>
            <td className="error">{record.lastError?.split('\n')[0] ?? ''}</td>
            <td className="error">{[...new Set(record.warnings.map(({ code }) => code))].join(', ')}</td>
            <td className="number">{record.attempts}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
