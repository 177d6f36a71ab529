import type { FieldPermissions } from '../platform/authz/field-permissions.ts';

/** The permissions of the root fields of this room. */
export const fieldPermissions: FieldPermissions = [
  [['create_equipment'], 'createManagedEquipment'],
  [['create_account'], 'createAccount', 'inviteAccount'],
  [['edit_account'], 'updateAccount', 'updateManagedAccount', 'bulkUpdateAccounts'],
  [['delete_account'], 'deleteAccount'],
  [['edit_company'], 'setCompanyLogo', 'updateCompany', 'moveCompany', 'manageCompany', 'unmanageCompany'],
  [['create_resource_scope'], 'createManagedResourceScope'],
  [['delete_resource_scope'], 'deleteManagedResourceScope'],
  [['create_user'], 'createManagedUser', 'inviteManagedUser'],
  [['edit_user'], 'updateManagedUser'],
  [['delete_user'], 'deactivateManagedUser'],
  [['edit_equipment'], 'updateManagedEquipment'],
  [['delete_equipment'], 'deleteManagedEquipment'],
  [['delete_company'], 'discardCompany'],
  [['create_company'], 'createCompany'],
  [['connect_companies'], 'connectAccount', 'connectCompanies'],
  [['create_company_share', 'create_companyshare'], 'createManagedCompanyShare', 'createCompanyShare'],
  [['edit_company_share'], 'updateManagedCompanyShare', 'updateCompanyShare'],
  [['delete_company_share', 'delete_companyshare'], 'deleteManagedCompanyShare', 'deleteCompanyShare'],
];
