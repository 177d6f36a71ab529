import { type FieldPermissions, self } from '../platform/authz/field-permissions.ts';

/** The permissions of the root fields of this room. */
export const fieldPermissions: FieldPermissions = [
  [
    ['edit_company'],
    'ssoConnections',
    'createSsoConnection',
    'ssoConnection',
    'updateSsoConnection',
    'verifySsoDomains',
    'deleteSsoConnection',
    'updatePermissionToggles',
  ],
  [['create_resource_scope'], 'createResourceScope'],
  [['delete_resource_scope'], 'deleteResourceScope'],
  [['create_user'], 'createUser', 'inviteUser'],
  [['edit_user', self('id')], 'updateUser'],
  [['edit_user', self('userId')], 'userSessions', 'userSession', 'endUserSessions', 'endUserSession'],
  [['delete_user'], 'deactivateUser', 'reactivateUser'],
  [['impersonate'], 'impersonate'],
  [['manage_iam_roles'], 'createIamRole', 'updateIamRole', 'deleteIamRole'],
  [
    ['manage_machine_clients'],
    'm2mClients',
    'createM2MClient',
    'm2mClient',
    'updateM2MClient',
    'rotateM2MClient',
    'endM2MClientRotation',
    'revokeM2MClient',
  ],
  [['view_audit_log'], 'auditEntries'],
];
