import type { ReactNode } from 'react';
import { TableHead } from '../frame/table-head.tsx';
import type { Draft } from './invoices-api.ts';
import { partyOf } from './lists-api.ts';
import { money, reasonOf, sentenceOf, UNSETTLED, warningOf, wordsOf } from './sentences.ts';
import type { Settlement } from './settlements-api.ts';

export const SIDES: Record<string, string> = { receivable: 'to us', payable: 'by us' };

/** The item that is open, and the function that opens another one. */
interface Opens {
  shown: string;
  onOpen: (id: string) => void;
}

/** Work that cannot be billed yet, day by day, with all reasons. */
export function Blocked({ items, shown, onOpen }: Opens & { items: readonly Draft[] }) {
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
                <tr key={one.id} aria-current={one.id === shown}>
                  <th scope="row">
                    <button type="button" className="link" onClick={() => onOpen(one.id)}>
                      {one.invoiceId}
                    </button>
                  </th>
                  <td>
                    <ul className="reasons">
                      {one.blockers.map((blocker) => (
                        <li key={blocker}>{sentenceOf(blocker)}</li>
                      ))}
                      {UNSETTLED[one.unsettledReason ?? ''] && <li>{UNSETTLED[one.unsettledReason ?? '']}</li>}
                    </ul>
                    <About invoice={one} />
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

interface MarkedProps extends Opens {
  caption: string;
  items: readonly Draft[];
  picked: ReadonlySet<string>;
  onPick: (ids: readonly string[], on: boolean) => void;
  /** Above the table, where it is seen however long that is: what is done with what is marked. */
  children: ReactNode;
}

/** Invoices that can be marked, and opened one by one. */
export function Marked({ caption, items, picked, onPick, shown, onOpen, children }: MarkedProps) {
  const isAll = items.length > 0 && items.every(({ id }) => picked.has(id));
  return (
    <>
      <div className="acts marking">
        <label className="check">
          <input
            type="checkbox"
            checked={isAll}
            disabled={items.length === 0}
            onChange={(event) =>
              onPick(
                items.map(({ id }) => id),
                event.target.checked,
              )
            }
          />
          Mark all of this page
        </label>
        {children}
      </div>
      <table>
        <caption>{caption}</caption>
        <TableHead names={['Mark', 'Party', 'Day', 'Jobs', 'Owed', 'Total']} />
        <tbody>
          {items.map((one) => (
            <tr key={one.id} aria-current={picked.has(one.id) || one.id === shown}>
              <th scope="row">
                <span className="check">
                  <input
                    type="checkbox"
                    aria-label={`Mark ${one.invoiceId}`}
                    checked={picked.has(one.id)}
                    onChange={(event) => onPick([one.id], event.target.checked)}
                  />
                  <button type="button" className="link" onClick={() => onOpen(one.id)}>
                    {one.invoiceId}
                  </button>
                </span>
              </th>
              <td>
                {partyOf(one)}
                <About invoice={one} />
              </td>
              <td className="when">{one.serviceDate}</td>
              <td>{one.jobJobIds.join(', ')}</td>
              <td>{SIDES[one.side]}</td>
              <td className="number">{money(one.totalAmount, one.currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The facts that its numbers do not show: why there is this part, and the reasons to look at it. */
function About({ invoice }: { invoice: Draft }) {
  const said = [reasonOf(invoice), ...invoice.warnings.map(warningOf)].filter(Boolean);
  return said.map((one) => (
    <p key={one} className="meaning">
      {one}
    </p>
  ));
}

/** Settlements, the newest first. */
export function Settlements({ items, shown, onOpen }: Opens & { items: readonly Settlement[] }) {
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
