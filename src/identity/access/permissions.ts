/**
 * Every permission (DOMAIN section 2), by topic; matrix.ts says which role has which. `<name>:own` is the same permission for own or
 * assigned records only: a policy asks `can('edit_load') || (can('edit_load:own') && isForemanOf(load))`.
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
export const SHARE_ALIASES = ['create_companyshare', 'delete_companyshare'] as const;
export const MASTER_DATA = [
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
export const PRICING = [
  'create_rate',
  'edit_rate',
  'delete_rate',
  'create_material_rate',
  'edit_material_rate',
  'create_fuel_price_indices',
  'edit_fuel_price_indices',
  'delete_fuel_price_indices',
] as const;
/** The permissions to see prices of fuel, and the charges for it (DOMAIN section 2: everybody in the office). */
export const FUEL_VIEWS = ['view_fuel_prices'] as const;
export const WORK = [
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
  'request_add_ons',
] as const;
export const APPROVALS = [
  'approve_load',
  'approve_job',
  'approve_driver_day',
  'create_resource_usage_log',
  'edit_resource_usage_log',
  'delete_resource_usage_log',
] as const;
export const BILLING = [
  'edit_invoice',
  'approve_invoice',
  'create_settlement',
  'edit_settlement',
  'approve_settlement',
  'pay_settlement',
  'void_settlement',
  'view_settlements',
  'close_period',
  'manage_accounting_integration',
] as const;
export const RATE_VIEWS = ['view_customer_rates', 'view_vendor_rates', 'view_driver_rates'] as const;
export const ATTACHMENTS = [
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
  'edit_report',
  'compliance_read',
  'compliance_write',
  'edit_telematics_remote_vehicles',
  'view_imports',
  'manage_webhooks',
  'manage_machine_clients',
  'view_audit_log',
] as const;

/** Every permission under what it is about. */
export const CATALOGUE = {
  Accounts: ACCOUNTS,
  Companies: [...COMPANIES, ...SHARE_ALIASES],
  'Master data': MASTER_DATA,
  Users: USERS,
  Pricing: PRICING,
  Work: WORK,
  Approvals: APPROVALS,
  Billing: BILLING,
  'Rate visibility': [...RATE_VIEWS, ...FUEL_VIEWS],
  Attachments: ATTACHMENTS,
  Other: OTHER,
} as const;
export const PERMISSIONS = Object.values(CATALOGUE).flat();
export type Permission = (typeof CATALOGUE)[keyof typeof CATALOGUE][number];
export type Grant = Permission | `${Permission}:own`;

export const ROLES = ['platform_admin', 'company_admin', 'manager', 'dispatcher', 'biller', 'foreman', 'driver', 'it_admin'] as const;
export type RoleName = (typeof ROLES)[number];

/**
 * Names that the contract does not have: it leaves them to roles or does not distinguish them. All others are spelled as in the contract.
 */
export const ADDED: readonly Permission[] = [
  'create_site',
  'request_add_ons',
  'create_settlement',
  'approve_invoice',
  'approve_settlement',
  'pay_settlement',
  'void_settlement',
  'view_settlements',
  'close_period',
  ...RATE_VIEWS,
  ...FUEL_VIEWS,
  'edit_report',
  'view_imports',
  'manage_webhooks',
  'manage_iam_roles',
  'manage_machine_clients',
  'view_audit_log',
];

/** True for a name of the catalogue, without `:own`. */
export function isPermission(name: string): name is Permission {
  return known.has(name);
}

/** True for a permission that a role may list: a name of the catalogue, also with `:own`. */
export function isGrant(name: string): name is Grant {
  return known.has(name.replace(/:own$/, ''));
}

/** True when these grants include the other grant; a permission for all records includes that for own records. */
export function covers(grants: ReadonlySet<string>, grant: string): boolean {
  return grants.has(grant) || grants.has(grant.replace(/:own$/, ''));
}

/** The catalogue names among grants, `:own` included, each once and in catalogue order. */
export function permissionNames(grants: ReadonlySet<string>): Permission[] {
  return PERMISSIONS.filter((name) => grants.has(name) || grants.has(`${name}:own`));
}

const known = new Set<string>(PERMISSIONS);
