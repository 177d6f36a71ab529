import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect } from 'react';

interface Props {
  /** The name of the form, for screen readers. */
  name: string;
  /** The text of the button that sends it. */
  act: string;
  /** False while the form cannot be sent yet. */
  ready?: boolean;
  /** The field that has the focus as soon as the form can be sent. */
  first: { readonly current: HTMLElement | null };
  onSubmit: () => void;
  onCancel: () => void;
  /** The fields. */
  children: ReactNode;
  /** A line below the buttons. */
  note?: ReactNode;
}

/** A form that asks for a few things before something is done, in place of the buttons of its panel. */
export function Ask({ name, act, ready = true, first, onSubmit, onCancel, children, note }: Props) {
  useEffect(() => {
    if (ready) first.current?.focus();
  }, [ready, first]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="filters" aria-label={name} onSubmit={submit} onKeyDown={escapeTo(onCancel)}>
      {children}
      <button type="submit" disabled={!ready}>
        {act}
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      {note && <p className="meaning">{note}</p>}
    </form>
  );
}

/** Handles keys: Escape closes the form, and not the panel around it. */
export const escapeTo = (onCancel: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return;
  event.stopPropagation();
  onCancel();
};
