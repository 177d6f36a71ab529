import { defineAccess } from '../../platform/read/access.ts';
import { IamRole } from './iam-role.entity.ts';

export const iamRoleAccess = defineAccess(IamRole, {
  tenant: (companies) => ({ $or: [{ company: null }, { company: companies }] }),
  rowPolicy: { readable: (t) => `${t}.company_id is null` },
});
