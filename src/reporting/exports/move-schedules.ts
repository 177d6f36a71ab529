import { Concerned, type Watched } from '../../platform/commands/concerned.ts';
import { defineConsequence } from '../../platform/commands/consequences.ts';
import { localDate } from '../../platform/time.ts';
import { dueAfter, type Rhythm } from './due-times.ts';

const WATCHED: Watched = { Company: new Set(['time_zone']) };

// One that is due already is planned as it was. Who changes a schedule meanwhile waits, and then finds the new zone.
const WAITING = `select s.id, s.company_id as "companyId", s.frequency, s.weekday, s.local_time as "localTime", c.time_zone as zone,
    (extract(epoch from company_now(s.company_id)) * 1000)::float8 as now, (extract(epoch from company_now(s.company_id) - now()) * 1000)::float8 as ahead,
    (select (extract(epoch from max(r.due_at)) * 1000)::float8 from export_run r where r.export_schedule_id = s.id) as last
  from export_schedule s join company c on c.id = s.company_id
  where s.company_id = any($1::uuid[]) and s.due_at > now() and s.discarded_at is null order by s.id for update of s`;
const MOVE = `update export_schedule s set due_at = m.due from unnest($1::uuid[], $2::timestamptz[]) as m (id, due) where s.id = m.id`;

interface Waiting extends Rhythm {
  id: string;
  companyId: string;
  zone: string;
  /** Milliseconds: the present time of the company, by how much it is ahead of the world's, and when the last run was due. */
  now: number;
  ahead: number;
  last: number | null;
}

/** Has schedules be due by the clock of the zone to which their company moves: on a later day than their last run, by the clock before and by the one now. */
export const dueTimesOfZones = defineConsequence('due times of schedules', async (tx, changes) => {
  const concerned = new Concerned(changes, WATCHED, ({ event }) => event !== 'update');
  if (concerned.none) return;
  const before = new Map(concerned.of('Company').map(({ id, changes: of }) => [id, String(of.time_zone![0])]));
  const waiting = await tx.query<Waiting>(WAITING, [[...before.keys()]]);
  if (waiting.length === 0) return;
  const due = waiting.map(({ companyId, zone, now, ahead, last, ...rhythm }) => {
    const days = last === null ? [] : [before.get(companyId)!, zone].map((one) => localDate(new Date(last), one));
    return new Date(dueAfter(rhythm, zone, new Date(now), days.sort().at(-1)).getTime() - ahead);
  });
  await tx.query(MOVE, [waiting.map(({ id }) => id), due]);
});
