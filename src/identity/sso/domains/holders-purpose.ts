import { definePurpose } from '../../../platform/database/scope.ts';

/** Finds whose connection a domain leads to, before somebody who has proven it takes it over, and notes when it was checked. */
export const DOMAIN_HOLDERS = definePurpose('domain_holders', {
  sso_domain: ['select (domain, connection_id)', 'update (checked_at, missing_since)'],
  sso_connection: ['select (id, company_id)'],
});
