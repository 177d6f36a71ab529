import { useEffect, useRef, useState } from 'react';
import { codeOf, sentenceOf, sentenceOfError } from '../../ingest/code-sentences.ts';
import type { PageLink } from '../frame/page-links.ts';
import { Panel } from '../frame/panel.tsx';
import { Overtaken, SignedOut } from '../server/request.ts';
import { TicketLoad } from '../tickets/ticket-load.tsx';
import { type ImportedRecord, readMade, resubmit, retry, skip } from './imports-api.ts';
import { Place } from './place.tsx';

const RESULTS: Record<string, string> = { order: 'orders', project: 'projects', ticket: 'tickets' };
/** Corrections in progress, by record, so that they survive the end of a session. */
const drafts = new Map<string, string>();
const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null';

interface Props {
  record: ImportedRecord;
  company: string;
  /** The company's time zone. */
  zone: string | undefined;
  /** Whether the person may link tickets. */
  mayLink: boolean;
  /** The pages of the person. */
  pages: readonly PageLink[];
  /** Returns an instant as text, in the company's zone. */
  when: (instant: string | null) => string;
  onClose: () => void;
  /** Called after an action: the list is out of date. `next` is the record to show instead. */
  onDone: (message: string, next?: string) => void;
  /** Called to show another record. */
  onOpen: (id: string) => void;
  /** Called to list the records of a batch. */
  onBatch: (id: string) => void;
  /** Called when the record was out of date: load it again. */
  onOvertaken: () => void;
  onFailed: (error: unknown) => void;
}

/** One record: its payload, its outcome, and the actions on it. */
export function RecordPanel({
  record,
  company,
  zone,
  mayLink,
  pages,
  when,
  onClose,
  onDone,
  onOpen,
  onBatch,
  onOvertaken,
  onFailed,
}: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const correction = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState('');
  const [made, setMade] = useState<unknown>();
  const { id } = record;
  const [draft, setDraftText] = useState(drafts.get(id));
  const setDraft = (text: string | undefined) => {
    if (text === undefined) drafts.delete(id);
    else drafts.set(id, text);
    setProblem('');
    setDraftText(text);
  };
  const open = record.state === 'failed' || record.state === 'exhausted';
  // An unreadable or truncated payload will be unreadable again; it can only be replaced.
  const isRecord = pretty(record.payload).startsWith('{') && !record.lastError?.startsWith('too_deep:');
  const isEdited = draft !== undefined;
  // When a pressed button disappears, the focus would be lost, and the keyboard would begin again at the top of the page.
  useEffect(() => {
    const next = isEdited ? correction : open ? edit : heading;
    if (document.activeElement === document.body) next.current?.focus({ preventScroll: true });
  }, [isEdited, open]);
  /** Errors are shown next to the button, because the head of the page is out of sight while a long payload is edited. */
  const refused = (error: unknown) => {
    if (error instanceof SignedOut) onFailed(error);
    else if (error instanceof Overtaken) {
      setProblem(`It changed meanwhile: ${error.message}. It is shown as it is now.`);
      onOvertaken();
    } else setProblem((error as Error).message);
  };
  const act = async (what: () => Promise<void>, message: string) => {
    setProblem('');
    try {
      await what();
      onDone(message, id);
    } catch (error) {
      refused(error);
    }
  };
  /** Shows what the import made, as it is now, or hides it again. */
  const showMade = async () => {
    if (made !== undefined) return setMade(undefined);
    try {
      setMade(await readMade(`${company ? `/v1/companies/${company}` : '/v1'}/${RESULTS[record.kind]}/${record.resultId}`));
    } catch (error) {
      refused(error);
    }
  };
  const send = async () => {
    const payload = draft ?? '';
    try {
      JSON.parse(payload);
    } catch (error) {
      setProblem(`This is not JSON: ${(error as Error).message}`);
      return;
    }
    setProblem('');
    try {
      const next = await resubmit(id, payload, company);
      setDraft(undefined);
      onDone('The corrected payload is on its way.', next);
    } catch (error) {
      refused(error);
    }
  };
  return (
    <Panel
      id="record-title"
      title={`${record.kind} ${record.importedFor ?? 'without an id'}`}
      heading={heading}
      shown={id}
      onClose={onClose}
    >
      {/* Screen readers read the outcome aloud when it arrives. */}
      <dl aria-live="polite">
        <dt>State</dt>
        <dd>
          <span className={`state ${record.state}`}>{record.state}</span>
        </dd>
        <dt>Received</dt>
        <dd>{when(record.importReceivedAt)}</dd>
        <dt>Attempts</dt>
        <dd>
          {record.attempts}
          {record.nextAttemptAt ? `, next ${when(record.nextAttemptAt)}` : ''}
        </dd>
        {record.resultId && (
          <>
            <dt>Made or changed</dt>
            <dd>
              <button type="button" className="link" aria-expanded={made !== undefined} onClick={showMade}>
                /v1/{RESULTS[record.kind]}/{record.resultId}
              </button>
              <Place kind={record.kind} id={record.resultId} company={company} zone={zone} pages={pages} onFailed={onFailed} />
            </dd>
          </>
        )}
        <Other title="Sent in place of" id={record.resubmittedFrom} onOpen={onOpen} />
        <Other title="Overtaken by" id={record.supersededBy} onOpen={onOpen} />
        <dt>Batch</dt>
        <dd>
          <button type="button" className="link" onClick={() => onBatch(record.batchId)}>
            {record.batchId}
          </button>
          , element {record.batchIndex + 1}
        </dd>
      </dl>
      {record.lastError && (
        <>
          <h3>Last error</h3>
          <ul>
            {record.lastError.split('\n').map((line) => (
              <li key={line}>
                {line}
                <Meaning>{sentenceOfError(codeOf(line))}</Meaning>
              </li>
            ))}
          </ul>
        </>
      )}
      {record.warnings.length > 0 && (
        <>
          <h3>Warnings</h3>
          <ul>
            {record.warnings.map((warning) => (
              <li key={warning.code + warning.pointer}>
                {warning.code} at <code>{warning.pointer || '/'}</code>: given {pretty(warning.given)}
                {warning.used === null ? '' : `, used ${pretty(warning.used)}`}
                <Meaning>{open ? sentenceOfError(warning.code) : sentenceOf(warning.code)}</Meaning>
              </li>
            ))}
          </ul>
        </>
      )}
      {record.kind === 'ticket' && record.resultId && (
        <TicketLoad
          key={record.resultId}
          id={record.resultId}
          company={company}
          zone={zone}
          words={orderNamed(record.payload)}
          mayLink={mayLink}
          when={when}
          onLinked={(message) => onDone(message)}
          onFailed={onFailed}
        />
      )}
      {made !== undefined && (
        <>
          <h3>Made or changed</h3>
          <pre>{pretty(made)}</pre>
        </>
      )}
      {draft === undefined && problem && <p role="alert">{problem}</p>}
      {open && draft === undefined && (
        <p className="acts">
          {isRecord && (
            <button type="button" onClick={() => act(() => retry(id, company), 'The record is tried again.')}>
              Retry
            </button>
          )}
          <button type="button" onClick={() => act(() => skip(id, company), 'The record is put aside.')}>
            Skip
          </button>
          <button type="button" ref={edit} onClick={() => setDraft(pretty(record.payload))}>
            Edit and resubmit
          </button>
        </p>
      )}
      {draft === undefined ? (
        <>
          <h3>Payload</h3>
          <pre>{pretty(record.payload)}</pre>
        </>
      ) : (
        <>
          <label>
            Corrected payload
            <textarea ref={correction} value={draft} rows={18} spellCheck={false} onChange={(event) => setDraft(event.target.value)} />
          </label>
          <p role="alert">{problem}</p>
          <p className="acts">
            <button type="button" onClick={send}>
              Resubmit
            </button>
            <button type="button" onClick={() => setDraft(undefined)}>
              Cancel
            </button>
          </p>
        </>
      )}
      {record.metadata !== null && (
        <>
          <h3>Metadata</h3>
          <pre>{pretty(record.metadata)}</pre>
        </>
      )}
    </Panel>
  );
}

/** Returns what the payload of a ticket says of its order. */
function orderNamed(payload: unknown): string | undefined {
  const given = Object(payload) as Record<string, unknown>;
  const named = [given.platform_order_id, given.order_external_id, given.dispatch_number].find((one) => one !== undefined && one !== null);
  return named === undefined ? undefined : String(named);
}

/** The meaning of a code, below it. */
function Meaning({ children }: { children: string | undefined }) {
  return children === undefined ? null : <p className="meaning">{children}</p>;
}

/** A link to a related record. */
function Other({ title, id, onOpen }: { title: string; id: string | null; onOpen: (id: string) => void }) {
  if (!id) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>
        <button type="button" className="link" onClick={() => onOpen(id)}>
          {id}
        </button>
      </dd>
    </>
  );
}
