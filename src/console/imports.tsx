import { useCallback, useEffect, useRef, useState } from 'react';
import { type Family, type ImportedRecord, type Page, readFamily, readPage, readRecord, SignedOut, type View } from './api.ts';
import { RecordPanel } from './record-panel.tsx';
import { addressOf, viewOf } from './view.ts';

const KINDS = ['order', 'project', 'ticket'];
const STATES = ['created', 'processed', 'failed', 'exhausted', 'skipped', 'skipped_update'];

/** Reports, API Integrations: the imported records of the last seven days, newest first. */
export function Imports({ onSignedOut }: { onSignedOut: (reason: string) => void }) {
  const [view, setView] = useState<View>(() => viewOf(location.search));
  const [page, setPage] = useState<Page>();
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
  const load = useCallback(
    async (wanted: View) => {
      try {
        const found = await readPage(wanted);
        setPage(found);
        setMessage(
          found.records.length === 0 ? 'No records.' : `${found.records.length} ${found.records.length === 1 ? 'record' : 'records'}.`,
        );
      } catch (error) {
        failed(error);
      }
    },
    [failed],
  );
  useEffect(() => {
    readFamily().then(setFamily, failed);
  }, [failed]);
  useEffect(() => void load(view), [view, load]);
  useEffect(() => {
    const back = () => setView(viewOf(location.search));
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  }, []);
  const go = (change: Partial<View>) => {
    const next = { ...view, cursor: '', ...change };
    history.pushState(null, '', addressOf(next));
    setView(next);
  };
  const zone = (family.find(({ id }) => id === view.company) ?? family[0])?.timeZone;
  const when = (instant: string | null) =>
    instant === null ? '' : new Date(instant).toLocaleString(undefined, { timeZone: zone, dateStyle: 'medium', timeStyle: 'medium' });
  const close = () => {
    setShown(undefined);
    opener.current?.focus();
  };
  const show = async (id: string) => {
    try {
      setShown(await readRecord(id, view.company));
    } catch (error) {
      failed(error);
    }
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
        <button type="button" onClick={() => load(view)}>
          Refresh
        </button>
      </form>
      <p className="note" role="status">
        {message}
      </p>
      <main id="records" tabIndex={-1}>
        <table>
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
                      setShown(record);
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
          <button type="button" disabled={view.cursor === ''} onClick={() => go({ cursor: '' })}>
            Newest
          </button>
          <button type="button" disabled={!page?.next} onClick={() => go({ cursor: page?.next ?? '' })}>
            Older
          </button>
        </nav>
      </main>
      {shown && (
        <RecordPanel
          record={shown}
          company={view.company}
          when={when}
          onClose={close}
          onFailed={failed}
          onDone={(done, next) => {
            setMessage(done);
            void load(view).then(() => setMessage(done));
            if (next) void show(next);
          }}
        />
      )}
    </>
  );
}

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
