import { type FormEvent, useEffect, useRef, useState } from 'react';
import { cancel } from '../review/amend-ticket.tsx';
import { type Correction, type Figure, readInvoice } from './settlements-api.ts';

interface Props {
  /** The invoices of the settlement, as its explanation names them. */
  invoices: readonly Figure[];
  onCorrect: (reason: string, changes: readonly Correction[]) => Promise<void>;
  onFailed: (error: unknown) => void;
  onCancel: () => void;
}

/** Another rate for an invoice of the settlement: it is voided, and the same is settled anew. */
export function Correct({ invoices, onCorrect, onFailed, onCancel }: Props) {
  const first = useRef<HTMLSelectElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [id, setId] = useState(invoices[0]?.source?.id ?? '');
  const [rate, setRate] = useState<{ of: string; type: string }>();
  const [value, setValue] = useState('');
  const [reason, setReason] = useState('');
  useEffect(() => {
    let isCurrent = true;
    setRate(undefined);
    if (id)
      readInvoice(id).then(
        ({ rateType, rateValue }) => {
          if (!isCurrent) return;
          setRate({ of: id, type: rateType ?? '' });
          setValue(rateValue ?? '');
        },
        (error: unknown) => isCurrent && onFailed(error),
      );
    return () => {
      isCurrent = false;
    };
  }, [id, onFailed]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (rate?.of === id) void onCorrect(reason, [{ invoiceId: id, rateType: rate.type, rateValue: value.trim() }]);
  };
  return (
    <form
      className="filters"
      aria-label="Correct the settlement"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && cancel(event, onCancel)}
    >
      <label>
        Invoice
        <select ref={first} value={id} onChange={(event) => setId(event.target.value)}>
          {invoices.map(({ label, source }) => (
            <option key={source!.id} value={source!.id}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {rate?.type ? `Rate (${rate.type})` : 'Rate'}
        <input required inputMode="decimal" value={value} onChange={(event) => setValue(event.target.value)} />
      </label>
      <label>
        Reason
        <input required value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <button type="submit" disabled={rate?.of !== id}>
        Void it and settle anew
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}

/** Asks for a reason before a settlement is voided. */
export function VoidIt({ onVoid, onCancel }: { onVoid: (reason: string) => void; onCancel: () => void }) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onVoid(reason);
  };
  return (
    <form
      className="filters"
      aria-label="Void the settlement"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && cancel(event, onCancel)}
    >
      <label>
        Reason
        <input ref={first} required value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <button type="submit">Void it</button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
