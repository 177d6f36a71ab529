import { useEffect, useRef } from 'react';

const KEPT = 'haulgate.review.keys';

/** Whether letters act; a person who speaks to the browser, or types blindly, switches them off. */
export const keysAreOn = (): boolean => localStorage.getItem(KEPT) !== 'off';

/** Switches letters on and off, here and at the next visit. */
export function LettersAct({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const keep = (checked: boolean) => {
    localStorage.setItem(KEPT, checked ? 'on' : 'off');
    onChange(checked);
  };
  return (
    <label className="check">
      <input type="checkbox" checked={on} onChange={(event) => keep(event.target.checked)} />
      Letters act
    </label>
  );
}

/** Opens the row after the one that is open, or before it, and else the first; says so if the page has no other one. */
export function stepIn(
  rows: readonly { id: string }[],
  openId: string,
  by: 1 | -1,
  { open, say }: { open: (id: string) => void; say: (message: string) => void },
): void {
  const at = rows.findIndex(({ id }) => id === openId);
  const next = at < 0 ? rows[0] : rows[at + by];
  if (next) open(next.id);
  else say(by === 1 ? 'This is the last one of the page.' : 'This is the first one of the page.');
}

/** Has single letters act, except in fields and together with other keys. @param acts by letter */
export function useKeys(on: boolean, acts: Record<string, (() => void) | undefined>): void {
  const current = useRef(acts);
  current.current = acts;
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      if (event.target instanceof Element && event.target.closest('input, select, textarea')) return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [on]);
}
