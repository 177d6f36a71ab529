/**
 * Every permission and what each role may do (DOMAIN section 2). `<name>:own` is the same permission for own or assigned records
 * only: a policy asks `can('edit_load') || (can('edit_load:own') && isForemanOf(load))`.
 */
const ACCOUNTS = ['create_account', 'edit_account', 'delete_account', 'connect_companies'] as const;
const COMPANIES = [
  'create_company',
  'edit_company',
  'delete_company',
  'create_company_share',
  'edit_company_share',
  'delete_company_share',
] as const;
/** Spellings under which the same permission is also known. */
const SHARE_ALIASES = ['create_companyshare', 'delete_companyshare'] as const;
const MASTER_DATA = [
  'create_department',
  'edit_department',
  'delete_department',
  'create_equipment',
  'edit_equipment',
  'delete_equipment',
  'create_equipment_type',
  'edit_equipment_type',
  'delete_equipment_type',
  'create_materials',
  'edit_material',
  'delete_material',
  'create_site',
  'edit_site',
  'delete_site',
  'create_service_class',
  'edit_service_class',
  'delete_service_class',
  'manage_labels',
] as const;
const USERS = [
  'create_user',
  'edit_user',
  'delete_user',
  'impersonate',
  'create_resource_scope',
  'delete_resource_scope',
  'manage_iam_roles',
] as const;
const PRICING = [
  'create_rate',
  'edit_rate',
  'delete_rate',
  'create_material_rate',
  'edit_material_rate',
  'create_fuel_price_indices',
  'edit_fuel_price_indices',
  'delete_fuel_price_indices',
] as const;
const WORK = [
  'create_project',
  'edit_project',
  'delete_project',
  'create_order',
  'edit_order',
  'edit_order_pre_accept',
  'create_job',
  'edit_job',
  'delete_job',
  'assign_job',
  'cancel_job',
  'edit_job_phase',
  'edit_job_equipment',
  'create_job_assignment',
  'edit_job_assignment',
  'create_loads',
  'edit_load',
  'delete_load',
  'edit_load_summaries',
  'edit_job_summary',
  'create_ticket',
  'edit_ticket',
  'delete_ticket',
] as const;
const APPROVALS = [
  'approve_load',
  'approve_job',
  'approve_driver_day',
  'create_resource_usage_log',
  'edit_resource_usage_log',
  'delete_resource_usage_log',
] as const;
const BILLING = [
  'edit_invoice',
  'approve_invoice',
  'create_settlement',
  'edit_settlement',
  'approve_settlement',
  'pay_settlement',
  'void_settlement',
  'view_settlements',
  'manage_accounting_integration',
] as const;
const RATE_VIEWS = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'] as const;
const ATTACHMENTS = [
  'create_project_attachments',
  'edit_project_attachments',
  'delete_project_attachments',
  'create_order_attachments',
  'edit_order_attachments',
  'delete_order_attachments',
  'create_job_attachments',
  'edit_job_attachments',
  'delete_job_attachments',
  'create_load_attachments',
  'edit_load_attachments',
  'delete_load_attachments',
  'create_driver_day_attachments',
  'edit_driver_day_attachments',
  'delete_driver_day_attachments',
  'create_settlement_attachments',
  'edit_settlement_attachments',
  'delete_settlement_attachments',
] as const;
const OTHER = [
  'view_report',
  'compliance_read',
  'compliance_write',
  'edit_telematics_remote_vehicles',
  'view_imports',
  'manage_webhooks',
  'manage_machine_clients',
] as const;

export const PERMISSIONS = [
  ...ACCOUNTS,
  ...COMPANIES,
  ...SHARE_ALIASES,
  ...MASTER_DATA,
  ...USERS,
  ...PRICING,
  ...WORK,
  ...APPROVALS,
  ...BILLING,
  ...RATE_VIEWS,
  ...ATTACHMENTS,
  ...OTHER,
] as const;
export type Permission = (typeof PERMISSIONS)[number];
export type Grant = Permission | `${Permission}:own`;

export const ROLES = ['platform_admin', 'company_admin', 'manager', 'dispatcher', 'biller', 'foreman', 'driver', 'it_admin'] as const;
export type RoleName = (typeof ROLES)[number];

/** True for a name of the catalogue, without `:own`. */
export function isPermission(name: string): name is Permission {
  return known.has(name);
}

/** True for what a role may list: a name of the catalogue, also with `:own`. */
export function isGrant(name: string): name is Grant {
  return known.has(name.replace(/:own$/, ''));
}

/** True when somebody with these grants may do what the other grant says; who may do it to all may do it to their own. */
export function covers(grants: ReadonlySet<string>, grant: string): boolean {
  return grants.has(grant) || grants.has(grant.replace(/:own$/, ''));
}

/** Everything the roles grant together. Unknown roles grant nothing. */
export function grantsOf(roles: readonly string[]): ReadonlySet<Grant> {
  return new Set(roles.flatMap((role) => MATRIX[role as RoleName] ?? []));
}

/** The catalogue names among grants, `:own` included, each once and in catalogue order. */
export function permissionNames(grants: ReadonlySet<string>): Permission[] {
  return PERMISSIONS.filter((name) => grants.has(name) || grants.has(`${name}:own`));
}

const known = new Set<string>(PERMISSIONS);
const except = (names: readonly Permission[], ...without: Permission[]) => names.filter((name) => !without.includes(name));
const own = (names: readonly Permission[]): Grant[] => names.map((name): Grant => `${name}:own`);
const attachments = (...verbs: string[]) => ATTACHMENTS.filter((name) => verbs.some((verb) => name.startsWith(`${verb}_`)));

/** What everybody in the office may do with hauled work. Company toggles (T in DOMAIN's matrix) are off until companies have them. */
const OFFICE_WORK: Grant[] = [
  ...except(WORK, 'delete_project', 'delete_job', 'delete_load', 'delete_ticket'),
  'create_resource_usage_log',
  'edit_resource_usage_log',
  'delete_resource_usage_log',
];
const FIELD_ATTACHMENTS: Grant[] = [...attachments('create'), ...own(attachments('edit', 'delete'))];

const MATRIX: Record<RoleName, readonly Grant[]> = {
  platform_admin: PERMISSIONS,
  company_admin: except(PERMISSIONS, 'impersonate'),
  manager: [
    'create_user',
    'edit_user',
    'edit_company_share',
    'create_account',
    'edit_account',
    ...MASTER_DATA,
    ...PRICING,
    ...OFFICE_WORK,
    'delete_job',
    'delete_load',
    'delete_ticket',
    'approve_load',
    'approve_job',
    'approve_driver_day',
    'view_settlements',
    ...RATE_VIEWS,
    'compliance_read',
    'compliance_write',
    'view_report',
    ...ATTACHMENTS,
  ],
  dispatcher: [
    'create_user',
    'edit_user',
    'create_company_share',
    'edit_company_share',
    'delete_company_share',
    ...SHARE_ALIASES,
    'create_account',
    'edit_account',
    ...MASTER_DATA,
    ...OFFICE_WORK,
    'delete_job',
    'delete_load',
    'delete_ticket',
    'compliance_read',
    'view_report',
    ...ATTACHMENTS,
  ],
  biller: [
    'edit_account',
    ...PRICING,
    'edit_project',
    'create_order',
    'edit_order',
    'edit_order_pre_accept',
    'edit_job',
    'edit_job_phase',
    'edit_job_equipment',
    'create_loads',
    'edit_load',
    'create_ticket',
    'edit_ticket',
    'delete_ticket',
    'edit_job_summary',
    'edit_load_summaries',
    ...APPROVALS,
    ...BILLING,
    ...RATE_VIEWS,
    'compliance_read',
    'view_report',
    ...ATTACHMENTS,
  ],
  foreman: [
    'create_order',
    ...own([
      'edit_order_pre_accept',
      'create_loads',
      'edit_load',
      'create_ticket',
      'edit_ticket',
      'edit_job_summary',
      'edit_load_summaries',
    ]),
    ...own(['approve_load', 'approve_job', 'approve_driver_day', 'compliance_read']),
    ...FIELD_ATTACHMENTS,
  ],
  driver: [
    ...own(['edit_user', 'create_ticket', 'edit_ticket', 'edit_load', 'approve_load', 'approve_job', 'approve_driver_day']),
    ...own(['view_driver_rates', 'compliance_read', 'compliance_write']),
    ...FIELD_ATTACHMENTS,
  ],
  it_admin: [
    'create_user',
    'edit_user',
    'delete_user',
    'manage_iam_roles',
    'edit_company',
    'create_company_share',
    'edit_company_share',
    'delete_company_share',
    ...SHARE_ALIASES,
    'connect_companies',
    'manage_accounting_integration',
    'manage_webhooks',
    'manage_machine_clients',
    'view_imports',
    'edit_telematics_remote_vehicles',
    'view_report',
  ],
};
