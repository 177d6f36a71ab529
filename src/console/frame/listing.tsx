import type { ReactNode } from 'react';

/** A button to another page of a list: its name, and what it does; nothing if there is no such page. */
export type Step = readonly [name: string, to: (() => void) | undefined];

interface Props {
  /** Where the link to skip the head leads, and where the focus goes when the panel closes. */
  id: string;
  steps: readonly Step[];
  /** One of the list, next to it. */
  panel: ReactNode;
  /** Whether there is room for the panel, also while it is empty because the next one is read. */
  isOpen?: boolean;
  /** The panel needs more room than the list. */
  wide?: boolean;
  /** The list. */
  children: ReactNode;
}

/** A list with the ways to its other pages, and next to it the panel of one of its rows. */
export function Listing({ id, steps, panel, isOpen = Boolean(panel), wide = false, children }: Props) {
  return (
    <div className={isOpen ? (wide ? 'with-panel wide' : 'with-panel') : undefined}>
      <main id={id} tabIndex={-1}>
        {children}
        <Paging name="Pages" steps={steps} />
      </main>
      {panel}
    </div>
  );
}

/** The ways to other pages of a list. At the last page a button is not disabled, because a disabled button would lose the focus. */
export function Paging({ name, steps }: { name: string; steps: readonly Step[] }) {
  return (
    <nav aria-label={name}>
      {steps.map(([name, to]) => (
        <button key={name} type="button" aria-disabled={!to} onClick={to}>
          {name}
        </button>
      ))}
    </nav>
  );
}

/**
 * The steps of a list that is read forwards: back to its first page, and to the next one.
 * @param names of the two buttons
 */
export const forwards = (
  names: readonly [string, string],
  cursor: string,
  next: string | null | undefined,
  go: (cursor: string) => void,
): Step[] => [
  [names[0], cursor === '' ? undefined : () => go('')],
  [names[1], next ? () => go(next) : undefined],
];
