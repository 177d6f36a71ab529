import { type FormEvent, useEffect, useRef, useState } from 'react';
import { escapeTo } from '../frame/ask.tsx';
import { Comparison } from './comparison.tsx';
import { CorrectInvoice } from './correct-invoice.tsx';
import type { Figure } from './explain-api.ts';
import { type Corrected, type Correction, type OneSettlement, previewCorrection } from './settlements-api.ts';

interface Props {
  settlement: OneSettlement;
  /** The invoices of the settlement, as its explanation names them. */
  invoices: readonly Figure[];
  onCorrect: (reason: string, changes: readonly Correction[]) => Promise<void>;
  onFailed: (error: unknown) => void;
  onForget: () => void;
  onCancel: () => void;
}

/**
 * Corrects invoices of a settlement: it is voided, and the same is settled anew. What that comes to is shown before, by the server, which tries it and
 * stores nothing; whatever is changed afterwards has to be shown again.
 */
export function Correct({ settlement, invoices, onCorrect, onFailed, onForget, onCancel }: Props) {
  const [named, setNamed] = useState<readonly string[]>(() => invoices.slice(0, 1).map(idOf));
  const [changes, setChanges] = useState<ReadonlyMap<string, Correction | undefined>>(new Map());
  const [reason, setReason] = useState('');
  const [shown, setShown] = useState<Corrected>();
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const confirm = useRef<HTMLButtonElement>(null);
  const asked = useRef(0);
  useEffect(() => first.current?.focus(), []);
  useEffect(() => {
    if (shown) confirm.current?.focus();
  }, [shown]);
  /** An answer to what was asked before does not count for what is asked now. */
  const outdate = () => {
    asked.current++;
    setShown(undefined);
  };
  const all = named.flatMap((id) => changes.get(id) ?? []);
  const isReady = named.length > 0 && all.length === named.length;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || !isReady) return;
    onForget();
    setBusy(true);
    const mine = ++asked.current;
    try {
      if (shown) await onCorrect(reason, all);
      else {
        const found = await previewCorrection(settlement.id, reason, all);
        if (mine === asked.current) setShown(found);
      }
    } catch (error) {
      onFailed(error);
    } finally {
      setBusy(false);
    }
  };
  const rest = invoices.filter((one) => !named.includes(idOf(one)));
  return (
    <form
      className="correction"
      aria-label="Correct the settlement"
      onSubmit={(event) => void submit(event)}
      onKeyDown={escapeTo(onCancel)}
    >
      <h3>Correct the settlement</h3>
      <p className="meaning">It is voided, and the same is settled anew with these changes. You see what it comes to before.</p>
      <label>
        Reason
        <input
          ref={first}
          required
          value={reason}
          onChange={(event) => {
            outdate();
            setReason(event.target.value);
          }}
        />
      </label>
      {named.map((id) => (
        <CorrectInvoice
          key={id}
          invoice={invoices.find((one) => idOf(one) === id)!}
          reason={reason}
          onChange={(change) => {
            outdate();
            setChanges((before) => new Map(before).set(id, change));
          }}
          onRemove={() => {
            outdate();
            setNamed(named.filter((one) => one !== id));
          }}
          onFailed={onFailed}
        />
      ))}
      {rest.length > 0 && (
        <label>
          {named.length === 0 ? 'Invoice' : 'Another invoice'}
          <select
            value=""
            onChange={(event) => {
              outdate();
              setNamed([...named, event.target.value]);
            }}
          >
            <option value="">choose one</option>
            {rest.map((one) => (
              <option key={idOf(one)} value={idOf(one)}>
                {one.label}
              </option>
            ))}
          </select>
        </label>
      )}
      {shown && <Comparison before={settlement} after={shown} />}
      <p className="acts">
        {shown ? (
          <button key="do" ref={confirm} type="submit" disabled={busy}>
            Void it and settle anew
          </button>
        ) : (
          <button key="show" type="submit" aria-disabled={busy || !isReady}>
            Show what it comes to
          </button>
        )}
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}

const idOf = ({ source }: Figure): string => source!.id;
