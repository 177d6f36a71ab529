import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';

/**
 * The rows that a request may read before its caller is known: the owner of a token, an address or a client id, but no work. Once the caller is
 * known, the request sees only the companies of that viewer.
 */
export const SIGN_IN = definePurpose('sign_in', {
  // The columns that identify and reach a person: neither their pay nor where they live.
  app_user: [
    'select (id, company_id, first_name, last_name, email, phone, match_email, email_proven, phone_proven, unclaimed, roles, custom_role_ids, last_login_at, created_at, discarded_at)',
    'update (last_login_at, unclaimed, email_proven, phone_proven)',
  ],
  company: [
    'select (id, parent_company_id, legal_name, auth_methods, permission_toggles, first_sign_in_at, discarded_at)',
    'update (first_sign_in_at)',
  ],
  // The columns that say who works for whom, which decides what a token may see; names and notes of companies about each other do not.
  account: ['select (id, company_id, connected_company_id, account_types, managed)', 'update (managed, managed_until, updated_at)'],
  credential: ['select (id, user_id, password_hash)', 'insert', 'update (password_hash, updated_at)'],
  iam_role: ['select (id, company_id, grants)'],
  machine_client: ['select', 'update (last_used_at)'],
  audit_entry: ['insert'],
  outbox_event: ['insert'],
  transition: ['insert'],
  sso_connection: ['select'],
  sso_domain: ['select (domain, connection_id)'],
  one_time_secret: [
    'select (id, user_id, purpose, secret_hash, sent_to, attempts_left, used_at, expires_at)',
    'insert',
    'update (used_at, attempts_left, user_id, secret_hash, sent_to)',
  ],
  rate_limit: ['select', 'insert', 'update', 'delete'],
  sso_attempt: ['select', 'insert', 'delete'],
  sso_ticket: ['select', 'insert', 'delete'],
  // Whether work was ever passed to a company: not what.
  job_assignment: ['select (vendor_company_id, customer_company_id)'],
  impersonation: ['select (id, user_id, actor_type, actor_id, actor_name, ended_at, expires_at)'],
  resource_scope: ['select (user_id, site_id)'],
  merged_record: ['select (company_id)'],
  user_session: [
    'select (id, company_id, user_id, family_hash, refresh_hash, previous_hash, refreshed_at, expires_at, ends_at, revoked_at)',
    'insert',
    'update (refresh_hash, previous_hash, refreshed_at, expires_at, revoked_at, revoked_for, updated_at)',
  ],
  device_token: ['select (id, company_id, user_id, session_id)', 'delete'],
});

// Secrets that sign people in are reserved for purposes; ending them has a separate purpose.
export const oneTimeSecretReserved = reserveForPurposes('one_time_secret', 'sso_attempt', 'sso_ticket', 'sso_domain');

/** Runs a sign-in without the scope of the request, also when somebody who is signed in makes it: they may become another person. */
export const signingIn = <T>(work: () => Promise<T>): Promise<T> => runAsPurpose(SIGN_IN, work);
