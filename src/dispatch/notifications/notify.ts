import type { TxContext } from '../../platform/commands/transact.ts';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { pickLanguage } from '../../platform/i18n/messages.ts';
import { newId } from '../../platform/ids.ts';
import { type OutgoingMessage, sendAllLater } from '../../platform/outgoing/outgoing.ts';
import { wantsNoTexts } from '../../platform/outgoing/sms-consent.ts';
import { methodsFor, NOTIFYING, type NotificationName, type Wants } from './notification-kinds.ts';
import { afterQuiet, untilQuiet } from './quiet-hours.ts';

/** The kind of the messages by which people are notified. */
export const NOTIFICATION = 'notification';

const HOUR = 3_600_000;
/** Milliseconds that somebody needs who is notified in the morning of something that begins then. */
const AHEAD = HOUR;

/** That a person is to be notified of something. */
export interface Notice {
  userId: string;
  name: NotificationName;
  /** The key of its subject. The person is notified of it once. */
  key: string;
  jobId?: string | null;
  /** The values that its text needs in addition to the job. */
  about?: Readonly<Record<string, string>>;
  /** The notice is kept even if the person cannot be reached. */
  noted?: boolean;
  /** For who is at work, or about to be: it does not wait for the morning. */
  atOnce?: boolean;
  /** When it begins: it does not wait for a morning that would be too late. */
  startsAt?: Date | null;
  /** Seconds after which nobody needs it any more. */
  worthSeconds: number;
}

interface Recipient extends Wants {
  id: string;
  companyId: string;
  phone: string | null;
  stopped: boolean;
  devices: string[];
  zone: string;
  language: string;
  own: string | null;
}

const RECIPIENTS = `select u.id, u.company_id as "companyId", u.phone, ${wantsNoTexts('u.phone')} as stopped, coalesce(u.time_zone, c.time_zone) as zone, c.language,
    u.preferences ->> 'language' as own, u.preferences -> 'notifications' as chosen, u.text_to_accept_enabled as "textToAccept",
    array(select d.id from device_token d where d.user_id = u.id order by d.id) as devices
  from app_user u join company c on c.id = u.company_id where u.id = any($1::uuid[]) and u.discarded_at is null`;

// The table has those who were notified already; a job that was deleted meanwhile is not named. Several processes may remind of the same, so all
// write in one order.
const NOTE = `insert into notification (id, company_id, user_id, key, kind, job_id)
  select r.id, r.company_id, r.user_id, r.key, r.kind, (select j.id from job j where j.id = r.job_id)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::uuid[]) as r(id, company_id, user_id, key, kind, job_id)
  order by r.user_id, r.key
  on conflict (user_id, key) do nothing returning id`;

/**
 * Notifies people in the running transaction: each of a thing once, by what they chose, on every device and by one text at most. Whoever
 * cannot be reached is left out. What can wait is not sent in the quiet hours of their clock.
 */
export async function notify(tx: TxContext, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const ask = <R extends object>(sql: string, values: unknown[]) => runAsPurpose(NOTIFYING, () => queryIn<R>(tx.em, sql, values));
  const found = await ask<Recipient>(RECIPIENTS, [[...new Set(notices.map(({ userId }) => userId))]]);
  const people = new Map(found.map((person) => [person.id, person]));
  const planned = notices.flatMap((notice) => {
    const person = people.get(notice.userId);
    const id = newId();
    const messages = person ? messagesTo(person, notice, id, tx.tx.now) : [];
    return person && (notice.noted || messages.length > 0) ? [{ id, notice, person, messages }] : [];
  });
  if (planned.length === 0) return;
  const noted = await ask<{ id: string }>(NOTE, [
    planned.map(({ id }) => id),
    planned.map(({ person }) => person.companyId),
    planned.map(({ person }) => person.id),
    planned.map(({ notice }) => notice.key),
    planned.map(({ notice }) => notice.name),
    planned.map(({ notice }) => notice.jobId ?? null),
  ]);
  const fresh = new Set(noted.map(({ id }) => id));
  await sendAllLater(
    tx,
    planned.flatMap(({ id, messages }) => (fresh.has(id) ? messages : [])),
  );
}

function messagesTo(person: Recipient, notice: Notice, id: string, now: Date): OutgoingMessage[] {
  const methods = methodsFor(notice.name, person);
  const common = {
    kind: NOTIFICATION,
    language: pickLanguage(`${person.own ?? ''}, ${person.language};q=0.5`),
    params: { ...notice.about, notification: id, about: notice.name },
    ...timeOf(notice, now, person.zone),
  };
  const texted = methods.includes('sms') && person.phone !== null && !person.stopped;
  return [
    ...(methods.includes('push') ? person.devices.map((recipient) => ({ ...common, channel: 'push' as const, recipient })) : []),
    ...(texted ? [{ ...common, channel: 'sms' as const, recipient: person.phone! }] : []),
  ];
}

/** When a message is sent, and for how long that is worth it: until the next quiet hours at most, unless it may come in them. */
function timeOf({ atOnce, startsAt, worthSeconds }: Notice, now: Date, zone: string): Pick<OutgoingMessage, 'notBefore' | 'worthSeconds'> {
  const morning = afterQuiet(now, zone);
  if (atOnce || (startsAt && startsAt.getTime() < morning.getTime() + AHEAD)) return { worthSeconds };
  return { notBefore: morning, worthSeconds: Math.min(worthSeconds, Math.floor(untilQuiet(morning, zone) / 1000)) };
}
