import { stringEnum } from '../../platform/model/columns.ts';
import { grantsOf } from './matrix.ts';
import { type Grant, ROLES, type RoleName } from './permissions.ts';
import { TOGGLES, type Toggle } from './toggles.ts';

/** A part of the user interface: a tab or a thing to manage. */
export const AccessName = stringEnum('AccessName', [
  'manage_users',
  'manage_accounts',
  'manage_equipment',
  'manage_materials',
  'manage_sites',
  'execute_jobs',
  'manage_departments',
  'manage_rates',
  'manage_companies',
  'manage_service_classes',
  'mobile_tab_schedule',
  'mobile_tab_driver',
  'mobile_tab_submit',
  'mobile_tab_approvals',
  'mobile_tab_dispatch',
  'mobile_tab_dispatch_pending',
  'mobile_tab_assigned',
  'mobile_tab_assigned_driver',
  'mobile_tab_assigned_foreman',
  'mobile_tab_review',
  'mobile_tab_review_driver',
  'mobile_tab_review_foreman',
  'mobile_tab_live_map',
  'mobile_tab_history',
  'manage_telematics',
  'manage_project_attachments',
  'manage_order_attachments',
  'manage_job_attachments',
  'manage_load_attachments',
  'mobile_tab_shift',
  'manage_driver_day_attachments',
  'manage_settlement_attachments',
  'manage_labels',
  'sales_tab',
  'dispatch_tab',
  'approvals_tab',
  'live_map_tab',
  'reports_tab',
  'settings_tab',
  'assigned_tab',
  'assigned_tab_driver',
  'assigned_tab_foreman',
  'assigned_tab_salesperson',
  'manage_compliance',
]);
export type AccessName = keyof typeof AccessName;

/** A condition that opens an access: one of the roles, or one of the grants. */
interface Opening {
  roles?: readonly RoleName[];
  grants?: readonly Grant[];
}

const DRIVER: Opening = { roles: ['driver'] };
const FOREMAN: Opening = { roles: ['foreman'] };
const FIELD: Opening = { roles: ['driver', 'foreman'] };
const DISPATCH: Opening = { grants: ['assign_job', 'edit_job'] };
/** Approvals of the office; foremen have theirs under assigned work. */
const APPROVE: Opening = { grants: ['approve_job', 'approve_load', 'approve_driver_day'] };
const attachments = (of: 'project' | 'order' | 'job' | 'load' | 'driver_day' | 'settlement'): Opening => ({
  grants: [`create_${of}_attachments`, `edit_${of}_attachments`, `delete_${of}_attachments`],
});

export const OPENINGS: Record<AccessName, Opening> = {
  manage_users: { grants: ['create_user', 'edit_user'] },
  manage_accounts: { grants: ['create_account', 'edit_account'] },
  manage_equipment: { grants: ['create_equipment', 'edit_equipment'] },
  manage_materials: { grants: ['create_materials', 'edit_material'] },
  manage_sites: { grants: ['create_site', 'edit_site'] },
  execute_jobs: DRIVER,
  manage_departments: { grants: ['create_department', 'edit_department'] },
  manage_rates: { grants: ['create_rate', 'edit_rate'] },
  manage_companies: { grants: ['create_company', 'edit_company'] },
  manage_service_classes: { grants: ['create_service_class', 'edit_service_class'] },
  mobile_tab_schedule: DRIVER,
  mobile_tab_driver: DRIVER,
  mobile_tab_submit: { roles: ['driver', 'foreman'], grants: ['create_ticket'] },
  mobile_tab_approvals: { roles: ['foreman'], grants: APPROVE.grants },
  mobile_tab_dispatch: DISPATCH,
  mobile_tab_dispatch_pending: { grants: ['edit_order'] },
  mobile_tab_assigned: FIELD,
  mobile_tab_assigned_driver: DRIVER,
  mobile_tab_assigned_foreman: FOREMAN,
  mobile_tab_review: FIELD,
  mobile_tab_review_driver: DRIVER,
  mobile_tab_review_foreman: FOREMAN,
  mobile_tab_live_map: { roles: ['foreman'], grants: DISPATCH.grants },
  mobile_tab_history: FIELD,
  manage_telematics: { grants: ['edit_telematics_remote_vehicles'] },
  manage_project_attachments: attachments('project'),
  manage_order_attachments: attachments('order'),
  manage_job_attachments: attachments('job'),
  manage_load_attachments: attachments('load'),
  mobile_tab_shift: DRIVER,
  manage_driver_day_attachments: attachments('driver_day'),
  manage_settlement_attachments: attachments('settlement'),
  manage_labels: { grants: ['manage_labels'] },
  sales_tab: { grants: ['create_project', 'edit_project'] },
  dispatch_tab: DISPATCH,
  approvals_tab: APPROVE,
  live_map_tab: DISPATCH,
  reports_tab: { grants: ['view_report'] },
  settings_tab: { grants: ['edit_company', 'create_user', 'edit_user', 'edit_site', 'edit_equipment'] },
  assigned_tab: FIELD,
  assigned_tab_driver: DRIVER,
  assigned_tab_foreman: FOREMAN,
  assigned_tab_salesperson: { grants: ['create_project', 'edit_project'] },
  manage_compliance: { grants: ['compliance_write'] },
};

/** The accesses of somebody with these roles and grants, in the order of the list. */
export function accessOf(who: { roles: readonly string[]; can(permission: string): boolean }): AccessName[] {
  return (Object.keys(OPENINGS) as AccessName[]).filter((name) => {
    const { roles, grants } = OPENINGS[name];
    return roles?.some((role) => who.roles.includes(role)) || grants?.some((grant) => who.can(grant));
  });
}

/**
 * The conditions that open an access: the keys of built-in roles, the grants that a company's role may list, and `<toggle> <role>` where a company's
 * toggle gives the role one of them.
 */
export function openersOf(name: AccessName): string[] {
  const { roles = [], grants = [] } = OPENINGS[name];
  const builtIn = ROLES.filter((role) => roles.includes(role) || grants.some((grant) => grantsOf([role]).has(grant)));
  const toggles: [string, Toggle][] = Object.entries(TOGGLES);
  const toggled = toggles.filter(([, toggle]) => toggle.grants.some((grant) => grants.includes(grant)));
  return [...builtIn, ...grants, ...toggled.map(([toggle, { role }]) => `${toggle} ${role}`)];
}
