import type { EntityManager } from '@mikro-orm/postgresql';
import { forgetDevice } from '../../identity/sessions/register-device.ts';
import { setTxOf } from '../../platform/commands/set-tx.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf, queryAs, queryIn } from '../../platform/database/sql.ts';
import { type Language, translate } from '../../platform/i18n/messages.ts';
import { composeWith, type DueMessage } from '../../platform/outgoing/outgoing.ts';
import { clockTime, localDate } from '../../platform/time.ts';
import { BY_SYSTEM, insertJobEvents } from '../jobs/job-effects.ts';
import type { JobState } from '../model/states.ts';
import { NOTIFYING, type NotificationName } from './notification-kinds.ts';
import { NOTIFICATION } from './notify.ts';

/** The facts of a notification when its turn comes. */
interface Found {
  kind: NotificationName;
  token: string | null;
  zone: string;
  company: string;
  userId: string;
  job: string | null;
  jobId: string | null;
  driver: string | null;
  startsAt: string | Date | null;
  order: string | null;
  orderId: string | null;
  day: string | null;
  driverName: string | null;
}

// A notice that is true no more is not sent: its person answered meanwhile, or drives the job no more. The company is the person's own: whose work it is,
// along a chain, they may not know.
const FIND = `select n.kind, t.token, coalesce(u.time_zone, c.time_zone) as zone, c.legal_name as company, u.id as "userId", j.job_id as job, j.id as "jobId",
    j.driver_id as driver, j.job_start_at as "startsAt", o.order_id as order, o.id as "orderId", d.driver_day_date::text as day,
    (select btrim(v.first_name || ' ' || v.last_name) from app_user v where v.id = $6::uuid) as "driverName"
  from notification n join app_user u on u.id = n.user_id and u.discarded_at is null join company c on c.id = u.company_id
    left join device_token t on $2 = 'push' and t.id::text = $3 and t.user_id = u.id
    left join job j on j.id = n.job_id left join orders o on o.id = $4::uuid left join driver_day d on d.id = $5::uuid
  where n.id = $1 and case when $2 = 'push' then t.id is not null else u.phone = $3 end
    and case n.kind
      when 'new_job_request' then j.state = 'sent' and (j.driver_id = u.id or (j.driver_id is null
        and exists (select from job_assignment a where a.job_id = j.id and a.vendor_company_id = u.company_id)))
      when 'pending_job_reminder' then j.state = 'sent' and j.driver_id = u.id
      when 'start_job_reminder' then j.state in ('sent', 'accepted') and j.driver_id = u.id
      when 'job_canceled' then j.state = 'canceled'
      when 'job_unassigned' then j.driver_id is distinct from u.id
      when 'job_declined' then j.state = 'rejected'
      when 'order_weather_hold' then o.state = 'weather_hold'
      when 'end_shift_reminder' then d.ended_shift_at is null
      else true end`;

/** The messages by which people are notified. */
export const notificationTexts = composeWith(
  NOTIFICATION,
  NOTIFYING,
  async (em, { channel, recipient, language, params }) => {
    const { notification, order = null, day = null, driver = null, state = '' } = params as Record<string, string | undefined>;
    const pool = await poolOf(em);
    const { rows } = await pool.query<Found>(FIND, [notification, channel, recipient, order, day, driver]);
    const [found] = rows;
    if (!found) return undefined;
    const text = textOf(found, language, state);
    if (channel === 'push') return { subject: found.company, text, to: found.token!, data: dataOf(found) };
    return { text: `${found.company}: ${text} ${translate(language, 'notification_stop')}` };
  },
  {
    onceAtMost: true,
    sent: (em, message) => noteSent(em, message),
    deviceGone: (em, { recipient }) => forgetDevice(em, recipient),
  },
);

function textOf({ kind, zone, userId, job, driver, startsAt, order, day, driverName }: Found, language: Language, state: string): string {
  const at = startsAt === null ? undefined : new Date(startsAt);
  // The office learns whom it has not heard from.
  const key = kind === 'no_location_alert' && driver !== userId ? 'notification_no_location_of' : `notification_${kind}`;
  return translate(language, key, {
    ...{ job: job ?? '', order: order ?? '', day: day ?? '', driver: driverName ?? '' },
    ...{ date: at ? localDate(at, zone) : '', time: at ? clockTime(at, zone) : '' },
    state: state && translate(language, `notification_state_${state}`),
  });
}

function dataOf({ jobId, orderId }: Found): Record<string, string> {
  return { ...(jobId ? { job_id: jobId } : {}), ...(orderId ? { order_id: orderId } : {}) };
}

const SENT = `update notification n set sent_at = now() from job j where n.id = $1 and n.sent_at is null and j.id = n.job_id
  returning j.id, j.state, j.company_id as "companyId"`;

/** Notes on the job that somebody was notified, once for all of their devices. */
async function noteSent(em: EntityManager, { params }: DueMessage): Promise<void> {
  const id = (params as { notification: string }).notification;
  const rows = await queryAs<{ companyId: string }>(
    NOTIFYING,
    em,
    'select j.company_id as "companyId" from notification n join job j on j.id = n.job_id where n.id = $1 and n.sent_at is null',
    [id],
  );
  const [of] = rows;
  if (!of) return;
  await asSystem(em, of.companyId, async (tx) => {
    const [job] = await runAsPurpose(NOTIFYING, () => queryIn<{ id: string; state: JobState; companyId: string }>(tx.em, SENT, [id]));
    if (job) await insertJobEvents(setTxOf(tx), [{ job, state: job.state, eventName: 'NotificationSent', author: BY_SYSTEM }]);
  });
}

/** Days for which it is known who was notified of what. */
const KEPT = 30;

/** Deletes notifications that nothing refers to any more. */
export async function deleteOldNotifications(em: EntityManager): Promise<void> {
  await queryAs(NOTIFYING, em, `delete from notification where created_at < now() - ${KEPT} * interval '1 day'`);
}
