interface Props {
  /** The kinds of items that a page can list, with their names. */
  kinds: readonly (readonly [value: string, name: string])[];
  value: string;
  onChange: (value: string) => void;
}

/** The choice of what a page lists. */
export function Show({ kinds, value, onChange }: Props) {
  return (
    <label>
      Show
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {kinds.map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
