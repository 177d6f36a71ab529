import { useCallback, useEffect, useRef, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { keysAreOn, stepIn, useKeys } from '../frame/keys.tsx';
import { forwards, Listing } from '../frame/listing.tsx';
import { Page, type PageProps } from '../frame/page.tsx';
import { useLatest, useProblem } from '../frame/problem.ts';
import { viewIn } from '../frame/view.ts';
import { SignedOut } from '../server/request.ts';
import { timesIn } from '../times/times.ts';
import { approveEach } from './approve-each.ts';
import { Filters } from './filters.tsx';
import { InvoicePanel } from './invoice-panel.tsx';
import { type Draft, INVOICE_EVENTS, type OneInvoice, readApprovable, readBlocked, readDrafts, readInvoice } from './invoices-api.ts';
import { Blocked, Marked, Settlements } from './lists.tsx';
import type { Found } from './lists-api.ts';
import { SettlementPanel } from './panel.tsx';
import { DONE, money, UNSETTLED } from './sentences.ts';
import {
  type Correction,
  correct,
  EVENTS,
  type Kind,
  type OneSettlement,
  readSettlement,
  readSettlements,
  rebill,
  type Settlement,
  settle,
  voidSettlement,
} from './settlements-api.ts';
import { EMPTY, type View } from './settlements-view.ts';

const viewOf = (address: string): View => viewIn(EMPTY, address);
const KINDS: readonly Kind[] = ['blockers', 'approvable', 'drafts', 'received'];
const kindOf = ({ show }: View): Kind => KINDS.find((kind) => kind === show) ?? 'settlements';
/** The list in which an invoice is now; of one that is settled, the one that it was in last. */
const listOf = ({ state, blockers, unsettledReason }: Draft): Kind =>
  blockers.length > 0 || UNSETTLED[unsettledReason ?? ''] ? 'blockers' : state === 'pending' ? 'approvable' : 'drafts';

type Listed = Found<Draft> | Found<Settlement>;
const isSettlements = (kind: Kind): boolean => kind === 'settlements' || kind === 'received';

function readList(kind: Kind, { cursor, company, day, state }: View): Promise<Listed> {
  if (kind === 'blockers') return readBlocked({ cursor, company }, day);
  if (kind === 'approvable') return readApprovable({ cursor, company }, day);
  if (kind === 'drafts') return readDrafts({ cursor, company });
  return readSettlements({ cursor, company }, state, kind === 'received');
}

/** The panel next to the list. */
interface Shown {
  settlement?: OneSettlement;
  invoice?: OneInvoice;
}

/** The bills: why work cannot be billed yet, invoices that can be approved and settled, and settlements; each with how it came about. */
export function SettlementsPage({ pages, onSignedOut }: PageProps) {
  const [view, show] = useView(viewOf);
  const kind = kindOf(view);
  const { cursor, company, day, state, item } = view;
  const [list, setList] = useState<Listed & { of: string }>();
  const [shown, setShown] = useState<Shown>({});
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [message, setMessage] = useState('');
  const [keysOn, setKeysOn] = useState(keysAreOn);
  const [problem, failed, forget] = useProblem(onSignedOut);
  const inPanel = useCallback((error: unknown) => failed(error, item), [failed, item]);
  const { family, zone } = useFamily(company, failed);
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
    (id: string) =>
      latestOne(async (): Promise<Shown> => {
        if (!id) return {};
        return isSettlements(kind) ? { settlement: await readSettlement(id, kind === 'received') } : { invoice: await readInvoice(id) };
      }, setShown),
    [kind, latestOne],
  );
  useEffect(() => void openOne(item), [item, openOne]);
  const here = list?.of === key ? list : undefined;
  const { settlement, invoice } = shown;
  const shownId = (settlement ?? invoice)?.id;
  const go = (change: Partial<View>) => {
    forget();
    // Looking at one of the list keeps what is marked in it.
    if (Object.keys(change).some((name) => name !== 'item')) setPicked(new Set());
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
  const step = (by: 1 | -1) => here && stepIn(here.items, item, by, { open, say: setMessage });
  useKeys(keysOn, { j: () => step(1), k: () => step(-1) });
  // The item that is shown when a change is done may be another one than when it began, such as the settlement that it made.
  const now = useRef({ item, load, openOne });
  now.current = { item, load, openOne };
  /**
   * Runs a change, says what it came to, and reads anew what is shown; also after a refusal, because what is shown may be out of date.
   * @returns whether it was done
   */
  const run = async (work: () => Promise<string>): Promise<boolean> => {
    forget();
    let isDone = true;
    try {
      setMessage(await work());
    } catch (error) {
      setMessage('');
      failed(error, item);
      if (error instanceof SignedOut) return false;
      isDone = false;
    }
    await now.current.load();
    await now.current.openOne(now.current.item);
    return isDone;
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
  const pick = (ids: readonly string[], on: boolean) => {
    const next = new Set(picked);
    for (const id of ids)
      if (on) next.add(id);
      else next.delete(id);
    setPicked(next);
  };
  const approving = useRef(false);
  const approveMarked = () =>
    run(async () => {
      approving.current = true;
      const marked = (here!.items as Draft[]).filter(({ id }) => picked.has(id));
      const refused = await approveEach(marked, (at) => setMessage(`Approving ${at} of ${marked.length}.`));
      setPicked(new Set(refused.map(({ id }) => id)));
      if (refused.length > 0) failed(new Error(refused.map(({ invoiceId, why }) => `${invoiceId}: ${why}`).join(' ')));
      const done = marked.length - refused.length;
      return `${done} ${done === 1 ? 'invoice is' : 'invoices are'} approved.`;
    }).finally(() => {
      approving.current = false;
    });
  const settleMarked = () =>
    run(async () => {
      const made = await readSettlement(await settle([...picked], company));
      go({ show: '', cursor: '', item: made.id });
      return `${made.settlementId} is made.`;
    });
  const panelProps = { keysOn, problem: problem.of === shownId ? problem.text : '', onStep: step, onClose: close };
  const panel =
    settlement && item === settlement.id ? (
      <SettlementPanel
        {...panelProps}
        key={settlement.id}
        settlement={settlement}
        received={kind === 'received'}
        onEvent={(event) => void change(`${settlement.settlementId}: ${DONE[event]}.`, () => EVENTS[event]!(item))}
        onVoid={(reason) => void change(`${settlement.settlementId}: voided.`, () => voidSettlement(item, reason))}
        onRebill={() => void replace(`bills ${settlement.settlementId} anew`, () => rebill(item))}
        onCorrect={(reason: string, changes: readonly Correction[]) =>
          replace(`takes the place of ${settlement.settlementId}`, () => correct(item, reason, changes))
        }
        onDo={change}
        onOpen={open}
        onOpenInvoice={(one) => go({ ...EMPTY, company, show: listOf(one), item: one.id })}
        onFailed={inPanel}
        onForget={forget}
        timeOf={timesIn(zone)}
      />
    ) : (
      invoice &&
      item === invoice.id && (
        <InvoicePanel
          {...panelProps}
          invoice={invoice}
          onEvent={(event) => void change(`${invoice.invoiceId}: ${DONE[event]}.`, () => INVOICE_EVENTS[event]!(item))}
        />
      )
    );
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
          onRefresh={() => void Promise.all([load(), openOne(item)])}
          onKeys={setKeysOn}
        />
      }
      status={message || (here && countOf(here.items.length, kind, here.next !== null))}
      problems={[problem.of === '' || problem.of !== shownId ? problem.text : '']}
    >
      <Listing
        id="settlements"
        wide
        steps={forwards(['First page', 'Next page'], cursor, here?.next, (cursor) => go({ cursor }))}
        panel={panel}
        isOpen={shownId !== undefined && item !== ''}
      >
        {here && kind === 'blockers' && <Blocked items={here.items as Draft[]} shown={item} onOpen={open} />}
        {here && (kind === 'approvable' || kind === 'drafts') && (
          <Marked
            caption={kind === 'drafts' ? 'Approved, and in no settlement' : 'Nothing is missing; the oldest day first'}
            items={here.items as Draft[]}
            picked={picked}
            onPick={pick}
            shown={item}
            onOpen={open}
          >
            <button
              type="button"
              aria-disabled={picked.size === 0}
              onClick={() => picked.size > 0 && void (kind === 'drafts' ? settleMarked() : approving.current || approveMarked())}
            >
              {kind === 'drafts' ? 'Settle what is marked' : 'Approve what is marked'}
              {picked.size > 0 && ` (${picked.size})`}
            </button>
          </Marked>
        )}
        {here && isSettlements(kind) && <Settlements items={here.items as Settlement[]} shown={item} onOpen={open} />}
      </Listing>
    </Page>
  );
}

const WHAT: Record<Kind, [one: string, several: string, of: string]> = {
  blockers: ['invoice', 'invoices', 'cannot be billed yet'],
  approvable: ['invoice', 'invoices', 'can be approved'],
  drafts: ['invoice', 'invoices', 'can be settled'],
  settlements: ['settlement', 'settlements', ''],
  received: ['settlement', 'settlements', 'sent to you'],
};

function countOf(count: number, kind: Kind, more: boolean): string {
  const [one, several, of] = WHAT[kind];
  const name = [count === 1 ? one : several, of].filter(Boolean).join(' ');
  return `${count === 0 ? 'No' : count} ${name}${more ? ' on this page; there are more' : ''}.`;
}
