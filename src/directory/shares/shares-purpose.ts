import { definePurpose } from '../../platform/database/scope.ts';

/**
 * Follows shares that depend on each other through companies that are strangers: it reads who shares with whom, but not what, and what
 * allows them to: a family or a connection.
 */
export const SHARES = definePurpose('shares', {
  company_share: ['select', 'update (valid_until)'],
  company: ['select (id, parent_company_id)'],
  account: ['select (company_id, connected_company_id, discarded_at)'],
});
