/** The meanings of values of enums that say who did something, and what it was. */
export const VALUES_OF_LOG = `
AuditEvent.create: A record was created.
AuditEvent.update: Fields of a record changed.
AuditEvent.destroy: A record was deleted.
AuditEvent.impersonation_started: An administrator began to act as a person.
AuditEvent.impersonation_ended: An administrator ceased to act as a person.
AuditEvent.sign_in: Somebody signed in.
AuditEvent.sign_in_failed: Somebody could not sign in.
AuditEvent.sign_out: Somebody signed out.
AuditEvent.session_revoked: A session was ended by somebody else.
AuditEvent.password_reset: A password was set anew.
AuditEvent.read: An administrator read a record as a person, or somebody read where another person was.
AuditEvent.request: An administrator sent a request as a person.
AuditEvent.query: An administrator sent a query of GraphQL as a person.
ComplianceIssueType.missing: There is none.
ComplianceIssueType.expired: It has expired.
ComplianceIssueType.expiring: It will expire soon.
PrincipalType.User: A person.
PrincipalType.Impersonation: An administrator who acts as a person.
PrincipalType.M2MClient: A machine client.
PrincipalType.System: The system itself.
`;
