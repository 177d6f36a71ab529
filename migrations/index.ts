import { CommandRecords } from './2026-11-20-command-records.ts';
import { CompanyCounter } from './2026-11-20-company-counter.ts';
import { Directory } from './2026-11-20-directory.ts';
import { Dispatch } from './2026-11-20-dispatch.ts';
import { Idempotency } from './2026-11-20-idempotency.ts';
import { Identity } from './2026-11-20-identity.ts';
import { ImportLedger } from './2026-11-20-import-ledger.ts';
import { LoadProof } from './2026-11-20-load-proof.ts';
import { CompanyFamily } from './2026-11-21-company-family.ts';
import { DerivedCompanies } from './2026-11-21-derived-companies.ts';
import { FileAttachments } from './2026-11-21-file-attachments.ts';
import { GeocodedAddresses } from './2026-11-21-geocoded-addresses.ts';
import { IamRoles } from './2026-11-21-iam-roles.ts';
import { ImportReplay } from './2026-11-21-import-replay.ts';
import { JobTimes } from './2026-11-21-job-times.ts';
import { MachineClientLimits } from './2026-11-21-machine-client-limits.ts';
import { PeopleMore } from './2026-11-21-people-more.ts';
import { ProjectImport } from './2026-11-21-project-import.ts';
import { SsoAttempts } from './2026-11-21-sso-attempts.ts';
import { SsoConnections } from './2026-11-21-sso-connections.ts';
import { Tickets } from './2026-11-21-tickets.ts';
import { UserSessions } from './2026-11-21-user-sessions.ts';

/** In the order they run. A name that has run anywhere is never changed; a change is a new file. */
export const migrations = [
  { name: '2026-11-20-directory', class: Directory },
  { name: '2026-11-20-dispatch', class: Dispatch },
  { name: '2026-11-20-command-records', class: CommandRecords },
  { name: '2026-11-20-identity', class: Identity },
  { name: '2026-11-20-import-ledger', class: ImportLedger },
  { name: '2026-11-20-idempotency', class: Idempotency },
  { name: '2026-11-20-company-counter', class: CompanyCounter },
  { name: '2026-11-20-load-proof', class: LoadProof },
  { name: '2026-11-21-company-family', class: CompanyFamily },
  { name: '2026-11-21-file-attachments', class: FileAttachments },
  { name: '2026-11-21-derived-companies', class: DerivedCompanies },
  { name: '2026-11-21-import-replay', class: ImportReplay },
  { name: '2026-11-21-job-times', class: JobTimes },
  { name: '2026-11-21-tickets', class: Tickets },
  { name: '2026-11-21-people-more', class: PeopleMore },
  { name: '2026-11-21-project-import', class: ProjectImport },
  { name: '2026-11-21-geocoded-addresses', class: GeocodedAddresses },
  { name: '2026-11-21-sso-connections', class: SsoConnections },
  { name: '2026-11-21-iam-roles', class: IamRoles },
  { name: '2026-11-21-machine-client-limits', class: MachineClientLimits },
  { name: '2026-11-21-sso-attempts', class: SsoAttempts },
  { name: '2026-11-21-user-sessions', class: UserSessions },
];
