import { TableHead } from '../table-head.tsx';
import { type Item, type Kind, nameOf } from './items.ts';

interface Props {
  kind: Kind;
  items: readonly Item[];
  shown: string;
  zone: string | undefined;
  when: (instant: string | null) => string;
  onOpen: (id: string) => void;
}

const COLUMNS: Record<Kind, string[]> = {
  loads: ['Load', 'Why', 'Driver', 'Truck', 'Ticket', 'Quantity'],
  days: ['Day', 'Why', 'Driver', 'Date', 'Shift', 'Minutes paid'],
};

/** What needs a person, a line each. */
export function ReviewList({ kind, items, shown, zone, when, onOpen }: Props) {
  return (
    <table>
      <caption>Oldest first{zone && `; times are those of ${zone}`}</caption>
      <TableHead names={COLUMNS[kind]} />
      <tbody>
        {items.map((item) => (
          <tr key={item.id} aria-current={item.id === shown}>
            <th scope="row">
              <button type="button" className="link" onClick={() => onOpen(item.id)}>
                {item.kind === 'loads' ? item.load.loadId : item.day.driverDayId}
              </button>
            </th>
            <td className="error">
              {item.reasons[0]}
              {item.reasons.length > 1 && ` (and ${item.reasons.length - 1} more)`}
            </td>
            {item.kind === 'loads' ? <OfLoad item={item} /> : <OfDay item={item} when={when} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function OfLoad({ item: { load } }: { item: Item & { kind: 'loads' } }) {
  const { ticket, job } = load;
  const [quantity, unit] = ticket ? [ticket.quantity, ticket.unitOfMeasure] : [load.quantity, load.unitOfMeasure];
  return (
    <>
      <td>{nameOf(job.driver)}</td>
      <td>{job.equipment?.name}</td>
      <td>{ticket ? (ticket.ticketNumber ?? '(no number)') : 'none'}</td>
      <td className="number">
        {quantity} {quantity && unit}
      </td>
    </>
  );
}

function OfDay({ item: { day }, when }: { item: Item & { kind: 'days' }; when: Props['when'] }) {
  return (
    <>
      <td>{nameOf(day.driver)}</td>
      <td className="when">{day.driverDayDate}</td>
      <td className="when">
        {when(day.adjustedStartedShiftAt ?? day.startedShiftAt)} to {when(day.adjustedEndedShiftAt ?? day.endedShiftAt)}
      </td>
      <td className="number">{day.payableMinutes}</td>
    </>
  );
}
