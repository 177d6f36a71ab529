import { denial, viewerOf } from '../../platform/authz/authorization.ts';
import type { Context, Viewer } from '../../platform/context.ts';
import { Denied } from '../../platform/errors.ts';
import type { Job } from '../model/job.entity.ts';

/** What a policy asks of a job; an order's crew stands in for a job that is not there yet. */
export type JobLike = Pick<Job, 'company' | 'foremanIds'> & Partial<Pick<Job, 'driver'>>;

/** True for the company whose job it is, and its parents; false for a vendor that the job was passed on to. */
export const isOwnersSide = (viewer: Viewer, job: JobLike): boolean => isOfOwner(viewer, job.company.id);

/** The same by the id of the company whose job it is. */
export const isOfOwner = (viewer: Viewer, companyId: string): boolean => viewer.companyIds.includes(companyId);

/** A job is somebody's own when they drive it or are its foreman. */
export const isOwnJob = (viewer: Viewer, job: JobLike): boolean => job.driver?.id === viewer.id || job.foremanIds.includes(viewer.id);

const grants = (viewer: Viewer, permission: string, job: JobLike): boolean =>
  viewer.can(permission) || (isOwnJob(viewer, job) && viewer.can(`${permission}:own`));

/** The office's work with a job, on the owner's side only. @throws Denied unless the viewer has every permission, on any job or on their own */
export function mayWithJob(ctx: Context, job: JobLike, ...permissions: [string, ...string[]]): Viewer {
  if (!isOwnersSide(viewerOf(ctx), job)) throw new Denied(permissions[0], 'permission_only_owners_side');
  return mayHaulJob(ctx, job, ...permissions);
}

/** What a vendor may do with a job passed on to it as well: assign, send, pass on. @throws Denied */
export function mayHaulJob(ctx: Context, job: JobLike, ...permissions: [string, ...string[]]): Viewer {
  const viewer = viewerOf(ctx);
  for (const permission of permissions) if (!grants(viewer, permission, job)) throw denial(viewer, permission);
  return viewer;
}

/**
 * Stamps of loads need `edit_load_summaries` and `edit_job` (DOMAIN section 4). On own records the first is enough: foremen and
 * drivers, who have it for their own, have no `edit_job`. @throws Denied
 */
export function mayCorrectTimes(ctx: Context, job: JobLike): Viewer {
  const viewer = viewerOf(ctx);
  if (isOwnJob(viewer, job) && viewer.can('edit_load_summaries:own')) return viewer;
  return mayHaulJob(ctx, job, 'edit_load_summaries', 'edit_job');
}

/** What a driver does on the road: `edit_job`, or being the assigned driver (DOMAIN 1.2). @throws Denied */
export function mayDriveJob(ctx: Context, job: Job): Viewer {
  const viewer = viewerOf(ctx);
  if (grants(viewer, 'edit_job', job) || job.driver?.id === viewer.id) return viewer;
  throw denial(viewer, 'edit_job');
}
