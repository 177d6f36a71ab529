import type { View } from './api.ts';

const KINDS = ['order', 'project', 'ticket'];
const STATES = ['created', 'processed', 'failed', 'exhausted', 'skipped', 'skipped_update'];

/** Which records are listed, and what is done with all that failed of them. */
export function Filters({
  view,
  onChange,
  onRefresh,
  onReplay,
}: {
  view: View;
  onChange: (change: Partial<View>) => void;
  onRefresh: () => void;
  onReplay: (what: 'retry' | 'skip') => void;
}) {
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <Choice label="Kind" value={view.kind} values={KINDS} onChange={(kind) => onChange({ kind })} />
      <Choice label="State" value={view.state} values={STATES} onChange={(state) => onChange({ state })} />
      <label>
        Id or error
        <input
          type="search"
          defaultValue={view.search}
          key={view.search}
          onBlur={(event) => event.target.value !== view.search && onChange({ search: event.target.value })}
          onKeyDown={(event) => event.key === 'Enter' && onChange({ search: event.currentTarget.value })}
        />
      </label>
      <label>
        From
        <input type="datetime-local" value={view.after} onChange={(event) => onChange({ after: event.target.value })} />
      </label>
      <label>
        To
        <input type="datetime-local" value={view.before} onChange={(event) => onChange({ before: event.target.value })} />
      </label>
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      {view.search === '' && ['', 'failed', 'exhausted'].includes(view.state) && (
        <>
          <button type="button" onClick={() => onReplay('retry')}>
            Retry all failed
          </button>
          <button type="button" onClick={() => onReplay('skip')}>
            Skip all failed
          </button>
        </>
      )}
    </form>
  );
}

function Choice(props: { label: string; value: string; values: string[]; onChange: (value: string) => void }) {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.target.value)}>
        <option value="">all</option>
        {props.values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}
