import { type KeyboardEvent, useState } from 'react';
import { TicketPicture } from '../review/picture.tsx';
import { type Figure, isNamed, readName, readTicket, type SourceTicket } from './explain-api.ts';
import { explainInvoice } from './invoices-api.ts';
import { howOf, money, wordsOf } from './sentences.ts';

/** The parts of a figure, and the record that a number comes from, as they are opened. */
interface Opened {
  parts?: readonly Figure[];
  ticket?: SourceTicket;
  name?: string;
  problem?: string;
}

/**
 * Explains a total: each figure opens to its parts, an invoice to its own explanation, and a number that somebody gave to the record that says
 * it, down to the picture of the ticket. Arrow keys open, close, and move between figures.
 */
export function Tree({ figure, title }: { figure: Figure; title: string }) {
  return (
    <section aria-label={title} onKeyDown={move}>
      <ul className="tree">
        <Node figure={figure} isOpen />
      </ul>
    </section>
  );
}

function Node({ figure, isOpen = false }: { figure: Figure; isOpen?: boolean }) {
  const { label, amount, operation, places, source, chosen, parts = [] } = figure;
  const isLeaf = parts.length === 0;
  const [opened, setOpened] = useState<Opened | undefined>(isOpen ? { parts } : undefined);
  const [reading, setReading] = useState(false);
  const opens = !isLeaf || source !== undefined;
  const toggle = async () => {
    if (opened) return setOpened(undefined);
    if (!isLeaf && source?.type !== 'Ticket') return setOpened({ parts });
    setReading(true);
    // An amended ticket has parts, and is shown all the same.
    setOpened({ ...(await open(source!)), ...(isLeaf ? {} : { parts }) });
    setReading(false);
  };
  const text = (
    <>
      <span className="what">{label}</span> <span className="number">{isMoney(figure) ? money(amount) : amount}</span>
    </>
  );
  return (
    <li aria-busy={reading}>
      {opens ? (
        <button type="button" className="figure" aria-expanded={opened !== undefined} onClick={() => void toggle()}>
          {text}
        </button>
      ) : (
        <span className="figure">{text}</span>
      )}
      {opened && (
        <>
          {!isLeaf && <p className="meaning">{howOf(operation, places)}</p>}
          {chosen && <p className="meaning">{reasonOf(chosen)}</p>}
          {(isLeaf || opened.ticket) && source && (
            <p className="meaning">
              {sourceOf(source, opened.name ?? opened.ticket?.ticketNumber)}
              {opened.ticket && `: ${opened.ticket.quantity} ${opened.ticket.unitOfMeasure}, ${opened.ticket.state}`}
            </p>
          )}
          {opened.problem && <p role="alert">{opened.problem}</p>}
          {opened.ticket && <TicketPicture of={opened.ticket} name={opened.ticket.ticketNumber ?? 'without a number'} />}
          {opened.parts && (
            <ul>
              {opened.parts.map((part, i) => (
                // Labels may repeat, and the parts of a figure never change their order.
                <Node key={i} figure={part} />
              ))}
            </ul>
          )}
        </>
      )}
    </li>
  );
}

/** Returns what is behind a number that somebody gave. */
async function open({ type, id }: NonNullable<Figure['source']>): Promise<Opened> {
  try {
    if (type === 'Invoice') {
      const explain = await explainInvoice(id);
      return explain ? { parts: [explain] } : { problem: 'Its amounts are not shown to you.' };
    }
    if (type === 'Ticket') return { ticket: await readTicket(id) };
    return isNamed(type) ? { name: await readName(type, id) } : {};
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const sourceOf = ({ type, id, version }: NonNullable<Figure['source']>, name: string | null | undefined): string =>
  `${type.replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${name ?? id}${version === undefined ? '' : `, as of its change ${version}`}`;

/** Why a rate was chosen: `rate card, by account and project`. */
const reasonOf = ({ source, matched }: NonNullable<Figure['chosen']>): string =>
  `${wordsOf(source)}${matched.length > 0 ? `, by ${matched.map(wordsOf).join(' and ')}` : ''}`;

/** Quantities, rates and percentages are shown as they are. */
const isMoney = ({ operation, places, source }: Figure): boolean =>
  places === 2 || operation === 'sum' || (operation === 'given' && source?.type === 'Invoice');

/** Moves between the figures that are shown, opens the one with the focus, and closes it. */
function move(event: KeyboardEvent<HTMLElement>): void {
  const here = (event.target as Element).closest<HTMLButtonElement>('button.figure');
  if (!here) return;
  const isOpen = here.getAttribute('aria-expanded') === 'true';
  const all = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button.figure')];
  const at = all.indexOf(here);
  const above = here.closest('li')?.parentElement?.closest('li')?.querySelector<HTMLButtonElement>('button.figure');
  const acts: Record<string, () => void> = {
    ArrowDown: () => all[at + 1]?.focus(),
    ArrowUp: () => all[at - 1]?.focus(),
    ArrowRight: () => (isOpen ? all[at + 1]?.focus() : here.click()),
    ArrowLeft: () => (isOpen ? here.click() : above?.focus()),
  };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
