import { TableHead } from '../frame/table-head.tsx';
import { money, sentenceOf, wordsOf } from './sentences.ts';
import { type Draft, partyOf, type Settlement } from './settlements-api.ts';

const SIDES: Record<string, string> = { receivable: 'to us', payable: 'by us' };

/** Work that cannot be billed yet, day by day, with all reasons. */
export function Blocked({ items }: { items: readonly Draft[] }) {
  return (
    <>
      {[...Map.groupBy(items, ({ serviceDate }) => serviceDate)].map(([day, invoices]) => (
        <section key={day} aria-label={`Work of ${day}`}>
          <h2>
            {day} <span className="meaning">{invoices.length}</span>
          </h2>
          <table>
            <TableHead names={['Invoice', 'Why not', 'Jobs', 'Owed', 'Party', 'So far']} />
            <tbody>
              {invoices.map((one) => (
                <tr key={one.id}>
                  <th scope="row">{one.invoiceId}</th>
                  <td>
                    <ul className="reasons">
                      {one.blockers.map((blocker) => (
                        <li key={blocker}>{sentenceOf(blocker)}</li>
                      ))}
                    </ul>
                  </td>
                  <td>{one.jobJobIds.join(', ')}</td>
                  <td>{SIDES[one.side]}</td>
                  <td>{partyOf(one)}</td>
                  <td className="number">{money(one.totalAmount, one.currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </>
  );
}

interface DraftsProps {
  items: readonly Draft[];
  picked: ReadonlySet<string>;
  onPick: (id: string) => void;
  onSettle: () => void;
}

/** Approved invoices that are in no settlement: those of one party are settled together. */
export function Drafts({ items, picked, onPick, onSettle }: DraftsProps) {
  return (
    <>
      <table>
        <caption>Approved, and in no settlement</caption>
        <TableHead names={['Settle', 'Party', 'Day', 'Jobs', 'Owed', 'Total']} />
        <tbody>
          {items.map((one) => (
            <tr key={one.id} aria-current={picked.has(one.id)}>
              <th scope="row">
                <label className="check">
                  <input type="checkbox" checked={picked.has(one.id)} onChange={() => onPick(one.id)} />
                  {one.invoiceId}
                </label>
              </th>
              <td>{partyOf(one)}</td>
              <td className="when">{one.serviceDate}</td>
              <td>{one.jobJobIds.join(', ')}</td>
              <td>{SIDES[one.side]}</td>
              <td className="number">{money(one.totalAmount, one.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="acts">
        <button type="button" aria-disabled={picked.size === 0} onClick={() => picked.size > 0 && onSettle()}>
          Settle what is marked
        </button>
      </p>
    </>
  );
}

/** Settlements, the newest first. */
export function Settlements({ items, shown, onOpen }: { items: readonly Settlement[]; shown: string; onOpen: (id: string) => void }) {
  return (
    <table>
      <caption>Newest first</caption>
      <TableHead names={['Settlement', 'State', 'Party', 'Work', 'Total']} />
      <tbody>
        {items.map((one) => (
          <tr key={one.id} aria-current={one.id === shown}>
            <th scope="row">
              <button type="button" className="link" onClick={() => onOpen(one.id)}>
                {one.settlementId}
              </button>
            </th>
            <td>
              <span className="state">{wordsOf(one.state)}</span>
            </td>
            <td>{partyOf(one)}</td>
            <td className="when">
              {one.startsOn}
              {one.endsOn !== one.startsOn && ` to ${one.endsOn}`}
            </td>
            <td className="number">{money(one.rebillTotalAmount ?? one.totalAmount, one.currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
