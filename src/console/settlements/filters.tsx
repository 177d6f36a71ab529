import { LettersAct } from '../frame/keys.tsx';
import { Show } from '../frame/show.tsx';
import { wordsOf } from './sentences.ts';
import type { Kind } from './settlements-api.ts';
import type { View } from './settlements-view.ts';

const KINDS: readonly [Kind, string][] = [
  ['settlements', 'Settlements'],
  ['blockers', 'Blocked: cannot be billed yet'],
  ['approvable', 'To approve: nothing is missing'],
  ['drafts', 'Drafts: approved, not settled'],
  ['received', 'Sent to us'],
];
const STATES = ['pending', 'approved', 'customer_pending', 'customer_approved', 'customer_paid', 'paid', 'voided'];

interface Props {
  view: View;
  kind: Kind;
  keysOn: boolean;
  onGo: (change: Partial<View>) => void;
  onRefresh: () => void;
  onKeys: (on: boolean) => void;
}

/** The choice of the items that are shown. */
export function Filters({ view, kind, keysOn, onGo, onRefresh, onKeys }: Props) {
  return (
    <form className="filters" aria-label="What is shown" onSubmit={(event) => event.preventDefault()}>
      <Show kinds={KINDS} value={kind} onChange={(show) => onGo({ show: show === 'settlements' ? '' : show, state: '', day: '' })} />
      {(kind === 'settlements' || kind === 'received') && (
        <label>
          State
          <select value={view.state} onChange={(event) => onGo({ state: event.target.value })}>
            <option value="">all</option>
            {STATES.map((state) => (
              <option key={state} value={state}>
                {wordsOf(state)}
              </option>
            ))}
          </select>
        </label>
      )}
      {(kind === 'blockers' || kind === 'approvable') && (
        <label>
          Day
          <input type="date" value={view.day} onChange={(event) => onGo({ day: event.target.value })} />
        </label>
      )}
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      <LettersAct on={keysOn} onChange={onKeys} />
      <p className="meaning">
        <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>a</kbd> approve, <kbd>s</kbd> send, <kbd>e</kbd> e-mail, <kbd>p</kbd> pay,{' '}
        <kbd>n</kbd> charge with the next one, <kbd>c</kbd> correct, <kbd>v</kbd> void, <kbd>b</kbd> bill anew, <kbd>f</kbd> file for
        accounting, <kbd>o</kbd> keep the PDF, <kbd>Esc</kbd> close
      </p>
    </form>
  );
}
