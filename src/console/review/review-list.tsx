import { TableHead } from '../frame/table-head.tsx';
import { crossedOf, siteOf } from './crossings.ts';
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
  crossings: ['Job', 'Why', 'Driver', 'Truck', 'Crossing', 'When'],
};

/** The items that need a person, a line each. */
export function ReviewList({ kind, items, shown, zone, when, onOpen }: Props) {
  return (
    <table>
      <caption>
        {kind === 'crossings' ? 'Newest' : 'Oldest'} first{zone && `; times are those of ${zone}`}
      </caption>
      <TableHead names={COLUMNS[kind]} />
      <tbody>
        {items.map((item) => (
          <tr key={item.id} aria-current={item.id === shown}>
            <th scope="row">
              <button type="button" className="link" onClick={() => onOpen(item.id)}>
                {numberOf(item)}
              </button>
            </th>
            <td className="error">
              {item.reasons[0]}
              {item.reasons.length > 1 && ` (and ${item.reasons.length - 1} more)`}
            </td>
            {item.kind === 'loads' && <OfLoad item={item} />}
            {item.kind === 'days' && <OfDay item={item} when={when} />}
            {item.kind === 'crossings' && <OfCrossing item={item} when={when} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function numberOf(item: Item): string {
  if (item.kind === 'loads') return item.load.loadId;
  return item.kind === 'days' ? item.day.driverDayId : item.crossing.job.jobId;
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

function OfCrossing({ item: { crossing }, when }: { item: Item & { kind: 'crossings' }; when: Props['when'] }) {
  const { job, occurredAt } = crossing;
  return (
    <>
      <td>{nameOf(job.driver)}</td>
      <td>{job.equipment?.name}</td>
      <td>{[crossedOf(crossing), siteOf(crossing)].filter(Boolean).join(' ')}</td>
      <td className="when">{when(occurredAt)}</td>
    </>
  );
}
