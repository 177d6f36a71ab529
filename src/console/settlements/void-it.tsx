import { type FormEvent, useEffect, useRef, useState } from 'react';
import { cancel } from '../review/amend-ticket.tsx';

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
