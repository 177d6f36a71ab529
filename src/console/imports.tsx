import { useCallback, useEffect, useRef, useState } from 'react';
import { type Family, type ImportedRecord, type Page, readFamily, readPage, readRecord, replayAll, SignedOut, type View } from './api.ts';
import { Filters } from './import-filters.tsx';
import { RecordPanel } from './record-panel.tsx';
import { Records } from './records.tsx';
import { addressOf, viewOf } from './view.ts';

/** Reports, API Integrations: the imported records of the last seven days, newest first. */
export function Imports({ onSignedOut }: { onSignedOut: (reason: string) => void }) {
  const [view, setView] = useState<View>(() => viewOf(location.search));
  const [page, setPage] = useState<Page & { of: string }>();
  const [family, setFamily] = useState<Family['companies']>([]);
  const [shown, setShown] = useState<ImportedRecord>();
  const [message, setMessage] = useState('');
  const opener = useRef<HTMLElement | null>(null);
  const failed = useCallback(
    (error: unknown) => {
      if (error instanceof SignedOut) onSignedOut(error.message);
      else setMessage((error as Error).message);
    },
    [onSignedOut],
  );
  const zone = (family.find(({ id }) => id === view.company) ?? family[0])?.timeZone;
  // Only the newest question counts: an answer that was overtaken is not shown.
  const asked = useRef(0);
  const load = useCallback(
    async (wanted: View, zone: string) => {
      const mine = ++asked.current;
      try {
        const found = await readPage(wanted, zone);
        if (mine !== asked.current) return;
        setPage({ ...found, of: listOf(wanted) });
        setMessage(
          found.records.length === 0 ? 'No records.' : `${found.records.length} ${found.records.length === 1 ? 'record' : 'records'}.`,
        );
      } catch (error) {
        if (mine === asked.current) failed(error);
      }
    },
    [failed],
  );
  useEffect(() => {
    readFamily().then(setFamily, failed);
  }, [failed]);
  const { record: wantedRecord, company } = view;
  const list = listOf(view);
  const arrived = page?.of === list;
  useEffect(() => {
    if (zone) void load({ ...(JSON.parse(list) as View) }, zone);
  }, [list, zone, load]);
  const show = useCallback(
    async (id: string, of: string) => {
      try {
        setShown(await readRecord(id, of));
      } catch (error) {
        failed(error);
      }
    },
    [failed],
  );
  useEffect(() => {
    if (wantedRecord) void show(wantedRecord, company);
    else setShown(undefined);
  }, [wantedRecord, company, show]);
  useEffect(() => {
    const back = () => setView(viewOf(location.search));
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  }, []);
  /** @param newer cursors of the pages before this one, newest first */
  const go = (change: Partial<View>, newer: string[] = []) => {
    const next = { ...view, cursor: '', record: '', ...change };
    history.pushState({ newer }, '', addressOf(next));
    setView(next);
  };
  const stay = (change: Partial<View>) => go({ cursor: view.cursor, ...change }, newerOf());
  const refresh = async (told?: string) => {
    if (zone) await load(view, zone);
    if (told) setMessage(told);
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
  const when = (instant: string | null) =>
    instant === null ? '' : new Date(instant).toLocaleString(undefined, { timeZone: zone, dateStyle: 'medium', timeStyle: 'medium' });
  const close = () => {
    stay({ record: '' });
    opener.current?.focus();
  };
  return (
    <>
      <a className="skip" href="#records">
        Skip to the records
      </a>
      <header className="top">
        <h1>Imports</h1>
        {family.length > 1 && (
          <label>
            Company
            <select value={view.company} onChange={(event) => go({ company: event.target.value })}>
              {family.map(({ id, legalName }, i) => (
                <option key={id} value={i === 0 ? '' : id}>
                  {legalName}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="button" onClick={() => onSignedOut('')}>
          Sign out
        </button>
      </header>
      <Filters view={view} onChange={go} onRefresh={() => refresh()} onReplay={replay} />
      <p className="note" role="status">
        {message}
      </p>
      <main id="records" tabIndex={-1}>
        <Records
          view={view}
          records={page?.records}
          arrived={arrived}
          shown={shown?.id}
          when={when}
          onOpen={(record, from) => {
            opener.current = from;
            stay({ record });
          }}
        />
        <nav aria-label="Pages">
          <button type="button" disabled={view.cursor === ''} onClick={() => go({})}>
            Newest
          </button>
          <button type="button" disabled={newerOf().length === 0} onClick={() => go({ cursor: newerOf()[0] ?? '' }, newerOf().slice(1))}>
            Newer
          </button>
          <button
            type="button"
            disabled={!page?.next}
            onClick={() => arrived && go({ cursor: page.next ?? '' }, [view.cursor, ...newerOf()])}
          >
            Older
          </button>
        </nav>
      </main>
      {shown && (
        <RecordPanel
          key={shown.id}
          record={shown}
          company={view.company}
          when={when}
          onClose={close}
          onFailed={failed}
          onDone={(done, next) => {
            void refresh(done);
            if (next === shown.id) void show(next, view.company);
            else if (next) stay({ record: next });
          }}
        />
      )}
    </>
  );
}

/** What of a view decides which records are listed: all but the record that is opened beside the list. */
const listOf = ({ record, ...listed }: View) => JSON.stringify({ ...listed, record: '' } satisfies View);

/** Lists are read forwards only, so the way back is remembered with each step of the history. */
const newerOf = (): string[] => (history.state as { newer?: string[] } | null)?.newer ?? [];
