import { Search, useFollowed } from '../frame/search.tsx';
import type { View } from './imports-api.ts';

const KINDS = ['order', 'project', 'ticket'];
const STATES = ['created', 'processed', 'failed', 'exhausted', 'skipped', 'skipped_update'];

/** The filters of the list, and the actions on all failed records. */
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
      <Choice
        label="Warnings"
        value={view.warned}
        values={['true', 'false']}
        names={{ true: 'with', false: 'without' }}
        onChange={(warned) => onChange({ warned })}
      />
      <Search label="Id or error" value={view.search} onChange={(search) => onChange({ search })} />
      <Time label="From" value={view.after} onChange={(after) => onChange({ after })} />
      <Time label="To" value={view.before} onChange={(before) => onChange({ before })} />
      {view.batch && (
        <button type="button" onClick={() => onChange({ batch: '' })}>
          All batches
        </button>
      )}
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      {view.search === '' && view.warned === '' && ['', 'failed', 'exhausted'].includes(view.state) && (
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

function Choice(props: {
  label: string;
  value: string;
  values: string[];
  /** The names of the values; the values themselves by default. */
  names?: Record<string, string>;
  onChange: (value: string) => void;
}) {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.target.value)}>
        <option value="">all</option>
        {props.values.map((value) => (
          <option key={value} value={value}>
            {props.names?.[value] ?? value}
          </option>
        ))}
      </select>
    </label>
  );
}

function Time({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const input = useFollowed(value);
  // A year that is being typed is 0002, 0020 and 0202 before it is 2026.
  const commit = (time: string) => (time === '' || time >= '1000') && onChange(time);
  return (
    <label>
      {label}
      <input ref={input} type="datetime-local" defaultValue={value} onChange={(event) => commit(event.target.value)} />
    </label>
  );
}
