import { useEffect, useRef, useState } from 'react';
import { Ask } from '../frame/ask.tsx';
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
  return (
    <Ask
      name="Send by e-mail"
      act="Send the PDF"
      ready={known !== undefined}
      first={first}
      onSubmit={() => void onSend(to.split(/[\s,]+/).filter(Boolean))}
      onCancel={onCancel}
      note={<>{known?.from} Several addresses are separated by commas.</>}
    >
      <label>
        To
        <input ref={first} type="email" multiple required size={36} value={to} onChange={(event) => setTo(event.target.value)} />
      </label>
    </Ask>
  );
}
