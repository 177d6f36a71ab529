import { definePurpose } from '../../../platform/database/scope.ts';

/** Asking whose connection a domain leads to, before somebody who has proven it takes it over, and noting when it was looked at. */
export const DOMAIN_HOLDERS = definePurpose('domain_holders', {
  sso_domain: ['select', 'update (checked_at, missing_since)'],
  sso_connection: ['select (id, company_id)'],
});
