import { useCallback, useEffect, useRef, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { keysAreOn, LettersAct, stepIn, useKeys } from '../frame/keys.tsx';
import { forwards, Listing } from '../frame/listing.tsx';
import { Page, type PageProps } from '../frame/page.tsx';
import { useLatest, useProblem } from '../frame/problem.ts';
import { Show } from '../frame/show.tsx';
import { viewIn } from '../frame/view.ts';
import { SignedOut } from '../server/request.ts';
import { timesIn } from '../times/times.ts';
import { confirmCrossing, dismissCrossing, undoCrossing } from './crossings.ts';
import { type Item, type Kind, readItem, readItems } from './items.ts';
import { ReviewPanel } from './panel.tsx';
import { approveDay, approveLoad, approveTicket, askForTickets, type Found, isStuck, unapproveDay, voidTicket } from './review-api.ts';
import { ReviewList } from './review-list.tsx';

const EMPTY = { show: '', cursor: '', company: '', item: '' };
type View = typeof EMPTY;
const viewOf = (address: string): View => viewIn(EMPTY, address);
const KINDS: readonly [Kind, string][] = [
  ['loads', 'Loads and tickets'],
  ['days', 'Days'],
  ['crossings', 'Crossings of geofences'],
];

/** The items that need a person: loads whose proof is doubted, days that nobody has approved, and crossings of geofences that are not certain. */
export function Review({ pages, onSignedOut }: PageProps) {
  const [view, show] = useView(viewOf);
  const [list, setList] = useState<Found<Item> & { of: string }>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState('');
  const [keysOn, setKeysOn] = useState(keysAreOn);
  const kind = KINDS.find(([one]) => one === view.show)?.[0] ?? 'loads';
  const { cursor, company, item: wanted } = view;
  const [problem, failed, forget] = useProblem(onSignedOut);
  const [latest] = useLatest(failed);
  const load = useCallback(
    () =>
      latest(
        () => readItems(kind, cursor, company),
        (found) => setList({ ...found, of: `${kind} ${company}` }),
      ),
    [kind, cursor, company, latest],
  );
  useEffect(() => void load(), [load]);
  // A decision that is answered late reads the page that is shown then.
  const newest = useRef(load);
  newest.current = load;
  const { family, zone } = useFamily(company, failed);
  const here = list?.of === `${kind} ${company}` ? list : undefined;
  const items = here?.items.filter(({ id }) => !hidden.has(id)) ?? [];
  const shown = items.find(({ id }) => id === wanted);
  const go = (change: Partial<View>) => show({ ...view, item: '', ...change });
  const open = (id: string) => {
    forget();
    // A panel that is open already does not take the focus by itself.
    if (id === wanted) document.getElementById('review-title')?.focus();
    else go({ item: id });
  };
  const close = () => {
    go({});
    document.getElementById('review')?.focus();
  };
  const step = (by: 1 | -1) => stepIn(items, wanted, by, { open, say: setMessage });
  useKeys(keysOn, { j: () => step(1), k: () => step(-1) });
  const replace = (fresh: Item) => setList((now) => now && { ...now, items: now.items.map((one) => (one.id === fresh.id ? fresh : one)) });
  /** Reads one again after a refusal: what is shown may be out of date. */
  const reread = (item: Item) => readItem(item, company).then(replace, () => undefined);

  /** The item leaves the list at once and the next one is shown; if the server refuses, it is back with the reason. */
  const decide = async (item: Item, done: string, work: () => Promise<string>) => {
    const rest = items.filter(({ id }) => id !== item.id);
    const next = rest[items.indexOf(item)] ?? rest.at(-1);
    setHidden((now) => new Set([...now, item.id]));
    forget();
    setMessage(`${item.name}: being ${done}.`);
    go({ item: next?.id ?? '' });
    if (!next) document.getElementById('review')?.focus();
    const unhide = () => setHidden((now) => new Set([...now].filter((id) => id !== item.id)));
    try {
      const said = await work();
      // It may need a person again one day, and is shown then.
      setList((now) => now && { ...now, items: now.items.filter(({ id }) => id !== item.id) });
      unhide();
      setMessage(said || `${item.name}: ${done}.`);
      if (rest.length === 0) await newest.current();
    } catch (error) {
      unhide();
      setMessage('');
      failed(error instanceof SignedOut ? error : new Error(`${item.name} was not ${done}: ${(error as Error).message}`));
      await reread(item);
    }
  };
  const decided = (item: Item, done: string, work: () => Promise<void>) => decide(item, done, () => work().then(() => ''));
  const approve = (item: Item) => {
    if (item.kind === 'crossings') return decided(item, 'confirmed', () => confirmCrossing(item.id, company));
    return decide(item, 'approved', async () => {
      if (item.kind === 'days') {
        const left = await approveDay(item.id, company);
        return left.length > 0 ? `${item.name}: approved, without ${left.join(', ')}, which are not finished.` : '';
      }
      const { ticket } = item.load;
      const first = ticket && ticket.state !== 'approved' && !isStuck(ticket);
      if (first) await approveTicket(ticket.id, company);
      await approveLoad(item.id, company).catch((error: Error) => {
        throw first && !(error instanceof SignedOut) ? new Error(`its ticket is approved, but ${error.message}`) : error;
      });
      return '';
    });
  };
  /** Runs a change of the item that is shown, which stays. @returns whether it was done */
  const change = async (item: Item, work: () => Promise<void>, done: string): Promise<boolean> => {
    forget();
    try {
      await work();
      replace(await readItem(item, company));
      setMessage(`${item.name}: ${done}.`);
      return true;
    } catch (error) {
      failed(error, item.id);
      // A part of it may be done.
      if (!(error instanceof SignedOut)) await reread(item);
      return false;
    }
  };
  const askAgain = (item: Item & { kind: 'loads' }) =>
    change(
      item,
      async () => {
        if (item.load.ticket) await voidTicket(item.load.ticket.id, company);
        await askForTickets(item.load.job.id, company);
      },
      'the driver is asked again',
    );
  const when = timesIn(zone);
  const isNewestFirst = kind === 'crossings';
  return (
    <Page
      title="Review"
      skip={{ to: 'review', name: 'Skip to what needs a person' }}
      pages={pages}
      family={family}
      company={company}
      onCompany={(company) => go({ company, cursor: '' })}
      onSignedOut={onSignedOut}
      filters={
        <form className="filters" aria-label="What is shown" onSubmit={(event) => event.preventDefault()}>
          <Show kinds={KINDS} value={kind} onChange={(show) => go({ show: show === 'loads' ? '' : show, cursor: '' })} />
          <button type="button" onClick={() => load()}>
            Refresh
          </button>
          <LettersAct on={keysOn} onChange={setKeysOn} />
          <p className="meaning">
            <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>a</kbd> approve, <kbd>e</kbd> amend, <kbd>r</kbd> ask again, <kbd>o</kbd> open
            the picture; of crossings <kbd>a</kbd> confirm, <kbd>d</kbd> dismiss, <kbd>u</kbd> undo; <kbd>Esc</kbd> close
          </p>
        </form>
      }
      status={message || (here && countOf(items.length, kind, here.next !== null))}
      problems={[problem.of === '' ? problem.text : '']}
    >
      <Listing
        id="review"
        steps={forwards(isNewestFirst ? ['Newest', 'Older'] : ['Oldest', 'Newer'], cursor, here?.next, (cursor) => go({ cursor }))}
        panel={
          shown && (
            <ReviewPanel
              key={shown.id}
              item={shown}
              company={company}
              zone={zone}
              keysOn={keysOn}
              problem={problem.of === shown.id ? problem.text : ''}
              when={when}
              onApprove={() => approve(shown)}
              onDismiss={() => shown.kind === 'crossings' && decided(shown, 'dismissed', () => dismissCrossing(shown.id, company))}
              onUndo={() => shown.kind === 'crossings' && decided(shown, 'undone', () => undoCrossing(shown.crossing, company))}
              onReopen={() => change(shown, async () => void (await unapproveDay(shown.id, company)), 'no longer approved')}
              onAskAgain={() => shown.kind === 'loads' && askAgain(shown)}
              onChange={(work, done) => change(shown, work, done)}
              onStep={step}
              onClose={close}
            />
          )
        }
      >
        <ReviewList kind={kind} items={items} shown={wanted} zone={zone} when={when} onOpen={open} />
      </Listing>
    </Page>
  );
}

const NAMES: Record<Kind, string> = { loads: 'load', days: 'day', crossings: 'crossing' };

function countOf(count: number, kind: Kind, more: boolean): string {
  const what = NAMES[kind];
  const others = kind === 'crossings' ? 'older' : 'newer';
  if (count === 0) return more ? `Nothing is left on this page; there are ${others} ones.` : `No ${what} needs a person.`;
  return `${count} ${what}${count === 1 ? ' needs' : 's need'} a person${more ? ` on this page; there are ${others} ones` : ''}.`;
}
