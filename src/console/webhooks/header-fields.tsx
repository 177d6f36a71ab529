import type { Header } from './webhooks-api.ts';

interface Props {
  /** The names of the headers that are sent now, whose values nobody can read again. */
  kept: readonly string[];
  /** Undefined keeps those that are sent now. */
  headers: readonly Header[] | undefined;
  onChange: (headers: readonly Header[]) => void;
}

/** Headers that are sent in addition to our own, such as a token of the receiver. */
export function HeaderFields({ kept, headers, onChange }: Props) {
  if (!headers)
    return (
      <p className="note">
        Headers of yours: {kept.length > 0 ? kept.join(', ') : 'none'}{' '}
        <button type="button" onClick={() => onChange(kept.map((name) => ({ name, value: '' })))}>
          {kept.length > 0 ? 'Write them anew' : 'Add a header'}
        </button>
      </p>
    );
  const put = (at: number, change: Partial<Header>) => onChange(headers.map((one, i) => (i === at ? { ...one, ...change } : one)));
  return (
    <fieldset className="headers">
      <legend>Headers of yours</legend>
      {headers.map(({ name, value }, at) => (
        <p key={at}>
          <label>
            Name of header {at + 1}
            <input required value={name} placeholder="Authorization" onChange={(event) => put(at, { name: event.target.value })} />
          </label>
          <label>
            Value of header {at + 1}
            <input value={value} autoComplete="off" onChange={(event) => put(at, { value: event.target.value })} />
          </label>
          <button type="button" aria-label={`Remove header ${at + 1}`} onClick={() => onChange(headers.filter((_, i) => i !== at))}>
            Remove
          </button>
        </p>
      ))}
      <button type="button" onClick={() => onChange([...headers, { name: '', value: '' }])}>
        Add a header
      </button>
    </fieldset>
  );
}
