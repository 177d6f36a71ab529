import type { TxContext } from '../../platform/commands/transact.ts';
import { definePurpose, reserveForPurposes } from '../../platform/database/scope.ts';
import { queryIn } from '../../platform/database/sql.ts';

export type NotificationMethod = 'push' | 'sms';

/**
 * The notifications of people (contract: NotificationName, and those that nobody chooses otherwise), and how those who chose nothing get them: on their
 * devices, if it needs them; of what merely happens, only who wants it. Nobody gets texts unasked.
 */
const NOTIFICATIONS = {
  pending_job_reminder: ['push'],
  new_job_request: ['push'],
  start_job_reminder: ['push'],
  no_location_alert: ['push'],
  order_pending_request: ['push'],
  order_accepted: ['push'],
  order_rejected: ['push'],
  order_canceled: ['push'],
  job_canceled: ['push'],
  job_unassigned: ['push'],
  end_shift_reminder: ['push'],
  job_completed: [],
  load_completed: [],
  job_state_changed: [],
  job_declined: ['push'],
  order_weather_hold: ['push'],
  tickets_given_up: ['push'],
} as const satisfies Record<string, readonly NotificationMethod[]>;
export type NotificationName = keyof typeof NOTIFICATIONS;

/** The channels by which a person wants to be notified. */
export interface Wants {
  /** `preferences.notifications` of the person. */
  chosen: Partial<Record<string, unknown>> | null;
  /** `text_to_accept_enabled`: new jobs are texted, too. */
  textToAccept: boolean;
}

/** The methods by which a person is notified of something, unless they cannot be reached so. */
export function methodsFor(name: NotificationName, { chosen, textToAccept }: Wants): readonly NotificationMethod[] {
  const given = chosen?.[name];
  if (Array.isArray(given)) return given as NotificationMethod[];
  return name === 'new_job_request' && textToAccept ? [...NOTIFICATIONS[name], 'sms'] : NOTIFICATIONS[name];
}

/** Finds who is to be notified of what, in all companies. What is sent says nothing that the person may not read. */
export const NOTIFYING = definePurpose('notifications', {
  notification: ['select (id, created_at, company_id, user_id, key, kind, job_id, sent_at)', 'insert', 'update (sent_at)', 'delete'],
  notification_cursor: ['select (position, horizon, horizon_transaction)', 'update'],
  outbox_event: ['select (id, position, company_id, subject_type, subject_id, name, payload, created_by_id, request_id, created_at)'],
  audit_entry: [
    'select (company_id, subject_type, subject_id, event, object_changes, created_by_type, created_by_id, request_id, created_at)',
  ],
  app_user: [
    'select (id, company_id, first_name, last_name, phone, time_zone, roles, preferences, text_to_accept_enabled, last_ping_at, discarded_at)',
  ],
  company: ['select (id, legal_name, language, time_zone)'],
  company_settings: ['select (id, overtime_after_minutes)'],
  device_token: ['select (id, user_id, token)'],
  sms_consent: ['select (phone, stopped, created_at)'],
  job: [
    'select (id, job_id, company_id, order_id, driver_id, equipment_id, state, state_changed_at, job_start_at, job_time, paused_at, driver_day_id)',
  ],
  orders: ['select (id, order_id, company_id, requester_id, state, job_time)'],
  load: ['select (id, job_id, state)'],
  job_assignment: ['select (id, job_id, link, vendor_company_id)'],
  job_event: ['select (job_id, event_name, occurred_at, undone_at)'],
  driver_day: [
    'select (id, company_id, driver_id, driver_day_date, starts_at, ends_at, started_shift_at, ended_shift_at, last_homebase_entry_at)',
  ],
  driver_state_event: ['select (driver_day_id, state, ended_at)'],
  location_history: ['select (asset_id, occurred_at)'],
});
export const notificationsReserved = reserveForPurposes('notification', 'notification_cursor');

const STAFF = `select u.id, u.company_id as "companyId", u.preferences -> 'notifications' as chosen from app_user u
  where u.company_id = any($1::uuid[]) and u.roles && '{dispatcher,company_admin,manager}'::text[] and u.discarded_at is null`;

/** A person in an office who is notified of its work. */
export interface OfficePerson {
  id: string;
  companyId: string;
  chosen: Wants['chosen'];
}

/** Returns the people of the offices of companies, by company. Call it inside the purpose. */
export async function officesOf(tx: TxContext, of: readonly { companyId: string }[]): Promise<Map<string, OfficePerson[]>> {
  if (of.length === 0) return new Map();
  const people = await queryIn<OfficePerson>(tx.em, STAFF, [[...new Set(of.map(({ companyId }) => companyId))]]);
  return Map.groupBy(people, ({ companyId }) => companyId);
}
