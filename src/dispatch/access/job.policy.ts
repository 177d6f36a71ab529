import { denial, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Job } from '../model/job.entity.ts';

/** The fields of a job that a policy reads. For a job that does not exist yet, the crew of the order is passed. */
export type JobLike = Pick<Job, 'company' | 'foremanIds'> & Partial<Pick<Job, 'driver'>>;

/** True for the company that owns the job, and for its parents; false for a vendor to which the job was passed on. */
export const isOwnersSide = (viewer: Viewer, job: JobLike): boolean => isOfOwner(viewer, job.company.id);

/** The same for the id of the company that owns the job. */
export const isOfOwner = (viewer: Viewer, companyId: string): boolean => viewer.companyIds.includes(companyId);

/** A job counts as somebody's own if they drive it or are its foreman. */
export const isOwnJob = (viewer: Viewer, job: JobLike): boolean => job.driver?.id === viewer.id || job.foremanIds.includes(viewer.id);

/** Whether a permission covers a job: as one of all jobs, or of the viewer's own. */
export const grants = (viewer: Viewer, permission: string, job: JobLike): boolean =>
  viewer.can(permission) || (isOwnJob(viewer, job) && viewer.can(`${permission}:own`));

/**
 * Returns the viewer for office work on a job, which only the owner's side may do. @throws Denied unless the viewer has every permission,
 * on any job or on their own
 */
export function mayWithJob(ctx: Context, job: JobLike, ...permissions: [string, ...string[]]): Viewer {
  if (!isOwnersSide(viewerOf(ctx), job)) throw new Denied(permissions[0], 'permission_of_owning_company');
  return mayHaulJob(ctx, job, ...permissions);
}

/** Returns the viewer for work that a vendor may also do on a job it was given: assign, send, pass on. @throws Denied */
export function mayHaulJob(ctx: Context, job: JobLike, ...permissions: [string, ...string[]]): Viewer {
  const viewer = viewerOf(ctx);
  for (const permission of permissions) if (!grants(viewer, permission, job)) throw denial(viewer, permission);
  return viewer;
}

/**
 * Correcting the times of loads requires `edit_load_summaries` and `edit_job` (DOMAIN section 4). On own records the first is enough:
 * foremen and drivers have it for their own work, and have no `edit_job`. @throws Denied
 */
export function mayCorrectTimes(ctx: Context, job: JobLike): Viewer {
  const viewer = viewerOf(ctx);
  if (isOwnJob(viewer, job) && viewer.can('edit_load_summaries:own')) return viewer;
  return mayHaulJob(ctx, job, 'edit_load_summaries', 'edit_job');
}

/** A driver's actions on the road require `edit_job`, or that the viewer is the assigned driver (DOMAIN 1.2). @throws Denied */
export function mayDriveJob(ctx: Context, job: Job): Viewer {
  const viewer = viewerOf(ctx);
  if (grants(viewer, 'edit_job', job) || job.driver?.id === viewer.id) return viewer;
  throw denial(viewer, 'edit_job');
}
