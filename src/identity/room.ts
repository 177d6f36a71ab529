import { AccessResolver } from './access/access.resolver.ts';
import { iamRoleMessages } from './access/iam-role.messages.ts';
import { IamRoleResolver, iamRoleExtension, iamRoleSearch, iamRoleSorts } from './access/iam-role.resolver.ts';
import { iamRoleNameKey } from './access/iam-role-commands.ts';
import { resourceScopeAccess } from './access/resource-scope.access.ts';
import { ResourceScope } from './access/resource-scope.entity.ts';
import { resourceScopeFilters } from './access/resource-scope.inputs.ts';
import { ResourceScopeQueries, ResourceScopeResolver } from './access/resource-scope.resolver.ts';
import { resourceScopeUserSiteKey } from './access/resource-scopes.ts';
import { TogglesResolver } from './access/toggles.resolver.ts';
import { AuditLogResolver } from './audit/audit-log.resolver.ts';
import { auditEntryExtension, auditEntryFilters } from './audit/audit-log.ts';
import { PrincipalResolver } from './audit/principal.resolver.ts';
import { M2MClient } from './machine-clients/machine-client.entity.ts';
import { machineClientMessages } from './machine-clients/machine-client.messages.ts';
import { MachineClientResolver, m2MClientExtension } from './machine-clients/machine-client.resolver.ts';
import { machineClientExternalKey } from './machine-clients/manage-machine-clients.ts';
import { Credential, credentialReserved } from './passwords/credential.entity.ts';
import { passwordRulesMessages } from './passwords/password-rules.messages.ts';
import { Invitation } from './people/invitation.entity.ts';
import { identityUserAccess } from './people/user.access.ts';
import { userFilters, userSearch, userSearchText, userSorts } from './people/user.lists.ts';
import { userMessages } from './people/user.messages.ts';
import { UserMutations, UserQueries, UserResolver } from './people/user.resolver.ts';
import { appUserEmailKey, appUserPhoneKey } from './people/user-fields.ts';
import { DeviceToken } from './sessions/device-token.entity.ts';
import { DeviceTokenResolver } from './sessions/device-token.resolver.ts';
import { IdpResolver, userIdpExtension } from './sessions/idp.resolver.ts';
import { Impersonation } from './sessions/impersonation.entity.ts';
import { ImpersonationResolver, impersonatedByExtension } from './sessions/impersonation.resolver.ts';
import { MobileResolver } from './sessions/mobile.resolver.ts';
import { DEVICES } from './sessions/register-device.ts';
import { SessionResolver } from './sessions/session.resolver.ts';
import { ENDED } from './sessions/sessions.ts';
import { UserSession } from './sessions/user-session.entity.ts';
import { UserSessionResolver, userSessionExtension } from './sessions/user-session.resolver.ts';
import { emailMessages } from './sign-in/emails.messages.ts';
import { firstSignInMessages, firstSignInMoreMessages } from './sign-in/first-sign-in.messages.ts';
import { managingMails } from './sign-in/first-sign-in.ts';
import { magicLinkMails } from './sign-in/magic-link.ts';
import { unprovenAddressMails } from './sign-in/note-person.ts';
import { SPENDING } from './sign-in/one-time-secrets.ts';
import { codeTexts } from './sign-in/otp-sms.ts';
import { passwordChangedMails, resetLinkMails } from './sign-in/reset-password.ts';
import { SignInResolver } from './sign-in/sign-in.resolver.ts';
import { oneTimeSecretReserved, SIGN_IN } from './sign-in/sign-in-purpose.ts';
import { signUpMails } from './sign-in/sign-up.ts';
import { SSO_SECRETS, ssoSecretReserved } from './sso/client-secrets.ts';
import { DOMAIN_HOLDERS } from './sso/domains/holders-purpose.ts';
import { recheckDomainsMessages } from './sso/domains/recheck-domains.messages.ts';
import { missingRecordMails, PROOFS } from './sso/domains/recheck-domains.ts';
import { whoVouchesMessages } from './sso/domains/who-vouches.messages.ts';
import { providerMails } from './sso/domains/who-vouches.ts';
import { ENDING } from './sso/end-attempts.ts';
import { SsoLoginResolver } from './sso/login/sso-login.resolver.ts';
import { ssoMessages } from './sso/sso.messages.ts';
import { SsoConnection, ssoDomainPkey } from './sso/sso-connection.entity.ts';
import { SsoConnectionResolver } from './sso/sso-connection.resolver.ts';
import { SERVED } from './sso/sso-only.ts';
import { SEALING, sealingKeyReserved } from './tokens/sealing.ts';
import { SIGNING, SigningKey, signingKeyReserved } from './tokens/signing-key.entity.ts';

/** The entities of the room. */
export const entities = [
  Credential,
  ResourceScope,
  Impersonation,
  M2MClient,
  Invitation,
  SigningKey,
  SsoConnection,
  UserSession,
  DeviceToken,
];

/** The accesses to the room's records: one for each entity. */
export const access = [resourceScopeAccess, identityUserAccess];

/** The filters, sorts and searches of the room's lists. */
export const lists = [
  iamRoleSorts,
  iamRoleSearch,
  resourceScopeFilters,
  auditEntryFilters,
  userFilters,
  userSorts,
  userSearch,
  userSearchText,
];

/** The fields that unique rules and checks of the database are about. */
export const constraints = [
  iamRoleNameKey,
  resourceScopeUserSiteKey,
  machineClientExternalKey,
  appUserEmailKey,
  appUserPhoneKey,
  ssoDomainPkey,
];

/** The fields that the room adds to entities of lower rooms. */
export const extensions = [
  iamRoleExtension,
  auditEntryExtension,
  m2MClientExtension,
  userIdpExtension,
  impersonatedByExtension,
  userSessionExtension,
];

/** The room's messages. */
export const messages = [
  iamRoleMessages,
  machineClientMessages,
  passwordRulesMessages,
  userMessages,
  emailMessages,
  firstSignInMessages,
  firstSignInMoreMessages,
  recheckDomainsMessages,
  whoVouchesMessages,
  ssoMessages,
];

/** The composers of the mails and texts of the room. */
export const composers = [
  unprovenAddressMails,
  ...managingMails,
  ...providerMails,
  signUpMails,
  codeTexts,
  magicLinkMails,
  resetLinkMails,
  passwordChangedMails,
  missingRecordMails,
];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [
  credentialReserved,
  DEVICES,
  ENDED,
  SPENDING,
  SIGN_IN,
  oneTimeSecretReserved,
  SSO_SECRETS,
  ssoSecretReserved,
  DOMAIN_HOLDERS,
  PROOFS,
  ENDING,
  SERVED,
  SEALING,
  sealingKeyReserved,
  SIGNING,
  signingKeyReserved,
];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  ...UserQueries,
  ...ResourceScopeQueries,
  MobileResolver,
  SessionResolver,
  AuditLogResolver,
  PrincipalResolver,
  UserSessionResolver,
  DeviceTokenResolver,
  SignInResolver,
  TogglesResolver,
  IdpResolver,
  SsoConnectionResolver,
  SsoLoginResolver,
  AccessResolver,
  IamRoleResolver,
  MachineClientResolver,
  UserResolver,
  ...UserMutations,
  ResourceScopeResolver,
  ImpersonationResolver,
];
