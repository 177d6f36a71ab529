import { useCallback, useEffect, useRef, useState } from 'react';
import { SignedOut } from '../api.ts';
import { usePage } from '../entry.tsx';
import { useFamily, useView } from '../hooks.ts';
import type { PageLink } from '../page-links.ts';
import { keepKeys, keysAreOn, useKeys } from '../review/keys.ts';
import { Top } from '../top.tsx';
import { viewIn } from '../view.ts';
import { Filters } from './filters.tsx';
import { Blocked, Drafts, Settlements } from './lists.tsx';
import { Panel } from './panel.tsx';
import { DONE, money } from './sentences.ts';
import {
  type Correction,
  correct,
  type Draft,
  EVENTS,
  type Found,
  type Kind,
  type OneSettlement,
  readBlocked,
  readDrafts,
  readSettlement,
  readSettlements,
  rebill,
  type Settlement,
  settle,
  voidSettlement,
} from './settlements-api.ts';
import { EMPTY, type View } from './settlements-view.ts';

const viewOf = (address: string): View => viewIn(EMPTY, address);
const kindOf = ({ show }: View): Kind => (show === 'drafts' || show === 'blockers' || show === 'received' ? show : 'settlements');

type Listed = Found<Draft> | Found<Settlement>;
const isSettlements = (kind: Kind): boolean => kind === 'settlements' || kind === 'received';

function readList(kind: Kind, { cursor, company, day, state }: View): Promise<Listed> {
  if (kind === 'blockers') return readBlocked({ cursor, company }, day);
  if (kind === 'drafts') return readDrafts({ cursor, company });
  return readSettlements({ cursor, company }, state, kind === 'received');
}

/** What is billed: why work cannot be billed yet, what can be settled, and settlements with how they came about. */
export function SettlementsPage({ pages, onSignedOut }: { pages: readonly PageLink[]; onSignedOut: (reason: string) => void }) {
  usePage('Settlements', 'en');
  const [view, show] = useView(viewOf);
  const kind = kindOf(view);
  const { cursor, company, day, state, item } = view;
  const [list, setList] = useState<Listed & { of: string }>();
  const [shown, setShown] = useState<OneSettlement>();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState({ of: '', text: '' });
  const [keysOn, setKeysOn] = useState(keysAreOn);
  const failed = useCallback(
    (error: unknown, of = '') => {
      if (error instanceof SignedOut) onSignedOut(error.message);
      else setProblem({ of, text: (error as Error).message });
    },
    [onSignedOut],
  );
  const inPanel = useCallback((error: unknown) => failed(error, item), [failed, item]);
  const { family } = useFamily(company, failed);
  const key = [kind, cursor, company, day, state].join(' ');
  const asked = useRef(0);
  const load = useCallback(async () => {
    const mine = ++asked.current;
    try {
      const found = await readList(kind, { ...EMPTY, cursor, company, day, state });
      if (mine === asked.current) setList({ ...found, of: [kind, cursor, company, day, state].join(' ') });
    } catch (error) {
      if (mine === asked.current) failed(error);
    }
  }, [kind, cursor, company, day, state, failed]);
  useEffect(() => void load(), [load]);
  const opening = useRef(0);
  const openOne = useCallback(
    async (id: string) => {
      const mine = ++opening.current;
      try {
        const found = id ? await readSettlement(id) : undefined;
        if (mine === opening.current) setShown(found);
      } catch (error) {
        if (mine === opening.current) failed(error);
      }
    },
    [failed],
  );
  useEffect(() => void openOne(item), [item, openOne]);
  const here = list?.of === key ? list : undefined;
  const go = (change: Partial<View>) => {
    setProblem({ of: '', text: '' });
    setPicked(new Set());
    show({ ...view, item: '', ...change });
  };
  const open = (id: string) => {
    if (id === item) document.getElementById('settlement-title')?.focus();
    else go({ item: id });
  };
  const close = () => {
    go({});
    document.getElementById('settlements')?.focus();
  };
  const step = (by: 1 | -1) => {
    if (!here || !isSettlements(kind)) return;
    const at = here.items.findIndex(({ id }) => id === item);
    const next = at < 0 ? here.items[0] : here.items[at + by];
    if (next) open(next.id);
    else setMessage(by === 1 ? 'This is the last one of the page.' : 'This is the first one of the page.');
  };
  useKeys(keysOn, { j: () => step(1), k: () => step(-1) });
  const newest = useRef(item);
  newest.current = item;
  /** Runs a change, says what it came to, and reads anew what is shown; also after a refusal, because what is shown may be out of date. */
  const run = async (work: () => Promise<string>): Promise<void> => {
    setProblem({ of: '', text: '' });
    try {
      setMessage(await work());
    } catch (error) {
      setMessage('');
      failed(error, item);
      if (error instanceof SignedOut) return;
    }
    await load();
    await openOne(newest.current);
  };
  const change = (said: string, work: () => Promise<void>) =>
    run(async () => {
      await work();
      return said;
    });
  /** Makes another settlement and shows it. */
  const replace = (what: string, work: () => Promise<string>) =>
    run(async () => {
      const made = await readSettlement(await work());
      go({ item: made.id });
      const { settlementId, differenceTotalAmount: by, currency } = made;
      return `${settlementId} ${what}${by === null ? '' : `; it differs by ${by.startsWith('-') ? '' : '+'}${money(by, currency)}`}.`;
    });
  return (
    <>
      <a className="skip" href="#settlements">
        Skip to the list
      </a>
      <Top
        title="Settlements"
        pages={pages}
        family={family}
        company={company}
        onCompany={(next) => go({ company: next, cursor: '' })}
        onSignedOut={() => onSignedOut('')}
      />
      <Filters
        view={view}
        kind={kind}
        keysOn={keysOn}
        onGo={(next) => go({ cursor: '', ...next })}
        onRefresh={() => void load()}
        onKeys={(on) => {
          keepKeys(on);
          setKeysOn(on);
        }}
      />
      <p className="note" role="status">
        {message || (here && countOf(here.items.length, kind, here.next !== null))}
      </p>
      {problem.text && (problem.of === '' || problem.of !== shown?.id) && <p role="alert">{problem.text}</p>}
      <div className={shown && item ? 'with-panel wide' : undefined}>
        <main id="settlements" tabIndex={-1}>
          {here && kind === 'blockers' && <Blocked items={here.items as Draft[]} />}
          {here && kind === 'drafts' && (
            <Drafts
              items={here.items as Draft[]}
              picked={picked}
              onPick={(id) => setPicked((now) => new Set(now.has(id) ? [...now].filter((one) => one !== id) : [...now, id]))}
              onSettle={() =>
                void run(async () => {
                  const made = await readSettlement(await settle([...picked], company));
                  go({ show: '', cursor: '', item: made.id });
                  return `${made.settlementId} is made.`;
                })
              }
            />
          )}
          {here && isSettlements(kind) && <Settlements items={here.items as Settlement[]} shown={item} onOpen={open} />}
          <nav aria-label="Pages">
            <button type="button" aria-disabled={cursor === ''} onClick={() => cursor && go({ cursor: '' })}>
              First page
            </button>
            <button type="button" aria-disabled={!here?.next} onClick={() => here?.next && go({ cursor: here.next })}>
              Next page
            </button>
          </nav>
        </main>
        {shown && item === shown.id && (
          <Panel
            settlement={shown}
            received={kind === 'received'}
            keysOn={keysOn}
            problem={problem.of === shown.id ? problem.text : ''}
            onEvent={(event) => void change(`${shown.settlementId}: ${DONE[event]}.`, () => EVENTS[event]!(shown.id))}
            onVoid={(reason) => void change(`${shown.settlementId}: voided.`, () => voidSettlement(shown.id, reason))}
            onRebill={() => void replace(`bills ${shown.settlementId} anew`, () => rebill(shown.id))}
            onCorrect={(reason: string, changes: readonly Correction[]) =>
              replace(`takes the place of ${shown.settlementId}`, () => correct(shown.id, reason, changes))
            }
            onOpen={open}
            onStep={step}
            onClose={close}
            onFailed={inPanel}
          />
        )}
      </div>
    </>
  );
}

const WHAT: Record<Kind, [one: string, several: string, of: string]> = {
  blockers: ['invoice', 'invoices', 'cannot be approved yet'],
  drafts: ['invoice', 'invoices', 'can be settled'],
  settlements: ['settlement', 'settlements', ''],
  received: ['settlement', 'settlements', 'sent to you'],
};

function countOf(count: number, kind: Kind, more: boolean): string {
  const [one, several, of] = WHAT[kind];
  const name = [count === 1 ? one : several, of].filter(Boolean).join(' ');
  return `${count === 0 ? 'No' : count} ${name}${more ? ' on this page; there are more' : ''}.`;
}
