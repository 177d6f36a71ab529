import { definePurpose } from '../platform/database/scope.ts';

/** Following shares that hang on each other through companies that are strangers: who shares with whom, not what, and who is of one family. */
export const SHARES = definePurpose('shares', {
  company_share: ['select', 'update (valid_until)'],
  company: ['select (id, parent_company_id)'],
});
