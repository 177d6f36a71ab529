import type { EntityManager } from '@mikro-orm/postgresql';
import { anyCompanyContext } from '../../platform/commands/system-context.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import { firstKnown } from '../../platform/database/first-known.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryIn } from '../../platform/database/sql.ts';
import { inTask, tracing } from '../../platform/tracing/spans.ts';
import { UNDER_WAY } from '../model/states.ts';
import { methodsFor, NOTIFYING, type NotificationName, type OfficePerson, officesOf } from './notification-kinds.ts';
import { type Notice, notify } from './notify.ts';

/** Events read at a time. */
const BATCH = 500;
/** Seconds after which what happened is no news. */
const NEWS = 3_600;
/** Seconds for which a request for a job, or that it is gone, is worth sending: also in the morning. */
const NIGHT = 12 * 3_600;

/** The notifications of the office when an event of a job happens. */
const OF_OFFICE: Record<string, NotificationName> = {
  'job.completed': 'job_completed',
  'load.completed': 'load_completed',
  'order.requested': 'order_pending_request',
  'job.ticket_chase_given_up': 'tickets_given_up',
};
/** The notifications of the offices of the vendors that have a job, next to every change of its state. */
const OF_VENDORS: Record<string, NotificationName> = {
  'job.completed': 'job_completed',
  'load.completed': 'load_completed',
  'job.canceled': 'job_canceled',
};
/** The notifications of the person who asked for an order. */
const OF_REQUESTER: Record<string, NotificationName> = {
  'order.accepted': 'order_accepted',
  'order.rejected': 'order_rejected',
  'order.canceled': 'order_canceled',
};
/** Events of a job after which its state is another one. */
const MOVES = [
  ...['requested', 'accepted', 'rejected', 'assigned', 'unassigned', 'departed', 'arrived', 'material_loaded', 'material_unloaded'],
  ...['load_completed', 'completed', 'ended', 'canceled'],
].map((happened) => `job.${happened}`);
const HELD_BY_WEATHER = 'order.weather_held';
const NAMES = [...MOVES, HELD_BY_WEATHER, ...Object.keys(OF_OFFICE), ...Object.keys(OF_REQUESTER)];
/** States of a job of which its driver does not know yet, or not any more. */
const UNKNOWN_TO_DRIVER = ['created', 'assigned', 'rejected'];
/** States of a job that its driver knows of and has not ended. */
const AHEAD_OF_DRIVER = `('${['sent', 'accepted', ...UNDER_WAY].join("', '")}')`;

interface Happened {
  id: string;
  position: string;
  name: string;
  /** The person who did it, and so needs no notice. */
  by: string | null;
  /** State of the record before and after. */
  before: string | null;
  state: string | null;
  /** The driver who lost the job. */
  left: string | null;
  job: string | null;
  order: string | null;
  companyId: string;
  /** The companies to which the job was passed on, the one that hauls it last. */
  vendors: string[];
  /** The companies that had the job until then, and knew of it. */
  lost: string[];
  /** The drivers of an order whose work waits for the weather, and when the first of their jobs begins. */
  waiting: { driver: string; startsAt: string }[] | null;
  driver: string | null;
  startsAt: string | Date | null;
  requester: string | null;
}

/**
 * The vendors from whom job `j` was taken by event `e`: each company notes in its own log whom it hired no more. A job that was never sent is no news to
 * them that it is gone.
 */
const LOST = `with recursive l(company) as (
    select e.company_id::text
    union select g.company from l cross join lateral (select a.object_changes -> 'vendor_company_id' ->> 0 as company from audit_entry a
      where a.company_id = l.company::uuid and a.created_at = e.created_at and a.request_id = e.request_id and a.subject_type = 'JobAssignment'
        and a.object_changes ? 'vendor_company_id'
        and (a.object_changes -> 'job_id' ->> 0 = j.id::text or exists (select from job_assignment x where x.id = a.subject_id and x.job_id = j.id))
      union all select x.vendor_company_id::text from job_assignment x where x.job_id = j.id) g
    where g.company is not null)
  select company from l where company <> e.company_id::text
    and not exists (select from job_assignment x where x.job_id = j.id and x.vendor_company_id::text = l.company)
    and exists (select from job_event v where v.job_id = j.id and v.event_name = 'JobSent' and v.occurred_at < e.created_at)`;

const FIND = `select e.id, e.position::text, e.name, e.created_by_id as by, e.payload ->> 'previous_state' as before, e.payload ->> 'state' as state,
    case when e.name in ('job.unassigned', 'job.assigned') then (select a.object_changes -> 'driver_id' ->> 0 from audit_entry a
      where a.company_id = e.company_id and a.subject_type = 'Job' and a.subject_id = e.subject_id and a.created_at = e.created_at
        and a.request_id = e.request_id and a.object_changes ? 'driver_id' limit 1) end as left,
    j.id as job, o.id as order, e.company_id as "companyId", j.driver_id as driver,
    array(select a.vendor_company_id::text from job_assignment a where a.job_id = j.id and a.vendor_company_id is not null order by a.link) as vendors,
    case when e.name in ('job.unassigned', 'job.assigned') and j.id is not null then array(${LOST}) else '{}' end as lost,
    case when e.name = '${HELD_BY_WEATHER}' then (select json_agg(json_build_object('driver', w.driver_id, 'startsAt', w.at)) from (
      select hj.driver_id, min(hj.job_start_at) as at from job hj where hj.order_id = o.id and hj.driver_id is not null and hj.state in ${AHEAD_OF_DRIVER} group by 1) w) end as waiting,
    j.job_start_at as "startsAt",
    coalesce(o.requester_id, (select a.created_by_id from audit_entry a where o.id is not null and a.company_id = o.company_id
      and a.subject_type = 'Order' and a.subject_id = o.id and a.event = 'create' and a.created_by_type = 'User' limit 1)) as requester
  from outbox_event e
    left join load l on e.subject_type = 'Load' and l.id = e.subject_id
    left join job j on j.id = ${firstKnown('l.job_id', "case when e.subject_type = 'Job' then e.subject_id end")}
    left join orders o on e.subject_type = 'Order' and o.id = e.subject_id
  where e.position > $1::bigint and e.position <= $2::bigint and e.name = any($3::text[]) and e.created_at > now() - ${NEWS} * interval '1 second'
  order by e.position limit ${BATCH}`;

// An event may be committed after one with a later position. So the last position is noted first, and read up to when all transactions
// that were running then are over.
const BEHIND = 'select coalesce((select max(position) from outbox_event) > c.position, false) as behind from notification_cursor c';
const HOLD = `select position::text, horizon::text, pg_snapshot_xmin(pg_current_snapshot()) >= horizon_transaction as decided
  from notification_cursor for update skip locked`;
const ADVANCE = `update notification_cursor set horizon = coalesce((select max(position) from outbox_event), horizon),
  horizon_transaction = pg_snapshot_xmax(pg_current_snapshot())`;

/**
 * Notifies people of what has happened since the last look: each event is read once, in the transaction that notes where the reading is.
 * Requests are not slowed down by it, and a process that dies leaves nothing undone and nothing done twice.
 * @returns whether there may be more
 */
export function followEvents(em: EntityManager): Promise<boolean> {
  return runAsPurpose(NOTIFYING, async () => {
    const { rows } = await (await poolOf(em)).query<{ behind: boolean }>(BEHIND);
    if (!rows[0]?.behind) return false;
    const about = () => ({ attributes: { 'haulgate.task': 'notifications' } });
    return inTask(tracing.of(em), 'task notifications', {}, about, () => transact(anyCompanyContext(em), readEvents));
  });
}

/** Reads the next events. @returns whether there may be more */
async function readEvents(tx: TxContext): Promise<boolean> {
  const ask = <R extends object>(sql: string, values: unknown[] = []) => queryIn<R>(tx.em, sql, values);
  const [cursor] = await ask<{ position: string; horizon: string; decided: boolean }>(HOLD);
  if (!cursor) return false;
  if (cursor.position === cursor.horizon) {
    await ask(ADVANCE);
    return true;
  }
  if (!cursor.decided) return false;
  const events = await ask<Happened>(FIND, [cursor.position, cursor.horizon, NAMES]);
  const read = events.length < BATCH ? cursor.horizon : events.at(-1)!.position;
  await ask('update notification_cursor set position = $1::bigint', [read]);
  await notify(tx, await noticesOf(tx, events));
  return true;
}

async function noticesOf(tx: TxContext, events: readonly Happened[]): Promise<Notice[]> {
  const office = await officesOf(
    tx,
    events.flatMap(({ companyId, vendors, lost }) => [companyId, ...vendors, ...lost].map((one) => ({ companyId: one }))),
  );
  return events.flatMap((event) => {
    const notice = (name: NotificationName, userId: string): Notice => ({
      ...{ userId, name, key: `${name}:${event.id}`, jobId: event.job, worthSeconds: NEWS },
      about: { ...(event.order ? { order: event.order } : {}), ...(event.state ? { state: event.state } : {}) },
    });
    const toOffice = (name: NotificationName | undefined, ...companies: string[]) =>
      (name ? companies.flatMap((one) => office.get(one) ?? []) : [])
        .filter(({ chosen }) => methodsFor(name!, { chosen, textToAccept: false }).length > 0)
        .map(({ id }) => notice(name!, id));
    const { companyId, vendors, lost } = event;
    const requester = OF_REQUESTER[event.name];
    const wantsMoves = (chosen: OfficePerson['chosen']) => methodsFor('job_state_changed', { chosen, textToAccept: false }).length > 0;
    // Somebody has to be found for it. Who hears of every change of a state hears of this one.
    const declined =
      event.name === 'job.rejected'
        ? [companyId, ...vendors].flatMap((one) => office.get(one) ?? []).filter(({ chosen }) => !wantsMoves(chosen))
        : [];
    const all = [
      ...toDriver(event, notice),
      ...(event.waiting ?? []).map(({ driver, startsAt }) => soonOf({ ...event, startsAt })(notice('order_weather_hold', driver))),
      ...declined.map(({ id }) => soonOf(event)(notice('job_declined', id))),
      ...toOffice(lost.length > 0 ? 'job_unassigned' : undefined, ...lost).map(soonOf(event)),
      ...toOffice(OF_OFFICE[event.name], companyId),
      ...toOffice(OF_VENDORS[event.name], ...vendors),
      ...toOffice(MOVES.includes(event.name) ? 'job_state_changed' : undefined, companyId, ...vendors),
      // Nobody drives it yet: the vendor that has it answers.
      ...toOffice(event.name === 'job.requested' && !event.driver ? 'new_job_request' : undefined, ...vendors.slice(-1)).map(soonOf(event)),
      ...(requester && event.requester ? [notice(requester, event.requester)] : []),
    ];
    return all.filter(({ userId }) => userId !== event.by);
  });
}

/** A notice of a job that begins soon does not wait for a morning that would be too late. */
const soonOf =
  ({ startsAt }: Happened) =>
  (notice: Notice): Notice => ({ ...notice, startsAt: startsAt === null ? null : new Date(startsAt), worthSeconds: NIGHT });

function toDriver(event: Happened, notice: (name: NotificationName, userId: string) => Notice): Notice[] {
  const { name, driver, left, before } = event;
  const soon = soonOf(event);
  const knew = before !== null && !UNKNOWN_TO_DRIVER.includes(before);
  if (name === 'job.requested' && driver) return [soon(notice('new_job_request', driver))];
  if (name === 'job.canceled' && driver && knew) return [soon(notice('job_canceled', driver))];
  if ((name === 'job.unassigned' || name === 'job.assigned') && left && knew) return [soon(notice('job_unassigned', left))];
  return [];
}
