import { stringEnum } from '../model/columns.ts';

/** Changes of records. */
const CHANGES = ['create', 'update', 'destroy'] as const;
/** Signing in and out. */
const SIGN_INS = [
  'impersonation_started',
  'impersonation_ended',
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'session_revoked',
  'password_reset',
] as const;
/** Reads and requests by somebody who acts as another person. */
const WATCHED = ['read', 'request', 'query'] as const;

/** The event that an entry of the audit log reports. Timelines and previews of imports have changes of records only. */
export const AuditEvent = stringEnum('AuditEvent', [...CHANGES, ...SIGN_INS, ...WATCHED]);
export type AuditEvent = keyof typeof AuditEvent;
export type SignInEvent = (typeof SIGN_INS)[number];
