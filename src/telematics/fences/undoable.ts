import type { JobEventName } from '../../dispatch/model/states.ts';
import type { Where } from '../../platform/read/reader.ts';

/** Minutes for which an automatic event can be undone. */
export const UNDOABLE_MINUTES = 60;
/** Events that change nothing of the work, and so hide no automatic one. */
export const REPORTS: readonly JobEventName[] = [
  ...(['GeofenceEntered', 'GeofenceExited', 'NotificationSent', 'LoadAiReviewed'] as const),
  ...(['TicketChaseInitiated', 'TicketsUploadedByAgent'] as const),
];
/** Confidence from which a crossing changes the work, and from which nobody has to look at it (PROOF A5). */
export const APPLIED_FROM = 0.5;
export const CERTAIN_FROM = 0.8;

/**
 * SQL: a job or a load of it is approved, for billing or in the field, or an invoice of the job is, by a company whose books the reader sees. Each
 * company approves in its own books, and what others have approved becomes stale (D-PROOF-41).
 */
export const isApprovedSql = (job: string, load: string): string => `(
  exists (select from job y where y.id = ${job} and (y.approved_at is not null or y.field_approved_at is not null))
  or exists (select from load y where y.id = ${load} and (y.approved_at is not null or y.field_approved_at is not null))
  or exists (select from approval_state y where (y.approvable_type, y.approvable_id) in (('Job', ${job}), ('Load', ${load}))
    and (y.approved_at is not null or y.field_approved_at is not null or y.billing_approved_at is not null))
  or exists (select from invoice y where y.job_id = ${job} and y.billing_approved_at is not null and y.state <> 'voided'))`;

/**
 * SQL: a load that automation added is in use, so that it cannot be taken away again: a ticket, a file or a signature is on it.
 * @param before SQL of the snapshot of before the event, as JSON
 */
export const addedInUseSql = (job: string, before: string): string => `exists (
  select from load y where y.job_id = ${job} and y.state = 'created'
    and not coalesce(${before} -> 'loads' @> jsonb_build_array(jsonb_build_object('id', y.id)), false)
    and (exists (select from ticket k where k.load_id = y.id)
      or exists (select from file_attachment f where f.file_attachable_type = 'Load' and f.file_attachable_id = y.id)
      or exists (select from signature g where g.signable_type = 'Load' and g.signable_id = y.id)))`;

/** SQL: the event `m` of a crossing `t` can still be undone, as `undoAutomaticEvent` decides it. */
const standing = (
  t: string,
): string => `from job_event m where m.id = ${t}.job_event_id and m.created_at > present_time() - interval '${UNDOABLE_MINUTES} minutes'
  and not ${isApprovedSql(`${t}.job_id`, `${t}.load_id`)}
  and not ${addedInUseSql(`${t}.job_id`, "(m.payload -> 'before')")}
  and not exists (select from ticket k where k.load_id = ${t}.load_id and k.voided_at is null and k.updated_at > m.created_at)
  and (select n.payload ->> 'trigger_id' from job_event n where n.job_id = ${t}.job_id and n.event_name <> all('{${REPORTS.join()}}')
    order by n.created_at desc, n.id desc limit 1) = ${t}.id::text`;

/** SQL: the effect of a crossing is there, even if later positions disprove it, and can be undone. */
export const undoableSql = (t: string): string =>
  `(${t}.job_event_id is not null and ${t}.skip_reason is null and ${t}.state in ('applied', 'superseded') and exists (select ${standing(t)}))`;

// Both parts have an index of their own. What a person confirmed is decided.
const toDecide = (p: string): string => `array(
  select g.id from geofence_trigger g where g.company_id = any(${p}) and g.state = 'proposed' and g.job_id is not null
  union all select g.id from geofence_trigger g where g.company_id = any(${p}) and g.job_event_id is not null and g.skip_reason is null
    and (g.state = 'superseded' or (g.state = 'applied' and g.confidence < ${CERTAIN_FROM})) and g.updated_at > present_time() - interval '${UNDOABLE_MINUTES} minutes'
    and exists (select ${standing('g')} and m.created_by_type = 'System'))`;

/** The crossings of companies about which a person should decide, or the others. */
export const needingPerson = (wanted: boolean, companies: readonly string[]): Where => ({
  key: wanted ? 'toDecide' : 'decided',
  sql: (t, p) => `${t}.id ${wanted ? '= any' : '<> all'}(${toDecide(p)})`,
  cast: 'uuid[]',
  value: companies,
});
