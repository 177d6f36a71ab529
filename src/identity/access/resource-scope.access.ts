import { defineAccess } from '../../platform/read/access.ts';
import { ResourceScope } from './resource-scope.entity.ts';

export const resourceScopeAccess = defineAccess(ResourceScope, {
  // A viewer who is limited does not read at which other sites somebody works.
  sites: (t, p) => `${t}.site_id = any(${p})`,
});
