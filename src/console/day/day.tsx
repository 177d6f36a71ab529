import { useCallback, useEffect, useMemo, useState } from 'react';
import { type Family, readFamily, SignedOut } from '../api.ts';
import { usePage } from '../entry.tsx';
import type { PageLink } from '../page-links.ts';
import { Top } from '../top.tsx';
import { addressOf, viewIn } from '../view.ts';
import { type MapSite, readDay, readSites } from './day-api.ts';
import { Jobs } from './jobs.tsx';
import { DayMap } from './map.tsx';
import { useLive } from './poll.ts';
import { configuredTiles } from './tiles.ts';

const EMPTY = { date: '', company: '', job: '' };
type View = typeof EMPTY;
const tiles = configuredTiles();

/** A company's day: its jobs by state, and on a map where the trucks of those under way are. */
export function Day({ pages, onSignedOut }: { pages: readonly PageLink[]; onSignedOut: (reason: string) => void }) {
  usePage('Day', 'en');
  const [view, setView] = useState<View>(() => viewIn(EMPTY, location.search));
  const [family, setFamily] = useState<Family['companies']>([]);
  const [sites, setSites] = useState<{ of: string; all: MapSite[] }>({ of: '', all: [] });
  const [problem, setProblem] = useState('');
  const { date, company, job } = view;
  const failed = useCallback(
    (error: unknown) => {
      if (error instanceof SignedOut) onSignedOut(error.message);
      else setProblem((error as Error).message);
    },
    [onSignedOut],
  );
  const live = useLive(`${company} ${date}`, () => readDay(date, company), failed);
  const now = live.value;
  useEffect(() => {
    readFamily().then(setFamily, failed);
  }, [failed]);
  useEffect(() => {
    const back = () => setView(viewIn(EMPTY, location.search));
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  }, []);
  // Sites hardly change: they are read when the day has other jobs than before.
  const ids = useMemo(() => (now?.states ?? []).flatMap((group) => group.jobs.map(({ id }) => id)).sort(), [now]);
  const key = `${company} ${ids.join()}`;
  useEffect(() => {
    let over = false;
    if (ids.length === 0) return;
    readSites(ids, company).then((all) => over || setSites({ of: company, all }), failed);
    return () => {
      over = true;
    };
  }, [key, company, failed]);
  const go = (change: Partial<View>) => {
    const next = { ...view, ...change };
    setProblem('');
    history.pushState(null, '', addressOf(next));
    setView(next);
  };
  const clock = (instant: string | null) =>
    instant === null ? '' : new Date(instant).toLocaleTimeString(undefined, { timeZone: now?.timeZone, timeStyle: 'short' });
  // Where trucks are now says nothing about another day.
  const trucks = now?.today ? now.trucks : [];
  const pick = (jobId: string) => go({ job: jobId === job ? '' : jobId });
  return (
    <>
      <a className="skip" href="#day">
        Skip to the jobs
      </a>
      <Top
        title="Day"
        pages={pages}
        family={family}
        company={company}
        onCompany={(company) => go({ company, job: '' })}
        onSignedOut={() => onSignedOut('')}
      />
      <form className="filters" aria-label="What is shown" onSubmit={(event) => event.preventDefault()}>
        <label>
          Day
          <input type="date" value={date || (now?.date ?? '')} onChange={(event) => go({ date: event.target.value, job: '' })} />
        </label>
        <button type="button" onClick={() => go({ date: '', job: '' })}>
          Today
        </button>
        <button type="button" onClick={live.look}>
          Refresh
        </button>
      </form>
      <p className="note" role="status">
        {now && `${countOf(ids.length, 'job')}, ${countOf(trucks.length, 'truck')} on the road; times are those of ${now.timeZone}.`}
      </p>
      {now && <p className="note">As of {clock(now.at.toISOString())}.</p>}
      {live.problem && <p role="alert">{`${live.problem} What is shown is older. It is read again in ${live.again} s.`}</p>}
      {problem && <p role="alert">{problem}</p>}
      {now && (
        <div className="day">
          <DayMap
            key={company}
            sites={sites.of === company ? sites.all : []}
            trucks={trucks}
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
    </>
  );
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
