import { AccessResolver } from './access.resolver.ts';
import { AuditLogResolver } from './audit/audit-log.resolver.ts';
import { Credential } from './credential.entity.ts';
import { DeviceToken } from './device-token.entity.ts';
import { DeviceTokenResolver } from './device-token.resolver.ts';
import { IamRoleResolver } from './iam-role.resolver.ts';
import { IdpResolver } from './idp.resolver.ts';
import { Impersonation } from './impersonation.entity.ts';
import { ImpersonationResolver } from './impersonation.resolver.ts';
import { Invitation } from './invitation.entity.ts';
import { M2MClient } from './machine-client.entity.ts';
import { MachineClientResolver } from './machine-client.resolver.ts';
import { MobileResolver } from './mobile.resolver.ts';
import { ResourceScope } from './resource-scope.entity.ts';
import { ResourceScopeResolver } from './resource-scope.resolver.ts';
import { SessionResolver } from './session.resolver.ts';
import { SignInResolver } from './sign-in/sign-in.resolver.ts';
import { SigningKey } from './signing-key.entity.ts';
import { SsoConnection } from './sso/sso-connection.entity.ts';
import { SsoConnectionResolver } from './sso/sso-connection.resolver.ts';
import { SsoLoginResolver } from './sso/sso-login.resolver.ts';
import { TogglesResolver } from './toggles.resolver.ts';
import { UserMutations, UserResolver } from './user.resolver.ts';
import { UserSession } from './user-session.entity.ts';
import { UserSessionResolver } from './user-session.resolver.ts';
import './passed-fields.ts';

/** What the room keeps. */
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
