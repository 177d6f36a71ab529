import { AccountMutations, AccountResolver } from './accounts/account.resolver.ts';
import { AccountConnectionsResolver } from './accounts/account-connections.resolver.ts';
import { CompanyFamilyResolver } from './companies/company-family.resolver.ts';
import { LogoResolver } from './logo/logo.resolver.ts';
import { ManagedCompanyResolver } from './managed/managed-company.resolver.ts';
import { ManagedEquipmentResolver } from './managed/managed-equipment.resolver.ts';
import { ManagedPeopleResolver } from './managed/managed-people.resolver.ts';
import { ManagedScopeResolver } from './managed/managed-scope.resolver.ts';
import { CompanyShareResolver } from './shares/company-share.resolver.ts';

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  AccountMutations,
  AccountResolver,
  AccountConnectionsResolver,
  CompanyFamilyResolver,
  CompanyShareResolver,
  ManagedCompanyResolver,
  ManagedEquipmentResolver,
  ManagedPeopleResolver,
  ManagedScopeResolver,
  LogoResolver,
];
