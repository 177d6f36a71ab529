import { useCallback, useEffect, useRef, useState } from 'react';
import { type Family, type ImportedRecord, type Page, readFamily, readPage, readRecord, replayAll, SignedOut, type View } from './api.ts';
import { RecordPanel } from './record-panel.tsx';
import { addressOf, viewOf } from './view.ts';

const KINDS = ['order', 'project', 'ticket'];
const STATES = ['created', 'processed', 'failed', 'exhausted', 'skipped', 'skipped_update'];

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
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="Kind" value={view.kind} values={KINDS} onChange={(kind) => go({ kind })} />
        <Choice label="State" value={view.state} values={STATES} onChange={(state) => go({ state })} />
        <label>
          Id or error
          <input
            type="search"
            defaultValue={view.search}
            key={view.search}
            onBlur={(event) => event.target.value !== view.search && go({ search: event.target.value })}
            onKeyDown={(event) => event.key === 'Enter' && go({ search: event.currentTarget.value })}
          />
        </label>
        <label>
          From
          <input type="datetime-local" value={view.after} onChange={(event) => go({ after: event.target.value })} />
        </label>
        <label>
          To
          <input type="datetime-local" value={view.before} onChange={(event) => go({ before: event.target.value })} />
        </label>
        <button type="button" onClick={() => refresh()}>
          Refresh
        </button>
        {view.search === '' && ['', 'failed', 'exhausted'].includes(view.state) && (
          <>
            <button type="button" onClick={() => replay('retry')}>
              Retry all failed
            </button>
            <button type="button" onClick={() => replay('skip')}>
              Skip all failed
            </button>
          </>
        )}
      </form>
      <p className="note" role="status">
        {message}
      </p>
      <main id="records" tabIndex={-1}>
        <table aria-busy={!arrived}>
          <caption>{view.after || view.before ? 'Records of the chosen time' : 'Records of the last seven days'}, newest first</caption>
          <thead>
            <tr>
              {['Imported for', 'Received', 'Kind', 'State', 'Last error', 'Attempts'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {page?.records.map((record) => (
              <tr key={record.id} aria-selected={record.id === shown?.id}>
                <th scope="row">
                  <button
                    type="button"
                    className="link"
                    onClick={(event) => {
                      opener.current = event.currentTarget;
                      stay({ record: record.id });
                    }}
                  >
                    {record.importedFor ?? '(no id)'}
                  </button>
                </th>
                <td>{when(record.importReceivedAt)}</td>
                <td>{record.kind}</td>
                <td>
                  <span className={`state ${record.state}`}>{record.state}</span>
                </td>
                <td className="error">{record.lastError?.split('\n')[0] ?? ''}</td>
                <td className="number">{record.attempts}</td>
              </tr>
            ))}
          </tbody>
        </table>
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

function Choice(props: { label: string; value: string; values: string[]; onChange: (value: string) => void }) {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.target.value)}>
        <option value="">all</option>
        {props.values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}
