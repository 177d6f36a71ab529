import { accountMessages } from './accounts/account.messages.ts';
import { AccountMutations, AccountQueries, AccountResolver } from './accounts/account.resolver.ts';
import { AccountConnectionsResolver } from './accounts/account-connections.resolver.ts';
import { TAKEN } from './accounts/taken-purpose.ts';
import { companyFamilyMessages } from './companies/company-family.messages.ts';
import { CompanyFamilyResolver } from './companies/company-family.resolver.ts';
import { logoMessages } from './logo/logo.messages.ts';
import { LogoResolver } from './logo/logo.resolver.ts';
import { LOGOS } from './logo/logo-endpoints.ts';
import { ManagedCompanyResolver } from './managed/managed-company.resolver.ts';
import { ManagedEquipmentResolver } from './managed/managed-equipment.resolver.ts';
import { ManagedPeopleResolver } from './managed/managed-people.resolver.ts';
import { ManagedScopeResolver } from './managed/managed-scope.resolver.ts';
import { CompanyShareQueries, CompanyShareResolver } from './shares/company-share.resolver.ts';
import { companySharesMessages } from './shares/company-shares.messages.ts';

/** The room's messages. */
export const messages = [accountMessages, companyFamilyMessages, logoMessages, companySharesMessages];

/** The room's tasks across companies, and the tables that only they use. */
export const purposes = [TAKEN, LOGOS];

/** The fields of the room's interface. */
export const resolvers: Function[] = [
  ...CompanyShareQueries,
  ...AccountQueries,
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
