import { type Grant, PRICING, type RoleName } from './permissions.ts';

/** A permission that a company may give a role in addition to the matrix (the T of DOMAIN section 2). */
export interface Toggle {
  role: RoleName;
  grants: readonly Grant[];
  /** For the schema and docs/permissions.md. */
  meaning: string;
}

/**
 * All are off by default; companies set them by `PATCH /v1/companies/{company-id}/permission_toggles`. The toggles of the company to which a
 * person belongs count, in its children too: a person has the same roles in every child, with the same meaning.
 */
export const TOGGLES = {
  dispatcher_edits_rates: {
    role: 'dispatcher',
    grants: PRICING,
    meaning: 'Dispatchers manage rates, material rates and fuel tables.',
  },
  dispatcher_sees_customer_rates: {
    role: 'dispatcher',
    grants: ['view_customer_rates'],
    meaning: 'Dispatchers see what customers pay.',
  },
  dispatcher_sees_vendor_rates: {
    role: 'dispatcher',
    grants: ['view_vendor_rates'],
    meaning: 'Dispatchers see what vendors are paid.',
  },
  dispatcher_sees_driver_rates: {
    role: 'dispatcher',
    grants: ['view_driver_rates'],
    meaning: 'Dispatchers see what drivers are paid.',
  },
  dispatcher_approves: {
    role: 'dispatcher',
    grants: ['approve_load', 'approve_job', 'approve_driver_day'],
    meaning: 'Dispatchers approve loads, jobs and driver days.',
  },
  foreman_edits_orders: {
    role: 'foreman',
    grants: ['edit_order:own'],
    meaning: 'Foremen change and move their own orders even after acceptance.',
  },
  foreman_edits_jobs: {
    role: 'foreman',
    grants: ['edit_job:own', 'assign_job:own', 'edit_job_phase:own', 'edit_job_equipment:own'],
    meaning: 'Foremen change and assign the jobs of which they are foreman.',
  },
  driver_creates_loads: {
    role: 'driver',
    grants: ['create_loads:own'],
    meaning: 'Drivers add loads to the jobs they drive.',
  },
  driver_edits_times: {
    role: 'driver',
    grants: ['edit_job_summary:own', 'edit_load_summaries:own'],
    meaning: 'Drivers correct the times of the jobs they drive (times_editable).',
  },
} satisfies Record<string, Toggle>;

export type ToggleName = keyof typeof TOGGLES;

/** The name of a toggle in GraphQL. */
export const fieldOf = (name: ToggleName): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** True for the name of a toggle. */
const isToggle = (name: string): name is ToggleName => Object.hasOwn(TOGGLES, name);

/** The permissions that a company's toggles add for somebody with these roles. */
export function toggledGrants(roles: readonly string[], toggles: readonly string[]): Grant[] {
  return toggles.flatMap((name) => (isToggle(name) && roles.includes(TOGGLES[name].role) ? [...TOGGLES[name].grants] : []));
}
