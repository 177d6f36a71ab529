import { useRef, useState } from 'react';
import { Ask } from '../frame/ask.tsx';

/** Asks for a reason before a settlement is voided. */
export function VoidIt({ onVoid, onCancel }: { onVoid: (reason: string) => void; onCancel: () => void }) {
  const first = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState('');
  return (
    <Ask name="Void the settlement" act="Void it" first={first} onSubmit={() => onVoid(reason)} onCancel={onCancel}>
      <label>
        Reason
        <input ref={first} required value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Ask>
  );
}
