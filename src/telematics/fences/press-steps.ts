import type { RoadEvent } from '../../dispatch/jobs/drive.ts';
import { arriveJob, completeJob, completeLoadOfJob, enrouteJob, loadMaterial, unloadMaterial } from '../../dispatch/jobs/job-events.ts';
import type { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { HaulgateError } from '../../platform/errors.ts';
import type { Step } from './decide.ts';
import { snapshotOf } from './snapshot.ts';

const COMMANDS: Record<Step, (ctx: Context, path: { id: string }, input: RoadEvent) => Promise<Job>> = {
  enroute: enrouteJob,
  arrive: arriveJob,
  load_material: loadMaterial,
  infer_load: (ctx, path, input) => loadMaterial(ctx, path, { ...input, inferred: true }),
  unload_material: unloadMaterial,
  complete_load: completeLoadOfJob,
  complete: completeJob,
};

/** The event that a step notes: its id, what shows it, and what caused it. */
export type Shown = Required<Pick<RoadEvent, 'source' | 'payload'>> & { id: string };

/**
 * Moves a locked job with the commands of its driver, for what a geofence or a ticket shows. The event of the last step has what was before,
 * so that it can be undone.
 * @returns the load that was driven
 */
export async function pressSteps(
  tx: TxContext,
  job: Job,
  { steps, at }: { steps: readonly Step[]; at: number },
  shown: (isLast: boolean) => Shown,
): Promise<Load | undefined> {
  const before = await snapshotOf(tx, job);
  for (const [i, step] of steps.entries()) {
    const isLast = i === steps.length - 1;
    const { id, source, payload } = shown(isLast);
    await COMMANDS[step](tx, { id: job.id }, { id, occurredAt: new Date(at), source, payload: isLast ? { ...payload, before } : payload });
    // The next step finds the events of this one.
    await tx.em.flush();
  }
  const [driven] = await tx.em.find(
    Load,
    { job: job.id, state: { $nin: ['created', 'canceled'] } },
    { orderBy: { ordinality: 'desc' }, limit: 1, filters: { tenant: false } },
  );
  return driven;
}

/** Whether a command refused what was asked of it, so that nothing was written. */
export const isRefusal = (error: unknown): boolean => error instanceof HaulgateError && [403, 404, 409, 422].includes(error.status);
