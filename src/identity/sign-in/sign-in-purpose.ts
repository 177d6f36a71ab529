import { definePurpose, reserveForPurposes, runAsPurpose } from '../../platform/database/scope.ts';

/**
 * What a request may read before its caller is known: whom a token, an address or a client id belongs to, but no work. Once the caller is
 * known, the request sees only the companies of that viewer.
 */
export const SIGN_IN = definePurpose('sign_in', {
  app_user: ['select', 'update (last_login_at, unclaimed, email_proven, phone_proven)'],
  company: ['select', 'update (first_sign_in_at)'],
  account: ['select', 'update (managed, managed_until, updated_at)'],
  credential: ['select', 'insert', 'update'],
  iam_role: ['select'],
  machine_client: ['select', 'update (last_used_at)'],
  audit_entry: ['insert'],
  outbox_event: ['select', 'insert'],
  transition: ['insert'],
  sso_connection: ['select'],
  sso_domain: ['select'],
  one_time_secret: ['select', 'insert', 'update'],
  rate_limit: ['select', 'insert', 'update', 'delete'],
  sso_attempt: ['select', 'insert', 'delete'],
  sso_ticket: ['select', 'insert', 'delete'],
  // Whether work was ever passed to a company: not what.
  job_assignment: ['select (vendor_company_id, customer_company_id)'],
  impersonation: ['select'],
  resource_scope: ['select'],
  user_session: ['select', 'insert', 'update'],
  device_token: ['select', 'delete'],
});

// What signs people in is reserved for purposes; what ends it has a separate purpose.
export const oneTimeSecretReserved = reserveForPurposes('one_time_secret', 'sso_attempt', 'sso_ticket', 'sso_domain');

/** Runs a sign-in without the scope of the request, also when somebody who is signed in makes it: they may become another person. */
export const signingIn = <T>(work: () => Promise<T>): Promise<T> => runAsPurpose(SIGN_IN, work);
