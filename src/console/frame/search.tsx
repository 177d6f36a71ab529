import { useEffect, useRef } from 'react';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text field that searches when somebody has finished typing. */
export function Search({ label, value, onChange }: Props) {
  const input = useFollowed(value);
  const commit = (text: string) => text !== value && onChange(text);
  return (
    <label>
      {label}
      <input
        ref={input}
        type="search"
        defaultValue={value}
        onBlur={(event) => commit(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && commit(event.currentTarget.value)}
      />
    </label>
  );
}

/** Keeps an input equal to the view, which the browser's back button changes as well, without losing the focus and half-typed text. */
export function useFollowed(value: string) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current && input.current.value !== value) input.current.value = value;
  }, [value]);
  return input;
}
