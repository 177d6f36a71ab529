// The purposes that act across companies. Their roles are created with the migrations.
import '../files/sweep-files.ts';
import '../files/previews/preview-queue.ts';
import '../proof/downloads/download-queue.ts';
import '../partners/logo/logo-endpoints.ts';
import '../directory/companies/find-company.ts';
import '../identity/sign-in/sign-in-purpose.ts';
import '../identity/tokens/sealing.ts';
import '../identity/tokens/signing-key.entity.ts';
import '../identity/sign-in/one-time-secrets.ts';
import '../identity/sso/client-secrets.ts';
import '../identity/sso/domains/holders-purpose.ts';
import '../identity/sso/domains/recheck-domains.ts';
import '../identity/sso/end-attempts.ts';
import '../identity/sso/sso-only.ts';
import '../dispatch/bulk/bulk-purpose.ts';
import '../ingest/ledger/ledger-purpose.ts';
import '../directory/shares/shares-purpose.ts';
import '../directory/compliance/reminders-purpose.ts';
import '../identity/sessions/sessions.ts';
import '../identity/sessions/register-device.ts';
import '../platform/http/rest/idempotency.ts';
import '../platform/outgoing/outgoing.ts';
import * as directory from '../directory/room.ts';
import * as dispatch from '../dispatch/room.ts';
import * as files from '../files/room.ts';
import { auditExport } from '../identity/audit/export-audit.ts';
import * as identity from '../identity/room.ts';
import { importFollowUp } from '../ingest/api/follow-up.ts';
import * as ingest from '../ingest/room.ts';
import * as partners from '../partners/room.ts';
import { AuditEntry } from '../platform/commands/audit.entity.ts';
import { OutboxEvent } from '../platform/commands/outbox.entity.ts';
import { Transition } from '../platform/commands/transition.entity.ts';
import { type Registration, registerAll } from '../platform/registration.ts';
import * as proof from '../proof/room.ts';
import * as telematics from '../telematics/room.ts';

/** What the rooms declare. It takes effect here, and only what is listed takes effect. */
export const registrations: readonly Registration[] = [
  ...directory.access,
  ...identity.access,
  ...dispatch.access,
  ...proof.access,
  ...telematics.access,
  ...ingest.access,
];
registerAll(registrations);

/** Every entity of every room. MikroORM does not search folders, so that the build and the tests see the same list. */
export const entities = [
  ...files.entities,
  ...directory.entities,
  ...identity.entities,
  ...dispatch.entities,
  ...proof.entities,
  ...telematics.entities,
  ...ingest.entities,
  AuditEntry,
  OutboxEvent,
  Transition,
];

/** Every type-graphql resolver class of every room. */
export const resolvers: Function[] = [
  ...files.resolvers,
  ...directory.resolvers,
  ...identity.resolvers,
  ...partners.resolvers,
  ...dispatch.resolvers,
  ...proof.resolvers,
  ...telematics.resolvers,
  ...ingest.resolvers,
];

export { importers } from '../ingest/importers.ts';

/** What clients may request in addition to the answers of these REST operations. */
export const followUps = {
  ListAuditEntries: auditExport,
  PostOrders: importFollowUp,
  PostProjects: importFollowUp,
  PostTickets: importFollowUp,
  PostOrdersCsv: importFollowUp,
  PostProjectsCsv: importFollowUp,
  PostTicketsCsv: importFollowUp,
  ResubmitImportedRecord: importFollowUp,
};
