import { type FormEvent, useEffect, useRef, useState } from 'react';
import { cancel } from '../review/amend-ticket.tsx';
import { type Addresses, readAddresses } from './send-api.ts';
import type { OneSettlement } from './settlements-api.ts';

interface Props {
  settlement: OneSettlement;
  onSend: (emails: readonly string[]) => Promise<void>;
  onFailed: (error: unknown) => void;
  onCancel: () => void;
}

/** Asks where a settlement is sent to: the addresses that its account wants are there already. */
export function EmailIt({ settlement, onSend, onFailed, onCancel }: Props) {
  const first = useRef<HTMLInputElement>(null);
  // It is read anew when it was sent; what was typed stays.
  const [asked] = useState(settlement);
  const [known, setKnown] = useState<Addresses>();
  const [to, setTo] = useState('');
  useEffect(() => {
    let isCurrent = true;
    readAddresses(asked).then(
      (found) => {
        if (!isCurrent) return;
        setKnown(found);
        setTo(found.emails.join(', '));
      },
      (error: unknown) => isCurrent && onFailed(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [asked, onFailed]);
  useEffect(() => {
    if (known) first.current?.focus();
  }, [known]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onSend(to.split(/[\s,]+/).filter(Boolean));
  };
  return (
    <form
      className="filters"
      aria-label="Send by e-mail"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && cancel(event, onCancel)}
    >
      <label>
        To
        <input ref={first} type="email" multiple required size={36} value={to} onChange={(event) => setTo(event.target.value)} />
      </label>
      <button type="submit" disabled={!known}>
        Send the PDF
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      <p className="meaning">{known?.from} Several addresses are separated by commas.</p>
    </form>
  );
}
