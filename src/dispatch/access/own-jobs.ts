import { viewerOf } from '../../platform/authz/authorization.ts';
import type { Context } from '../../platform/context.ts';
import { stringEnum } from '../../platform/model/columns.ts';
import type { Where } from '../../platform/read/reader.ts';

/** The part that a person has in a job. `assigned` means any of them. */
export const JobPart = stringEnum('JobPart', ['assigned', 'driver', 'foreman', 'collaborator', 'salesperson']);
export type JobPart = keyof typeof JobPart;

const CREW = { foreman: 'foreman_ids', collaborator: 'collaborator_ids', salesperson: 'salesperson_ids' } as const;
const driven = (t: string, p: string): string => `${t}.driver_id = ${p}`;
const crewed = (t: string, p: string, part: keyof typeof CREW): string => `${p} = any(${t}.${CREW[part]})`;

/** Returns the condition for the jobs of the person who asks. A machine client has none. */
export function ownJobs(ctx: Context, part: JobPart): Where {
  const parts = Object.keys(CREW) as (keyof typeof CREW)[];
  const sql = (t: string, p: string): string => {
    if (part === 'driver') return driven(t, p);
    if (part !== 'assigned') return crewed(t, p, part);
    return `(${[driven(t, p), ...parts.map((one) => crewed(t, p, one))].join(' or ')})`;
  };
  return { key: `own ${part}`, sql, cast: 'uuid', value: viewerOf(ctx).id };
}
