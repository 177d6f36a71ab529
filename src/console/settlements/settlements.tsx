import { useCallback, useEffect, useRef, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { keysAreOn, useKeys } from '../frame/keys.tsx';
import { forwards, Listing } from '../frame/listing.tsx';
import { Page, type PageProps } from '../frame/page.tsx';
import { useLatest, useProblem } from '../frame/problem.ts';
import { viewIn } from '../frame/view.ts';
import { SignedOut } from '../server/request.ts';
import { Filters } from './filters.tsx';
import { Blocked, Drafts, Settlements } from './lists.tsx';
import { SettlementPanel } from './panel.tsx';
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
export function SettlementsPage({ pages, onSignedOut }: PageProps) {
  const [view, show] = useView(viewOf);
  const kind = kindOf(view);
  const { cursor, company, day, state, item } = view;
  const [list, setList] = useState<Listed & { of: string }>();
  const [shown, setShown] = useState<OneSettlement>();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState('');
  const [keysOn, setKeysOn] = useState(keysAreOn);
  const [problem, failed, forget] = useProblem(onSignedOut);
  const inPanel = useCallback((error: unknown) => failed(error, item), [failed, item]);
  const { family } = useFamily(company, failed);
  const key = [kind, cursor, company, day, state].join(' ');
  const [latestList] = useLatest(failed);
  const load = useCallback(
    () =>
      latestList(
        () => readList(kind, { ...EMPTY, cursor, company, day, state }),
        (found) => setList({ ...found, of: [kind, cursor, company, day, state].join(' ') }),
      ),
    [kind, cursor, company, day, state, latestList],
  );
  useEffect(() => void load(), [load]);
  const [latestOne] = useLatest(failed);
  const openOne = useCallback(
    (id: string) => latestOne(() => (id ? readSettlement(id) : Promise.resolve(undefined)), setShown),
    [latestOne],
  );
  useEffect(() => void openOne(item), [item, openOne]);
  const here = list?.of === key ? list : undefined;
  const go = (change: Partial<View>) => {
    forget();
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
    forget();
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
    <Page
      title="Settlements"
      skip={{ to: 'settlements', name: 'Skip to the list' }}
      pages={pages}
      family={family}
      company={company}
      onCompany={(next) => go({ company: next, cursor: '' })}
      onSignedOut={onSignedOut}
      filters={
        <Filters
          view={view}
          kind={kind}
          keysOn={keysOn}
          onGo={(next) => go({ cursor: '', ...next })}
          onRefresh={() => void load()}
          onKeys={setKeysOn}
        />
      }
      status={message || (here && countOf(here.items.length, kind, here.next !== null))}
      problems={[problem.of === '' || problem.of !== shown?.id ? problem.text : '']}
    >
      <Listing
        id="settlements"
        wide
        steps={forwards(['First page', 'Next page'], cursor, here?.next, (cursor) => go({ cursor }))}
        panel={
          shown &&
          item === shown.id && (
            <SettlementPanel
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
          )
        }
        isOpen={shown !== undefined && item !== ''}
      >
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
      </Listing>
    </Page>
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
