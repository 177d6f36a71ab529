import { AccessResolver } from './access/access.resolver.ts';
import { IamRoleResolver } from './access/iam-role.resolver.ts';
import { resourceScopeAccess } from './access/resource-scope.access.ts';
import { ResourceScope } from './access/resource-scope.entity.ts';
import { ResourceScopeResolver } from './access/resource-scope.resolver.ts';
import { TogglesResolver } from './access/toggles.resolver.ts';
import { AuditLogResolver } from './audit/audit-log.resolver.ts';
import { M2MClient } from './machine-clients/machine-client.entity.ts';
import { MachineClientResolver } from './machine-clients/machine-client.resolver.ts';
import { Credential } from './passwords/credential.entity.ts';
import { Invitation } from './people/invitation.entity.ts';
import { identityUserAccess } from './people/user.access.ts';
import { UserMutations, UserResolver } from './people/user.resolver.ts';
import { DeviceToken } from './sessions/device-token.entity.ts';
import { DeviceTokenResolver } from './sessions/device-token.resolver.ts';
import { IdpResolver } from './sessions/idp.resolver.ts';
import { Impersonation } from './sessions/impersonation.entity.ts';
import { ImpersonationResolver } from './sessions/impersonation.resolver.ts';
import { MobileResolver } from './sessions/mobile.resolver.ts';
import { SessionResolver } from './sessions/session.resolver.ts';
import { UserSession } from './sessions/user-session.entity.ts';
import { UserSessionResolver } from './sessions/user-session.resolver.ts';
import { SignInResolver } from './sign-in/sign-in.resolver.ts';
import { SsoLoginResolver } from './sso/login/sso-login.resolver.ts';
import { SsoConnection } from './sso/sso-connection.entity.ts';
import { SsoConnectionResolver } from './sso/sso-connection.resolver.ts';
import { SigningKey } from './tokens/signing-key.entity.ts';

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

/** Who sees the room's records: one access for each entity. */
export const access = [resourceScopeAccess, identityUserAccess];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  MobileResolver,
  SessionResolver,
  AuditLogResolver,
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
