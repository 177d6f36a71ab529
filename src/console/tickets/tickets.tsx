import { useCallback, useEffect, useRef, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { forwards, Listing } from '../frame/listing.tsx';
import { Page, type PageProps } from '../frame/page.tsx';
import { Panel } from '../frame/panel.tsx';
import { useLatest, useProblem } from '../frame/problem.ts';
import { Search } from '../frame/search.tsx';
import { TableHead } from '../frame/table-head.tsx';
import { viewIn } from '../frame/view.ts';
import { timesIn } from '../times/times.ts';
import { TicketLoad } from './ticket-load.tsx';
import { readUnlinked, type TicketPage } from './tickets-api.ts';

const EMPTY = { search: '', cursor: '', company: '', ticket: '' };
type View = typeof EMPTY;
const viewOf = (address: string): View => viewIn(EMPTY, address);

/** The tickets without a load, newest first, and for each the way to one. For dispatchers, who need not see the imports. */
export function Tickets({ pages, onSignedOut }: PageProps) {
  const [view, show] = useView(viewOf);
  const [page, setPage] = useState<TicketPage>();
  const [message, setMessage] = useState('');
  const opener = useRef<HTMLElement | null>(null);
  const linked = useRef(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const [problem, failed, forget] = useProblem(onSignedOut);
  const { search, cursor, company, ticket } = view;
  const [latest] = useLatest(failed);
  const load = useCallback(() => latest(() => readUnlinked(search, cursor, company), setPage), [search, cursor, company, latest]);
  useEffect(() => void load(), [load]);
  const { family, zone } = useFamily(company, failed);
  const go = (change: Partial<View>) => {
    const next = { ...view, ticket: '', ...change };
    forget();
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
    <Page
      title="Tickets without a load"
      skip={{ to: 'tickets', name: 'Skip to the tickets' }}
      pages={pages}
      family={family}
      company={company}
      onCompany={(company) => go({ company, cursor: '' })}
      onSignedOut={onSignedOut}
      filters={
        <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
          <Search label="Ticket number, truck or vendor" value={search} onChange={(search) => go({ search, cursor: '' })} />
          <button type="button" onClick={() => load()}>
            Refresh
          </button>
        </form>
      }
      status={message || (page && countOf(page))}
      problems={[problem.text]}
    >
      <Listing
        id="tickets"
        steps={forwards(['Newest', 'Older'], cursor, page?.next, (cursor) => go({ cursor }))}
        panel={
          ticket && (
            <Panel id="ticket-title" title={`ticket ${shown?.ticketNumber ?? ''}`} heading={heading} shown={ticket} onClose={close}>
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
            </Panel>
          )
        }
      >
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
      </Listing>
    </Page>
  );
}

function countOf({ tickets: { length }, next }: TicketPage): string {
  if (length === 0) return 'No tickets without a load.';
  return `${length} ${length === 1 ? 'ticket' : 'tickets'}${next ? ' on this page; there are older ones' : ''}.`;
}
