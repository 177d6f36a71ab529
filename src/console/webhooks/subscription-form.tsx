import { type FormEvent, useEffect, useRef, useState } from 'react';
import { HeaderFields } from './header-fields.tsx';
import { EVENTS, type Header, TOPICS, type Wanted } from './webhooks-api.ts';

interface Props {
  /** The values that are there already; none for a new subscription. */
  known?: Wanted & { headerNames: readonly string[] };
  onSave: (wanted: Wanted) => Promise<void>;
  onCancel: () => void;
}

/** Where events are sent, and which. */
export function SubscriptionForm({ known, onSave, onCancel }: Props) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [url, setUrl] = useState(known?.url ?? '');
  const [name, setName] = useState(known?.name ?? '');
  const [triggers, setTriggers] = useState<ReadonlySet<string>>(new Set(known?.triggers));
  const [includeChildren, setIncludeChildren] = useState(known?.includeChildren ?? false);
  const [headers, setHeaders] = useState<readonly Header[] | undefined>(known ? undefined : []);
  const [busy, setBusy] = useState(false);
  const toggle = (trigger: string) =>
    setTriggers((now) => new Set(now.has(trigger) ? [...now].filter((one) => one !== trigger) : [...now, trigger]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    void onSave({ url: url.trim(), name, triggers: [...triggers], includeChildren, headers }).finally(() => setBusy(false));
  };
  return (
    <form
      className="subscription"
      aria-label={known ? 'Change the subscription' : 'New subscription'}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <label>
        Address
        <input ref={first} required type="url" placeholder="https://" value={url} onChange={(event) => setUrl(event.target.value)} />
      </label>
      <label>
        Name
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <table className="triggers">
        <caption>What it is informed of</caption>
        <thead>
          <tr>
            <td />
            {EVENTS.map((event) => (
              <th key={event} scope="col">
                {event.replace('_', ' ')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {TOPICS.map((topic) => (
            <tr key={topic}>
              <th scope="row">{topic}</th>
              {EVENTS.map((event) => (
                <td key={event}>
                  <input
                    type="checkbox"
                    aria-label={`${topic} ${event.replace('_', ' ')}`}
                    checked={triggers.has(`${topic}::${event}`)}
                    onChange={() => toggle(`${topic}::${event}`)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <label className="check">
        <input type="checkbox" checked={includeChildren} onChange={(event) => setIncludeChildren(event.target.checked)} />
        Also of the companies below
      </label>
      <HeaderFields kept={known?.headerNames ?? []} headers={headers} onChange={setHeaders} />
      <button type="submit" disabled={busy || triggers.size === 0}>
        {known ? 'Save' : 'Subscribe'}
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
}
