import type { DayJob, DayState, Truck } from './day-api.ts';

interface Props {
  states: readonly DayState[];
  trucks: ReadonlyMap<string, Truck>;
  /** The job that is picked out. */
  job: string;
  onPick: (jobId: string) => void;
  when: (instant: string | null) => string;
}

/** The jobs of a day by state, in the order of states. */
export function Jobs({ states, trucks, job, onPick, when }: Props) {
  return (
    <>
      {states.map(({ state, count, jobs }) => (
        <section key={state} aria-label={`${wordsOf(state)}, ${count}`}>
          <h2>
            {wordsOf(state)} <span className="meaning">{count}</span>
          </h2>
          <ul className="jobs">
            {jobs.map((one) => (
              <li key={one.id} aria-current={one.id === job}>
                <button type="button" className="link" onClick={() => onPick(one.id)}>
                  {one.jobId}
                </button>
                <span className="what">{describe(one)}</span>
                <span className="meaning">
                  {one.pausedAt ? 'paused, ' : ''}
                  {trucks.has(one.id) ? `seen ${when(trucks.get(one.id)!.occurredAt)}` : `starts ${when(one.jobStartAt)}`}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** Returns a state in words. */
const wordsOf = (state: string): string => state.replaceAll('_', ' ').replace('dropoff', 'drop-off');

function describe({ driver, equipment, order, waypoints, completedLoadsCount, loadsCount }: DayJob): string {
  return [
    driver ? `${driver.firstName} ${driver.lastName}`.trim() : 'no driver',
    equipment?.name,
    order.account?.name,
    waypoints.map(({ site }) => site.name).join(' to '),
    `${completedLoadsCount} of ${loadsCount} loads`,
  ]
    .filter(Boolean)
    .join(', ');
}
