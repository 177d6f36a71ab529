import { useCallback, useEffect, useRef, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { Listing } from '../frame/listing.tsx';
import { Page, type PageProps } from '../frame/page.tsx';
import { useLatest, useProblem } from '../frame/problem.ts';
import { SignedOut } from '../server/request.ts';
import { timesIn } from '../times/times.ts';
import { Filters } from './import-filters.tsx';
import {
  type Counts,
  type ImportedRecord,
  type Page as PageOfRecords,
  readCounts,
  readPage,
  readRecord,
  replayAll,
  type View,
} from './imports-api.ts';
import { viewOf } from './imports-view.ts';
import { RecordPanel } from './record-panel.tsx';
import { Records } from './records.tsx';

/**
 * Reports, API Integrations: the imported records of the last seven days, newest first.
 * @param links whether the person may link tickets
 */
export function Imports({ links, pages, onSignedOut }: PageProps & { links: boolean }) {
  const [view, showView] = useView(viewOf);
  const [page, setPage] = useState<PageOfRecords & { of: string }>();
  const [shown, setShown] = useState<ImportedRecord>();
  const [message, setMessage] = useState('');
  const [counts, setCounts] = useState<Counts>();
  const opener = useRef<HTMLElement | null>(null);
  // Separate from the message: a new list must not hide an error about the opened record.
  const [problem, failed, forget] = useProblem(onSignedOut);
  const [latest, reads] = useLatest(failed);
  const load = useCallback(
    (wanted: View, zone: string) =>
      latest(
        () => Promise.all([readPage(wanted, zone), readCounts(wanted, zone)]),
        ([found, counted]) => {
          setCounts(counted);
          setPage({ ...found, of: listOf(wanted) });
          setMessage(countOf(found, wanted));
        },
      ),
    [latest],
  );
  const { family, zone } = useFamily(view.company, failed);
  const { record: wantedRecord, company } = view;
  const list = listOf(view);
  const arrived = page?.of === list;
  useEffect(() => {
    if (zone) void load({ ...(JSON.parse(list) as View) }, zone);
  }, [list, zone, load]);
  // If several records were requested, the last one is shown, whichever answer comes last.
  const opened = useRef('');
  const show = useCallback(
    async (id: string, of: string) => {
      opened.current = id;
      try {
        const found = await readRecord(id, of);
        if (opened.current === id) setShown(found);
      } catch (error) {
        failed(error);
      }
    },
    [failed],
  );
  useEffect(() => {
    if (wantedRecord) void show(wantedRecord, company);
    else {
      opened.current = '';
      setShown(undefined);
    }
  }, [wantedRecord, company, show]);
  // A record that waits for its turn is reloaded until it has its outcome, together with the list. Messages stay meanwhile.
  useEffect(() => {
    const wait = shown && waitOf(shown);
    if (!zone || !shown || wait === undefined) return;
    let over = false;
    const look = async () => {
      try {
        const now = await readRecord(shown.id, company);
        if (over) return;
        setShown(now);
        if (now.state === shown.state && now.attempts === shown.attempts) return;
        const before = reads();
        const found = await readPage(JSON.parse(list) as View, zone);
        if (before === reads()) setPage({ ...found, of: list });
      } catch (error) {
        // Nobody asked for the reload, so only the end of the session is shown; other errors are ignored, and the reload is repeated.
        if (error instanceof SignedOut) failed(error);
        else if (!over) setShown({ ...shown });
      }
    };
    const timer = setTimeout(() => void look(), wait);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [shown, company, list, zone, failed, reads]);
  /** @param newer cursors of the pages before this one, newest first */
  const go = (change: Partial<View>, newer: string[] = []) => {
    const next = { ...view, cursor: '', record: '', ...change };
    forget();
    showView(next, { newer });
  };
  const stay = (change: Partial<View>) => go({ cursor: view.cursor, ...change }, newerOf());
  const refresh = async (text?: string) => {
    forget();
    if (zone) await load(view, zone);
    if (text) setMessage(text);
  };
  const replay = async (what: 'retry' | 'skip') => {
    const ask = what === 'retry' ? 'Try all failed records of these filters again?' : 'Put all failed records of these filters aside?';
    if (!zone || !confirm(ask)) return;
    try {
      const count = await replayAll(what, view, zone);
      await refresh(`${count} ${count === 1 ? 'record is' : 'records are'} ${what === 'retry' ? 'tried again' : 'put aside'}.`);
    } catch (error) {
      failed(error);
    }
  };
  const when = timesIn(zone);
  const close = () => {
    stay({ record: '' });
    // The list may have been reloaded since, without that record.
    const back = opener.current?.isConnected ? opener.current : document.getElementById('records');
    back?.focus();
  };
  return (
    <Page
      title="Imports"
      skip={{ to: 'records', name: 'Skip to the records' }}
      pages={pages}
      family={family}
      company={view.company}
      onCompany={(company) => go({ company })}
      onSignedOut={onSignedOut}
      filters={<Filters view={view} onChange={go} onRefresh={() => refresh()} onReplay={replay} />}
      status={message}
      note={counts && summaryOf(counts, view)}
      problems={[problem.text]}
    >
      <Listing
        id="records"
        steps={[
          ['Newest', view.cursor === '' ? undefined : () => go({})],
          ['Newer', newerOf().length === 0 ? undefined : () => go({ cursor: newerOf()[0] ?? '' }, newerOf().slice(1))],
          ['Older', page?.next ? () => arrived && go({ cursor: page.next ?? '' }, [view.cursor, ...newerOf()]) : undefined],
        ]}
        panel={
          shown && (
            <RecordPanel
              key={shown.id}
              record={shown}
              company={view.company}
              zone={zone}
              mayLink={links}
              pages={pages}
              when={when}
              onClose={close}
              onFailed={failed}
              onOvertaken={() => {
                void refresh();
                void show(shown.id, view.company);
              }}
              onOpen={(record) => stay({ record })}
              onBatch={(batch) => go({ batch })}
              onDone={(done, next) => {
                void refresh(done);
                if (next === shown.id) void show(next, view.company);
                else if (next) stay({ record: next });
              }}
            />
          )
        }
      >
        <Records
          view={view}
          records={page?.records}
          arrived={arrived}
          shown={shown?.id}
          zone={zone}
          when={when}
          onOpen={(record, from) => {
            opener.current = from;
            stay({ record });
          }}
        />
      </Listing>
    </Page>
  );
}

/** Returns how many records of the list are in each state, as a sentence. */
function summaryOf(counts: Counts, { batch, kind, search, after, before }: View): string {
  const said = Object.entries(counts).flatMap(([state, { value, precision }]) =>
    value > 0 ? `${value}${precision === 'at_least' ? ' or more' : ''} ${state === 'warned' ? 'with warnings' : state}` : [],
  );
  if (said.length === 0) return '';
  const time = after || before ? 'This time' : 'The last seven days';
  return `${[batch ? 'This batch' : time, kind && `${kind}s`, search && `"${search}"`].filter(Boolean).join(', ')}: ${said.join(', ')}.`;
}

/** Returns how many records are listed, and whether these are all. */
function countOf({ records: { length }, next }: PageOfRecords, { cursor }: View): string {
  if (length === 0) return 'No records.';
  const others = [...(cursor ? ['newer'] : []), ...(next ? ['older'] : [])].join(' and ');
  return `${length} ${length === 1 ? 'record' : 'records'}${others ? ` on this page; there are ${others} ones` : ''}.`;
}

/** Returns the milliseconds until the next reload of a record; undefined if its outcome is final. */
function waitOf({ state, nextAttemptAt }: ImportedRecord): number | undefined {
  if (state === 'created') return LOOK_EVERY;
  if (state !== 'failed' || !nextAttemptAt) return undefined;
  return LOOK_EVERY + Math.min(Math.max(0, Date.parse(nextAttemptAt) - Date.now()), LONGEST_WAIT);
}

const LOOK_EVERY = 1_000;
/** An hour, because timers of a page mean little beyond it. */
const LONGEST_WAIT = 3_600_000;

/** Returns the part of a view that decides which records are listed: all but the opened record. */
const listOf = ({ record, ...listed }: View) => JSON.stringify({ ...listed, record: '' } satisfies View);

/** Lists are read forwards only, so the cursors of earlier pages are stored with each step of the history. */
const newerOf = (): string[] => (history.state as { newer?: string[] } | null)?.newer ?? [];
