import { useCallback, useEffect, useRef, useState } from 'react';
import { SignedOut } from './api.ts';
import { usePage } from './entry.tsx';
import { useFamily, useView } from './hooks.ts';
import { Search } from './import-filters.tsx';
import type { PageLink } from './page-links.ts';
import { TableHead } from './table-head.tsx';
import { TicketLoad } from './ticket-load.tsx';
import { readUnlinked, type TicketPage } from './tickets-api.ts';
import { timesIn } from './times.ts';
import { Top } from './top.tsx';
import { viewIn } from './view.ts';

const EMPTY = { search: '', cursor: '', company: '', ticket: '' };
type View = typeof EMPTY;
const viewOf = (address: string): View => viewIn(EMPTY, address);

/** The tickets without a load, newest first, and for each the way to one. For dispatchers, who need not see the imports. */
export function Tickets({ pages, onSignedOut }: { pages: readonly PageLink[]; onSignedOut: (reason: string) => void }) {
  usePage('Tickets without a load', 'en');
  const [view, show] = useView(viewOf);
  const [page, setPage] = useState<TicketPage>();
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState('');
  const opener = useRef<HTMLElement | null>(null);
  const linked = useRef(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const failed = useCallback(
    (error: unknown) => {
      if (error instanceof SignedOut) onSignedOut(error.message);
      else setProblem((error as Error).message);
    },
    [onSignedOut],
  );
  const { search, cursor, company, ticket } = view;
  const asked = useRef(0);
  const load = useCallback(async () => {
    const mine = ++asked.current;
    try {
      const found = await readUnlinked(search, cursor, company);
      if (mine === asked.current) setPage(found);
    } catch (error) {
      if (mine === asked.current) failed(error);
    }
  }, [search, cursor, company, failed]);
  useEffect(() => void load(), [load]);
  const { family, zone } = useFamily(company, failed);
  useEffect(() => {
    if (ticket) heading.current?.focus();
  }, [ticket]);
  const go = (change: Partial<View>) => {
    const next = { ...view, ticket: '', ...change };
    setProblem('');
    setMessage('');
    show(next);
  };
  const close = () => {
    // The row of a ticket that has a load now is about to go.
    const back = linked.current || !opener.current?.isConnected ? document.getElementById('tickets') : opener.current;
    if (linked.current) void load();
    linked.current = false;
    go({});
    back?.focus();
  };
  const when = timesIn(zone);
  const shown = page?.tickets.find(({ id }) => id === ticket);
  return (
    <>
      <a className="skip" href="#tickets">
        Skip to the tickets
      </a>
      <Top
        title="Tickets without a load"
        pages={pages}
        family={family}
        company={company}
        onCompany={(company) => go({ company, cursor: '' })}
        onSignedOut={() => onSignedOut('')}
      />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Search label="Ticket number, truck or vendor" value={search} onChange={(search) => go({ search, cursor: '' })} />
        <button type="button" onClick={() => load()}>
          Refresh
        </button>
      </form>
      <p className="note" role="status">
        {message || (page && countOf(page))}
      </p>
      {problem && <p role="alert">{problem}</p>}
      <div className={ticket ? 'with-panel' : undefined}>
        <main id="tickets" tabIndex={-1}>
          <table>
            <caption>Newest first{zone && `; times are those of ${zone}`}</caption>
            <TableHead names={['Ticket', 'Day', 'Truck', 'Vendor', 'Material', 'Quantity', 'Order']} />
            <tbody>
              {page?.tickets.map((one) => (
                <tr key={one.id} aria-current={one.id === ticket}>
                  <th scope="row">
                    <button
                      type="button"
                      className="link"
                      onClick={(event) => {
                        opener.current = event.currentTarget;
                        go({ ticket: one.id });
                      }}
                    >
                      {one.ticketNumber ?? '(no number)'}
                    </button>
                  </th>
                  <td className="when">{when(one.serviceDate)}</td>
                  <td>{one.externalTruckId}</td>
                  <td>{one.externalVendorName}</td>
                  <td>{one.externalMaterialMaterialName}</td>
                  <td className="number">
                    {one.quantity} {one.quantity && one.unitOfMeasure}
                  </td>
                  <td>{one.order?.orderId}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <nav aria-label="Pages">
            <button type="button" aria-disabled={cursor === ''} onClick={() => cursor && go({ cursor: '' })}>
              Newest
            </button>
            <button type="button" aria-disabled={!page?.next} onClick={() => page?.next && go({ cursor: page.next })}>
              Older
            </button>
          </nav>
        </main>
        {ticket && (
          <section className="panel" aria-labelledby="ticket-title" onKeyDown={(event) => event.key === 'Escape' && close()}>
            <header>
              <h2 id="ticket-title" ref={heading} tabIndex={-1}>
                ticket {shown?.ticketNumber ?? ''}
              </h2>
              <button type="button" onClick={close}>
                Close
              </button>
            </header>
            <TicketLoad
              key={ticket}
              id={ticket}
              company={company}
              zone={zone}
              mayLink
              when={when}
              onLinked={(said) => {
                linked.current = true;
                setMessage(said);
              }}
              onFailed={failed}
            />
          </section>
        )}
      </div>
    </>
  );
}

function countOf({ tickets: { length }, next }: TicketPage): string {
  if (length === 0) return 'No tickets without a load.';
  return `${length} ${length === 1 ? 'ticket' : 'tickets'}${next ? ' on this page; there are older ones' : ''}.`;
}
