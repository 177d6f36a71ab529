import type { EntityManager } from '@mikro-orm/postgresql';
import { asSystem } from '../../platform/commands/system-context.ts';
import { definePurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import { inEachTime, inPresentTime, PRESENT } from '../../platform/database/time/sandbox-time.ts';
import { HAULING } from '../model/states.ts';
import { LONGEST_SHIFT, lockDriver, presentState } from '../shifts/begin-state.ts';
import { changeState } from './driver-state.ts';

/** Finds shifts of all companies that nobody ended. They are ended company by company. */
export const FORGOTTEN = definePurpose('forgotten_shifts', {
  driver_day: ['select (id, company_id, driver_id, started_shift_at, ended_shift_at)'],
  driver_state_event: ['select (id, driver_day_id, state, started_at, ended_at)'],
  app_user: ['select (id, last_ping_at)'],
  job: ['select (id, driver_day_id, equipment_id, state)'],
  job_event: ['select (job_id, event_name, occurred_at, undone_at)'],
  location_history: ['select (asset_id, occurred_at)'],
});

/** Hours of a shift after which a silent driver has forgotten to end it, and hours of silence. */
const LONG = 14;
const SILENT = 4;
/** Shifts found by one statement. */
const BATCH = 100;

interface Due {
  eventId: string;
  driverId: string;
  companyId: string;
  /** When the driver was last heard of. */
  last: Date;
}

const HAULED = `(${HAULING.map((state) => `'${state}'`).join(', ')})`;
// Whoever is followed by telematics alone has no telephone that speaks: of a job under way the truck does, since it was begun.
const TRUCK = `(select max(p.at) from job j
      cross join lateral (select min(v.occurred_at) as began from job_event v where v.job_id = j.id and v.event_name = 'ToPickup' and v.undone_at is null) w
      cross join lateral (select l.occurred_at as at from location_history l where l.asset_id = j.equipment_id and l.occurred_at between w.began and ${PRESENT}
        order by l.occurred_at desc limit 1) p
    where j.driver_day_id = d.id and j.state in ${HAULED})`;

// A gap between two shifts of a date is no part of the second one.
const DUE = `select e.id as "eventId", d.driver_id as "driverId", d.company_id as "companyId", a.last
  from driver_day d
  join driver_state_event e on e.driver_day_id = d.id and e.ended_at is null and e.state <> 'off_duty'
  join app_user u on u.id = d.driver_id
  cross join lateral (select coalesce(max(f.ended_at), d.started_shift_at) as began from driver_state_event f
    where f.driver_day_id = d.id and f.state = 'off_duty') s
  cross join lateral (select greatest(e.started_at, case when u.last_ping_at <= ${PRESENT} then u.last_ping_at end,
    (select max(v.occurred_at) from job_event v join job j on j.id = v.job_id where j.driver_day_id = d.id and v.occurred_at <= ${PRESENT} and v.undone_at is null),
    ${TRUCK}) as last) a
  where d.ended_shift_at is null and ${inPresentTime('d.company_id')} and d.started_shift_at < ${PRESENT} - ${LONG} * interval '1 hour' and s.began < ${PRESENT} - ${LONG} * interval '1 hour'
    and (s.began < ${PRESENT} - ${LONGEST_SHIFT} * interval '1 hour' or a.last < ${PRESENT} - ${SILENT} * interval '1 hour')
  order by d.started_shift_at limit ${BATCH}`;

/**
 * Ends shifts that their drivers forgot (PROOF A3 `auto_end`), at the driver's last activity, with the jobs under way.
 * @param report gets the error of a shift that failed; the next round tries it again
 * @returns how many shifts were ended
 */
export async function endForgottenShifts(em: EntityManager, report: (error: unknown) => void): Promise<number> {
  const pool = await poolOf(em);
  return inEachTime(em, FORGOTTEN, async () => {
    const { rows } = await pool.query<Due>(DUE);
    let ended = 0;
    for (const due of rows) {
      try {
        if (await end(em, due)) ended++;
      } catch (error) {
        report(error);
      }
    }
    return ended;
  });
}

/** @returns false if the driver has reported something meanwhile */
function end(em: EntityManager, { eventId, driverId, companyId, last }: Due): Promise<boolean> {
  return asSystem(em, companyId, async (tx) => {
    await lockDriver(tx, driverId);
    if ((await presentState(tx, driverId))?.id !== eventId) return false;
    await changeState(tx, driverId, { state: 'off_duty', source: 'automation', seenAt: last, by: 'auto' });
    return true;
  });
}
