import type pg from 'pg';
import { clockTime, isZone, localDate } from '../../platform/time.ts';
import { type Finding, good, those, wrong } from './finding.ts';

/** Months before and after the present in which clocks are compared, on two days each: a change of the law is known for about as long before. */
const MONTHS = { before: 2, after: 12 } as const;

/** Zones that are named in a sentence. */
const MOST_NAMED = 3;

// A zone that PostgreSQL does not know would fail the statement.
const CLOCKS = `with zone as (
    select distinct c.time_zone as name from company c where c.discarded_at is null),
  known as (
    select z.name from zone z where exists (select from pg_timezone_names n where n.name = z.name)),
  instant as (
    select m + d * interval '14 days' as at from generate_series(date_trunc('month', now()) - interval '${MONTHS.before} months',
      now() + interval '${MONTHS.after} months', interval '1 month') m, generate_series(0, 1) d)
  select z.name, (extract(epoch from i.at) * 1000)::float8 as at, to_char(i.at at time zone k.name, 'YYYY-MM-DD HH24:MI') as shows
  from zone z left join known k on k.name = z.name left join instant i on k.name is not null order by z.name, i.at`;

/**
 * Compares PostgreSQL's clocks in the time zones of companies with the product's own: metrics and views cut days by the former, everything else by the
 * latter. The data of time zones comes with PostgreSQL, or with the packages of its machine, and laws change.
 */
export async function examineZones(pool: Pick<pg.Pool, 'query'>): Promise<Finding[]> {
  const { rows: known } = await pool.query<{ there: boolean }>(`select to_regclass('company') is not null as there`);
  if (!known[0]!.there) return [];
  const { rows } = await pool.query<{ name: string; at: number | null; shows: string | null }>(CLOCKS);
  const byZone = Map.groupBy(rows, ({ name }) => name);
  const unknown = [...byZone].flatMap(([name, [first]]) => (first!.at === null || !isZone(name) ? [name] : []));
  const different = [...byZone].flatMap(([name, clocks]) => {
    const first = unknown.includes(name) ? undefined : clocks.find(({ at, shows }) => shows !== clockOf(at!, name));
    return first ? [{ name, at: new Date(first.at!), theirs: first.shows!, ours: clockOf(first.at!, name) }] : [];
  });
  const named = different
    .slice(0, MOST_NAMED)
    .map(({ name, at, theirs, ours }) => `${name} (${at.toISOString()} is ${theirs} for PostgreSQL, and ${ours} for Haulgate)`);
  return those(
    unknown.length > 0 &&
      wrong(
        'time zones',
        `PostgreSQL or Haulgate does not know ${unknown.slice(0, MOST_NAMED).join(', ')}, in which a company is: update the data of time zones of PostgreSQL's machine, or name another zone.`,
      ),
    different.length > 0 &&
      wrong(
        'time zones',
        `The clocks of PostgreSQL are not those of Haulgate in ${named.join(', ')}${different.length > MOST_NAMED ? ` and ${different.length - MOST_NAMED} more` : ''}: metrics and BI tools count some work on another day. Update PostgreSQL or the package tzdata of its machine, and start it anew; give a company with an abbreviation, such as CET, the name of a place.`,
      ),
    byZone.size > 0 &&
      unknown.length + different.length === 0 &&
      good(
        'time zones',
        `The clocks of PostgreSQL are those of Haulgate in the ${byZone.size === 1 ? 'zone' : `${byZone.size} zones`} of companies.`,
      ),
  );
}

const clockOf = (at: number, zone: string): string => `${localDate(new Date(at), zone)} ${clockTime(new Date(at), zone)}`;
