import { expect, test } from '@jest/globals';
import { grantsOf } from '../../../src/identity/access/matrix.ts';
import { ADDED, PERMISSIONS, type Permission, type RoleName } from '../../../src/identity/access/permissions.ts';
import { togglesOf } from '../../helpers/roles.ts';

const COLUMNS: RoleName[] = ['company_admin', 'manager', 'dispatcher', 'biller', 'foreman', 'driver', 'it_admin'];

/**
 * The matrix of DOMAIN section 2, written down a second time. Y yes, O own records, T and t by toggle (t: own records), - no.
 * Roles in the order of the columns; `*` is any part of a name.
 */
const DOMAIN = `
create_user                                                              Y Y Y - - - Y
edit_user                                                                Y Y Y - - O Y
delete_user *_resource_scope manage_iam_roles manage_machine_clients     Y - - - - - Y
impersonate                                                              - - - - - - -
edit_company connect_companies                                           Y - - - - - Y
create_company delete_company view_audit_log                             Y - - - - - -
edit_company_share                                                       Y Y Y - - - Y
create_company_share delete_company_share *_companyshare                 Y - Y - - - Y
create_account                                                           Y Y Y - - - -
edit_account                                                             Y Y Y Y - - -
delete_account                                                           Y - - - - - -
*_equipment *_equipment_type *_material *_materials *_site               Y Y Y - - - -
*_service_class *_department manage_labels                               Y Y Y - - - -
*_rate create_material_rate edit_material_rate *_fuel_price_indices        Y Y T Y - - -
view_fuel_prices                                                         Y Y Y Y - - -
create_project                                                           Y Y Y - - - -
edit_project                                                             Y Y Y Y - - -
delete_project                                                           Y - - - - - -
create_order                                                             Y Y Y Y Y - -
edit_order                                                               Y Y Y Y t - -
edit_order_pre_accept                                                    Y Y Y Y O - -
create_job cancel_job *_job_assignment                                   Y Y Y - - - -
assign_job                                                               Y Y Y - t - -
edit_job edit_job_phase edit_job_equipment                               Y Y Y Y t - -
delete_job delete_load                                                   Y Y Y - - - -
delete_ticket                                                            Y Y Y Y - - -
create_loads                                                             Y Y Y Y O t -
edit_load create_ticket edit_ticket request_add_ons                      Y Y Y Y O O -
edit_job_summary edit_load_summaries                                     Y Y Y Y O t -
approve_load approve_job approve_driver_day                              Y Y T Y O O -
*_resource_usage_log                                                     Y Y Y Y - - -
*_invoice create_settlement edit_settlement                              Y - - Y - - -
approve_settlement pay_settlement void_settlement                        Y - - Y - - -
close_period                                                             Y - - Y - - -
view_settlements                                                         Y Y - Y - O -
manage_accounting_integration                                            Y - - Y - - Y
manage_webhooks view_imports edit_telematics_remote_vehicles             Y - - - - - Y
compliance_read                                                          Y Y Y Y O O -
compliance_write                                                         Y Y - - - O -
view_report                                                              Y Y Y Y - - Y
edit_report                                                              Y Y - Y - - -
create_*_attachments                                                     Y Y Y Y Y Y -
edit_*_attachments delete_*_attachments                                  Y Y Y Y O O -
view_customer_rates view_vendor_rates                                    Y Y T Y - - -
view_driver_rates                                                        Y Y T Y - O -
`;

const rows = DOMAIN.trim()
  .split('\n')
  .map((line) => {
    const cells = line.trim().split(/\s+/);
    const patterns = cells.slice(0, -COLUMNS.length).map((name) => new RegExp(`^${name.replaceAll('*', '.*')}$`));
    return { patterns, letters: cells.slice(-COLUMNS.length) };
  });
/** The first line that names it counts. */
const rowOf = (name: Permission) => {
  const exact = rows.find(({ patterns }) => patterns.some((pattern) => pattern.source === `^${name}$`));
  return exact ?? rows.find(({ patterns }) => patterns.some((pattern) => pattern.test(name)));
};

const letterOf = (role: RoleName, name: Permission): string => {
  const usual = grantsOf([role]);
  const most = grantsOf([role], togglesOf(role));
  if (usual.has(name)) return 'Y';
  if (usual.has(`${name}:own`)) return 'O';
  return most.has(name) ? 'T' : most.has(`${name}:own`) ? 't' : '-';
};

test('every role has the permissions of DOMAIN section 2', () => {
  const reported = Object.fromEntries(PERMISSIONS.map((name) => [name, rowOf(name)?.letters.join(' ') ?? 'nothing']));
  expect(Object.fromEntries(PERMISSIONS.map((name) => [name, COLUMNS.map((role) => letterOf(role, name)).join(' ')]))).toEqual(reported);
});

test('a platform administrator has every permission', () => {
  expect(PERMISSIONS.filter((name) => letterOf('platform_admin', name) !== 'Y')).toEqual([]);
});

test('the catalogue has the 98 names of the contract, and additional ones', () => {
  expect(PERMISSIONS.length - ADDED.length).toBe(98);
  expect(ADDED.filter((name) => !PERMISSIONS.includes(name))).toEqual([]);
});
