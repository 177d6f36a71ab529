import { mayDriveJob } from '../../dispatch/access/job.policy.ts';
import { lockJob } from '../../dispatch/jobs/lock-job.ts';
import { lockDriverOf } from '../../dispatch/shifts/day-of-work.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { AuditRecord } from '../../platform/commands/records.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict } from '../../platform/errors.ts';
import { applyWaiting, crossingOf, settle, takeSteps } from './apply-trigger.ts';
import { decide } from './decide.ts';
import { workOf } from './fence-work.ts';
import { GeofenceTrigger } from './geofence-trigger.entity.ts';

/**
 * A person confirms a crossing that was not certain enough: the job moves as if it had been.
 * @throws Missing, Denied; Conflict if it does not wait for anybody, or the job has gone on
 */
export const confirmTrigger = (ctx: Context, path: RecordPath): Promise<GeofenceTrigger> =>
  withProposed(ctx, path, async (tx, trigger, job) => {
    const crossing = crossingOf(trigger.geofenceTriggerType, { waypointType: trigger.waypointType ?? null, tag: trigger.tag ?? null });
    if (!crossing) throw refusal('not_proposed');
    // It is of the truck of somebody who does not have the job any more.
    if (job.driver?.id !== trigger.assetId) throw refusal('trigger_overtaken');
    const decision = decide(crossing, trigger.occurredAt.getTime(), { ...(await workOf(tx, job, trigger.occurredAt)), confirmed: true });
    if ('skip' in decision) throw refusal('trigger_overtaken');
    await takeSteps(tx, trigger, job, decision, false);
    settle(trigger, 'applied');
    if (crossing === 'exit pickup') await applyWaiting(tx, job);
  });

/** A person refuses a crossing that was not certain enough. @throws Missing, Denied; Conflict if it does not wait for anybody */
export const dismissTrigger = (ctx: Context, path: RecordPath): Promise<GeofenceTrigger> =>
  withProposed(ctx, path, async (_tx, trigger) => settle(trigger, { skip: 'dismissed' }));

type Locked = Awaited<ReturnType<typeof lockJob>>;

function withProposed(
  ctx: Context,
  { id, companyId }: RecordPath,
  act: (tx: TxContext, trigger: GeofenceTrigger, job: Locked) => Promise<void>,
): Promise<GeofenceTrigger> {
  return transact(ctx, async (tx) => {
    const seen = await find(tx, GeofenceTrigger, id, { companyId });
    if (!seen.job) throw refusal('not_proposed');
    const path = { id: seen.job.id, companyId };
    await lockDriverOf(tx, path);
    const job = await lockJob(tx, path, (inside, one) => void mayDriveJob(inside, one));
    const trigger = await find(tx, GeofenceTrigger, id, { companyId, lock: true });
    if (trigger.state !== 'proposed') throw refusal('not_proposed');
    const before = trigger.skipReason ?? null;
    await act(tx, trigger, job);
    // Of all that happens to triggers, what a person decides is in the audit log.
    const changes: AuditRecord['changes'] = { state: ['proposed', trigger.state], skip_reason: [before, trigger.skipReason ?? null] };
    tx.tx.audits.push({ event: 'update', type: 'GeofenceTrigger', id: trigger.id, companyId: trigger.companyId, changes });
    return trigger;
  });
}

const refusal = (key: string) => new Conflict([{ model: 'GeofenceTrigger', field: 'state', key }]);
