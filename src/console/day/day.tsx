import { useEffect, useMemo, useState } from 'react';
import { useFamily, useView } from '../frame/hooks.ts';
import { Page, type PageProps } from '../frame/page.tsx';
import { useProblem } from '../frame/problem.ts';
import { viewIn } from '../frame/view.ts';
import { type DayState, followDay, followTrucks, type MapSite, readDay, readSites, readTrucks } from './day-api.ts';
import { Figures } from './figures.tsx';
import { Jobs } from './jobs.tsx';
import { DayMap } from './map.tsx';
import { useLive } from './poll.ts';
import { configuredTiles } from './tiles.ts';

const EMPTY = { date: '', company: '', job: '' };
type View = typeof EMPTY;
const viewOf = (address: string): View => viewIn(EMPTY, address);
const tiles = configuredTiles();
const byName = new Intl.Collator(undefined, { numeric: true }).compare;

/** A company's day: its jobs by state, and on a map where the trucks of those under way are. */
export function Day({ pages, onSignedOut }: PageProps) {
  const [view, show] = useView(viewOf);
  const [sites, setSites] = useState<{ of: string; all: MapSite[] }>({ of: '', all: [] });
  const { date, company, job } = view;
  const [problem, failed, forget] = useProblem(onSignedOut);
  const of = `${company} ${date}`;
  const live = useLive(of, { read: () => readDay(date, company), follow: (changed) => followDay(date, company, changed) }, failed);
  const now = live.value;
  // Where trucks are now says nothing about another day.
  const onRoad = now?.today ?? false;
  const road = useLive(
    `${onRoad} ${company}`,
    {
      read: async () => (onRoad ? readTrucks(company) : []),
      follow: (changed) => (onRoad ? followTrucks(company, changed) : () => undefined),
    },
    failed,
  );
  const { family } = useFamily(company, failed);
  // Sites hardly change: they are read when the day has other jobs than before.
  const ids = useMemo(() => (now?.states ?? []).flatMap((group) => group.jobs.map(({ id }) => id)).sort(), [now]);
  const key = `${of} ${ids.join()}`;
  useEffect(() => {
    let over = false;
    if (ids.length === 0) return;
    readSites(ids, company).then(
      (all) => over || setSites({ of, all }),
      (error) => over || failed(error),
    );
    return () => {
      over = true;
    };
  }, [key, of, company, failed]);
  const go = (change: Partial<View>) => {
    const next = { ...view, ...change };
    forget();
    show(next);
  };
  const clock = (instant: string | null) =>
    instant === null ? '' : new Date(instant).toLocaleTimeString(undefined, { timeZone: now?.timeZone, timeStyle: 'short' });
  const trucks = useMemo(() => {
    const shown = new Set(ids);
    // Whoever reported last is last in the answer: by name, trucks and their names keep their places.
    return (road.value ?? [])
      .filter(({ jobId }) => shown.has(jobId))
      .sort((a, b) => byName(a.name, b.name) || (a.jobId < b.jobId ? -1 : 1));
  }, [road.value, ids]);
  const pick = (jobId: string) => go({ job: jobId === job ? '' : jobId });
  return (
    <Page
      title="Day"
      skip={{ to: 'day', name: 'Skip to the jobs' }}
      pages={pages}
      family={family}
      company={company}
      onCompany={(company) => go({ company, job: '' })}
      onSignedOut={onSignedOut}
      filters={
        <form className="filters" aria-label="What is shown" onSubmit={(event) => event.preventDefault()}>
          <label>
            Day
            <input type="date" value={date || (now?.date ?? '')} onChange={(event) => go({ date: event.target.value, job: '' })} />
          </label>
          <button type="button" onClick={() => go({ date: '', job: '' })}>
            Today
          </button>
          <button
            type="button"
            onClick={() => {
              live.look();
              road.look();
            }}
          >
            Refresh
          </button>
        </form>
      }
      status={now && `${countOf(ids.length, 'job')}, ${countOf(trucks.length, 'truck')} on the road; times are those of ${now.timeZone}.`}
      note={now && `As of ${clock(now.at.toISOString())}.`}
      problems={[olderBy(live) ?? olderBy(road), problem.text]}
    >
      {now && (
        <Figures
          date={now.date}
          company={company}
          board={`${Math.floor(now.at.getTime() / 60_000)} ${boardOf(now.states)}`}
          onFailed={failed}
        />
      )}
      {now && (
        <div className="day">
          <DayMap
            key={of}
            sites={ids.length > 0 && sites.of === of ? sites.all : []}
            trucks={trucks}
            complete={sites.of === of && road.value !== undefined}
            tiles={tiles}
            job={job}
            onPick={pick}
            when={clock}
          />
          <main id="day" tabIndex={-1}>
            <Jobs states={now.states} trucks={new Map(trucks.map((truck) => [truck.jobId, truck]))} job={job} onPick={pick} when={clock} />
          </main>
        </div>
      )}
    </Page>
  );
}

/** Says that the last look failed. */
const olderBy = ({ problem, again }: { problem?: string; again?: number }): string | undefined =>
  problem && `${problem} What is shown is older. It is read again in ${again} s.`;

/** The state of the board, on which figures of the day depend. */
const boardOf = (states: readonly DayState[]): string =>
  JSON.stringify(states.map(({ state, jobs }) => [state, jobs.map(({ id, completedLoadsCount }) => [id, completedLoadsCount])]));

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
