import { viewerOf } from '../platform/authz/fences.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { Denied } from '../platform/errors.ts';
import type { Job } from './job.entity.ts';

/** A job is somebody's own when they drive it or are its foreman. */
const isOwn = (viewer: Viewer, job: Job): boolean => job.driver?.id === viewer.id || job.foremanIds.includes(viewer.id);

const grants = (viewer: Viewer, permission: string, job: Job): boolean =>
  viewer.can(permission) || (isOwn(viewer, job) && viewer.can(`${permission}:own`));

/** @throws Denied unless the viewer has every permission, on any job or on their own */
export function mayWithJob(ctx: Context, job: Job, ...permissions: string[]): Viewer {
  const viewer = viewerOf(ctx);
  for (const permission of permissions) if (!grants(viewer, permission, job)) throw new Denied(permission);
  return viewer;
}

/** What a driver does on the road: `edit_job`, or being the assigned driver (DOMAIN 1.2). @throws Denied */
export function mayDriveJob(ctx: Context, job: Job): Viewer {
  const viewer = viewerOf(ctx);
  if (viewer.can('edit_job') || job.driver?.id === viewer.id) return viewer;
  throw new Denied('edit_job');
}
