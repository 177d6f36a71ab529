import { definePurpose } from '../../platform/database/scope.ts';

/**
 * Following shares that hang on each other through companies that are strangers: who shares with whom, not what, and
 * what lets them: a family, a connection.
 */
export const SHARES = definePurpose('shares', {
  company_share: ['select', 'update (valid_until)'],
  company: ['select (id, parent_company_id)'],
  account: ['select (company_id, connected_company_id, discarded_at)'],
});
