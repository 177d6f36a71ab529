import { type ReactNode, type RefObject, useEffect } from 'react';

interface Props {
  /** Id of the heading. */
  id: string;
  title: ReactNode;
  heading: RefObject<HTMLHeadingElement>;
  /** The id of the record that is shown: the heading takes the focus when it is another one. Empty while nothing is there yet. */
  shown: string;
  /** Opens the one before or after it in the list; without it there are no such buttons. */
  onStep?: (by: 1 | -1) => void;
  onClose: () => void;
  children: ReactNode;
}

/** The panel of one row of a list. Escape closes it. */
export function Panel({ id, title, heading, shown, onStep, onClose, children }: Props) {
  useEffect(() => {
    if (shown) heading.current?.focus();
  }, [shown, heading]);
  const close = (
    <button type="button" onClick={onClose}>
      Close
    </button>
  );
  return (
    <section className="panel" aria-labelledby={id} onKeyDown={(event) => event.key === 'Escape' && onClose()}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {onStep ? (
          <span className="acts">
            <button type="button" aria-keyshortcuts="k" onClick={() => onStep(-1)}>
              Previous
            </button>
            <button type="button" aria-keyshortcuts="j" onClick={() => onStep(1)}>
              Next
            </button>
            {close}
          </span>
        ) : (
          close
        )}
      </header>
      {children}
    </section>
  );
}
