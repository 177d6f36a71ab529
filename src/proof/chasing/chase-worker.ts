import type { EntityManager } from '@mikro-orm/postgresql';
import { BY_SYSTEM, insertJobEvents } from '../../dispatch/jobs/job-effects.ts';
import { JOB_FINISHED, type JobEventName, type JobState } from '../../dispatch/model/states.ts';
import { methodsFor, type Wants } from '../../dispatch/notifications/notification-kinds.ts';
import { untilQuiet } from '../../dispatch/notifications/quiet-hours.ts';
import { type SetTx, setTxOf } from '../../platform/commands/set-tx.ts';
import { asSystem } from '../../platform/commands/system-context.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { inWorldTime } from '../../platform/database/time/sandbox-time.ts';
import { pickLanguage } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { sendAllLater } from '../../platform/outgoing/outgoing.ts';
import type { BackgroundWorkerOptions } from '../../platform/queue/background-worker.ts';
import type { Drainer } from '../../platform/queue/drainer.ts';
import { startLeaseQueue } from '../../platform/queue/lease-queue.ts';
import { tracing } from '../../platform/tracing/spans.ts';
import { type ChaseStep, stepOf } from './chase-step.ts';
import { CHASES, type ChaseTask, claimChases, postponeChase } from './chase-tasks.ts';
import { missingOf } from './missing-tickets.ts';
import { REMINDER, type Reminded } from './reminder-text.ts';
import { vendorContactOf } from './vendor-contact.ts';

/** Seconds after which a job is another process's to look at. */
const LEASE = 60;
/** Seconds until a look is tried again that failed, by tries made, and then by the last. */
const DELAYS = [10, 60, 600];
/** Seconds after which a reminder that could not be sent is not worth sending: by then the next one is due. */
const WORTH = 4 * 3_600;

/** Reminds drivers, and contacts of vendors without the app, of missing tickets in the background: one step for each look at a job, in one transaction. */
export function startChaseWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  return startLeaseQueue<ChaseTask>({
    name: 'chase',
    tracing: tracing.of(em),
    slots: 2,
    lease: LEASE,
    claim: (most, seconds) => claimChases(em, most, seconds),
    work: (task) => chaseJob(em, task),
    delayAfter: (attempts) => DELAYS[Math.min(attempts, DELAYS.length) - 1],
    postpone: (task, seconds) => postponeChase(em, task, seconds),
    giveUp: (task) => postponeChase(em, task, WORTH),
    failed: (error, { id, attempts }, again) => log.warn({ err: error, job: id, attempts, again }, 'missing tickets were not chased'),
    sweepEvery,
    log,
  });
}

interface Found {
  state: JobState;
  wanted: boolean;
  driver: string | null;
  phone: string | null;
  /** The account of the vendor that hauls the job, and the telephone of its contact. */
  vendor: string | null;
  vendorPhone: string | null;
  zone: string;
  /** The driver's own, and their company's. */
  own: string | null;
  language: string;
  missing: { id: string; at: string }[];
  chase: { id: string; reminders: string[]; askedAt: string | null; ticketed: boolean } | null;
}

const FACTS = `select j.state, case when u.discarded_at is null then u.id end as driver, u.phone, coalesce(u.time_zone, uc.time_zone, c.time_zone) as zone, u.preferences ->> 'language' as own, coalesce(uc.language, c.language) as language,
    o.chase_missing_tickets and j.state <> 'canceled' and ((u.id is not null and u.discarded_at is null) or vendor.id is not null) as wanted,
    vendor.id as vendor, vendor.phone as "vendorPhone",
    (select coalesce(json_agg(json_build_object('id', l.id, 'at', coalesce(l.summary_load_completed_at, l.updated_at)) order by l.ordinality), '[]') from ${missingOf('j.id')}) as missing,
    (select json_build_object('id', x.id, 'askedAt', x.asked_at,
        'reminders', (select coalesce(json_agg(r.sent_at order by r.number), '[]') from ticket_chase_reminder r where r.chase_id = x.id),
        'ticketed', exists (select from ticket k where k.load_id = any(x.load_ids) and k.voided_at is null))
      from ticket_chase x where x.job_id = j.id and x.state = 'open') as chase
  from job j join orders o on o.id = j.order_id join company c on c.id = j.company_id
    left join app_user u on u.id = j.driver_id left join company uc on uc.id = u.company_id
    left join lateral (select va.id, vk.phone from ${vendorContactOf('j')}) vendor on true
  where j.id = $1`;

/** Does the next step for a job, or notes when to look again. Whoever looks second finds the step done. */
function chaseJob(em: EntityManager, { id, companyId }: ChaseTask): Promise<void> {
  return asSystem(em, companyId, async (tx) => {
    const set = setTxOf(tx);
    // The job comes before its task, as in commands that have it looked at.
    await set.query('select from job where id = $1 for key share', [id]);
    const held = await set.query('select from ticket_chase_task where id = $1 for update', [id]);
    const [found] = held.length > 0 ? await set.query<Found>(FACTS, [id]) : [];
    if (!found) return;
    const { wanted, zone, missing, chase } = found;
    const step = stepOf({
      ...{ now: set.now, zone, wanted, jobOver: JOB_FINISHED.includes(found.state) },
      missing: missing.map(({ at }) => new Date(at)),
      chase: chase && {
        reminders: chase.reminders.map((sent) => new Date(sent)),
        askedAt: chase.askedAt === null ? null : new Date(chase.askedAt),
        ticketed: chase.ticketed,
      },
    });
    const next = await take(tx, set, { id, companyId }, found, step);
    if (next)
      await set.query('update ticket_chase_task set due_at = $2, attempts = 0 where id = $1', [id, inWorldTime(tx.tx, next).toISOString()]);
    else await set.query('delete from ticket_chase_task where id = $1', [id]);
  });
}

/** @returns when to look again; undefined if nothing but a change brings the next step */
async function take(
  tx: TxContext,
  set: SetTx,
  job: { id: string; companyId: string },
  { state, missing, chase, driver, phone, vendor, vendorPhone, zone, own, language }: Found,
  step: ChaseStep,
): Promise<Date | undefined> {
  const loadIds = missing.map(({ id }) => id);
  const note = (eventName: JobEventName) => insertJobEvents(set, [{ job, state, eventName, author: BY_SYSTEM }]);
  const report = (name: string, payload: Record<string, unknown>) =>
    void tx.tx.events.push({ name: `job.${name}`, type: 'Job', id: job.id, companyId: job.companyId, payload });
  if (step.do === 'nothing') return undefined;
  if (step.do === 'wait') return step.until;
  if (step.do === 'open') {
    await set.query('insert into ticket_chase (id, company_id, job_id, load_ids) values ($1, $2, $3, $4::uuid[])', [
      ...[newId(), job.companyId, job.id, loadIds],
    ]);
    await note('TicketChaseInitiated');
    report('ticket_chase_opened', { load_ids: loadIds });
    return set.now;
  }
  if (step.do === 'end') {
    await set.query("update ticket_chase set state = $2, closed_at = $3, updated_at = $3 where id = $1 and state = 'open'", [
      ...[chase!.id, step.state, set.now.toISOString()],
    ]);
    report(`ticket_chase_${step.state}`, { load_ids: loadIds });
    // A load that is completed later is chased anew.
    return loadIds.length > 0 ? set.now : undefined;
  }
  const { number } = step;
  await set.query('insert into ticket_chase_reminder (chase_id, number, company_id, sent_at) values ($1, $2, $3, $4)', [
    ...[chase!.id, number, job.companyId, set.now.toISOString()],
  ]);
  await set.query('update ticket_chase set load_ids = $2::uuid[], updated_at = $3 where id = $1', [
    ...[chase!.id, loadIds, set.now.toISOString()],
  ]);
  const ways = driver && (await waysTo(tx, driver, phone));
  const toVendor = !ways && vendorPhone !== null;
  const reached = ways || (toVendor ? [{ channel: 'sms' as const, recipient: vendorPhone }] : []);
  const about: Reminded = { chase: chase!.id, company: job.companyId, ...(toVendor ? { vendor: vendor! } : { driver: driver! }) };
  await sendAllLater(
    tx,
    reached.map((way) => ({
      ...{ ...way, kind: REMINDER, language: pickLanguage(`${(!toVendor && own) || ''}, ${language};q=0.5`) },
      params: { ...about },
      // A text that comes late must not come at night.
      worthSeconds: Math.min(WORTH, Math.floor(untilQuiet(set.now, zone) / 1000)),
    })),
  );
  await note('NotificationSent');
  report('ticket_chase_reminded', {
    number,
    texted: reached.some(({ channel }) => channel === 'sms'),
    pushed: reached.some(({ channel }) => channel === 'push'),
  });
  return set.now;
}

const WAYS = `select u.preferences -> 'notifications' as chosen, array(select d.id::text from device_token d where d.user_id = u.id order by d.id) as devices
  from app_user u where u.id = $1`;

/**
 * Finds the channels by which a driver is reminded. They are those that the driver chose for jobs that wait for them: their devices, or a
 * text if they have no device with the app, or want it.
 * @returns undefined if they want to be reminded, and have neither a device nor a telephone
 */
async function waysTo(
  tx: TxContext,
  driver: string,
  phone: string | null,
): Promise<{ channel: 'push' | 'sms'; recipient: string }[] | undefined> {
  const ask = () => queryIn<{ chosen: Wants['chosen']; devices: string[] }>(tx.em, WAYS, [driver]);
  const [found] = await runAsPurpose(CHASES, ask);
  const methods = methodsFor('pending_job_reminder', { chosen: found?.chosen ?? null, textToAccept: false });
  const pushed = methods.includes('push') ? (found?.devices ?? []) : [];
  if (methods.length > 0 && phone === null && (found?.devices ?? []).length === 0) return undefined;
  const texted = phone !== null && (methods.includes('sms') || (methods.length > 0 && pushed.length === 0));
  return [
    ...pushed.map((recipient) => ({ channel: 'push' as const, recipient })),
    ...(texted ? [{ channel: 'sms' as const, recipient: phone }] : []),
  ];
}
