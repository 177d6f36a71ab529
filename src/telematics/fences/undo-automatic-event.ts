import { mayDriveJob } from '../../dispatch/access/job.policy.ts';
import { noteJobEvent } from '../../dispatch/jobs/job-effects.ts';
import { lockJob } from '../../dispatch/jobs/lock-job.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import { JobEvent } from '../../dispatch/model/job-event.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import { settle } from './apply-trigger.ts';
import { GeofenceTrigger } from './geofence-trigger.entity.ts';
import { restore, type Snapshot } from './snapshot.ts';
import { addedInUseSql, isApprovedSql, REPORTS, UNDOABLE_MINUTES } from './undoable.ts';

/** The reason why an event happened by itself. */
interface Cause {
  /** The crossing that shows it. */
  trigger_id?: string;
  /** The event itself, if a ticket shows it. */
  match_id?: string;
  before?: Snapshot;
}

/**
 * Puts a job and its loads back to what they were before an automatic event. Its geofence does not fire again before it was crossed the
 * other way.
 * @throws Missing, Denied; Conflict if a person noted it, if something happened since, or if it was undone before
 */
export function undoAutomaticEvent(ctx: Context, jobEventId: string, companyId?: string | null): Promise<Job> {
  return transact(ctx, async (tx) => {
    const event = await find(tx, JobEvent, jobEventId, { companyId });
    const job = await lockJob(tx, { id: event.job.id, companyId }, (inside, one) => void mayDriveJob(inside, one));
    const cause = (event.payload ?? {}) as Cause;
    const trigger = cause.trigger_id
      ? await tx.em.findOne(GeofenceTrigger, { id: cause.trigger_id }, { filters: { tenant: false } })
      : undefined;
    const mainId = trigger ? isApplied(trigger) && trigger.jobEventId : cause.match_id;
    const main = mainId ? await tx.em.findOne(JobEvent, { id: mainId }, { filters: { tenant: false } }) : undefined;
    if (!main || main.job.id !== job.id || event.eventSource !== (trigger ? 'geofence' : 'ticket_match')) throw refusal('not_automatic');
    if (main.createdAt.getTime() < tx.tx.now.getTime() - UNDOABLE_MINUTES * 60_000) throw refusal('automatic_too_old');
    const loadId = trigger ? trigger.loadId : main.loadId;
    if (await isOvertaken(tx, job, main, loadId)) throw refusal('automatic_overtaken');
    await restore(tx, job, (main.payload as { before: Snapshot }).before);
    if (trigger) settle(trigger, { skip: 'undone' });
    // No time of the work is taken from what did not happen.
    await queryIn(tx.em, UNDO, [job.id, trigger?.id ?? null, main.id, tx.tx.now]);
    noteJobEvent(tx, job, 'JobUpdated', { loadId: loadId ?? undefined, payload: { undo_of: main.id } });
    return job;
  });
}

const UNDO = `update job_event set undone_at = $4, updated_at = $4
  where job_id = $1 and (payload ->> 'trigger_id' = $2::text or payload ->> 'match_id' = $3::text or id = $3::text::uuid)`;

const IS_APPROVED = `select from (select) one where ${isApprovedSql('$1::uuid', '$2::uuid')}`;
const IS_ADDED_IN_USE = `select from (select) one where ${addedInUseSql('$1::uuid', '$2::jsonb')}`;

/** True if something came after an event that rests on it: another event, an approval, or a ticket, also one of a load that it added. */
async function isOvertaken(tx: TxContext, job: Job, main: JobEvent, loadId: string | null | undefined): Promise<boolean> {
  const [newest] = await tx.em.find(
    JobEvent,
    { job: job.id, eventName: { $nin: [...REPORTS] } },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  const [last, own] = [newest, main].map((event) => event?.payload as Cause | null);
  if (last?.trigger_id !== own?.trigger_id || last?.match_id !== own?.match_id) return true;
  if ((await queryIn(tx.em, IS_APPROVED, [job.id, loadId ?? null])).length > 0) return true;
  if ((await queryIn(tx.em, IS_ADDED_IN_USE, [job.id, JSON.stringify(own?.before ?? null)])).length > 0) return true;
  const tickets = await queryIn(tx.em, 'select id from ticket where load_id = $1 and voided_at is null and updated_at > $2 limit 1', [
    loadId,
    main.createdAt,
  ]);
  return tickets.length > 0;
}

/** Its effect is there, even if later positions disprove it. */
const isApplied = ({ state, skipReason }: GeofenceTrigger): boolean => state === 'applied' || (state === 'superseded' && !skipReason);

const refusal = (key: string) => new Conflict([{ model: 'JobEvent', field: 'id', key }]);
