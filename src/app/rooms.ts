import * as archives from '../archives/room.ts';
import * as billing from '../billing/room.ts';
import * as directory from '../directory/room.ts';
import * as dispatch from '../dispatch/room.ts';
import * as events from '../events/room.ts';
import * as files from '../files/room.ts';
import { auditSheet } from '../identity/audit/audit-sheet.ts';
import * as identity from '../identity/room.ts';
import { importFollowUp } from '../ingest/api/follow-up.ts';
import { troubleSheet } from '../ingest/csv/trouble-sheet.ts';
import * as ingest from '../ingest/room.ts';
import * as merging from '../merging/room.ts';
import * as partners from '../partners/room.ts';
import type { EntityFields } from '../platform/model/related-fields.ts';
import { type Registration, registerAll } from '../platform/registration.ts';
import * as proof from '../proof/room.ts';
import { metricSheet } from '../reporting/metrics/metric-sheet.ts';
import * as reporting from '../reporting/room.ts';
import * as sandbox from '../sandbox/room.ts';
import * as telematics from '../telematics/room.ts';
import { objectColumns } from './objects.ts';
import * as platform from './platform.ts';

/** The lists that a room may have in addition to its entities and resolvers. */
interface Room {
  access?: readonly Registration[];
  lists?: readonly Registration[];
  constraints?: readonly Registration[];
  /** Those of `relatedFields` bring a resolver along. */
  extensions?: readonly (Registration | EntityFields)[];
  messages?: readonly Registration[];
  purposes?: readonly Registration[];
  consequences?: readonly Registration[];
  composers?: readonly Registration[];
  bulkKinds?: readonly Registration[];
  inputParts?: readonly Registration[];
  attachables?: readonly Registration[];
  readAlongs?: readonly Registration[];
}
// Of what follows at the end of a transaction, events are last.
const rooms: readonly Room[] = [
  platform,
  directory,
  identity,
  partners,
  files,
  dispatch,
  proof,
  billing,
  telematics,
  ingest,
  reporting,
  merging,
  archives,
  sandbox,
  events,
];

/** The declarations of the rooms. Only those that are listed take effect. */
export const registrations: readonly Registration[] = rooms
  .flatMap((room) =>
    [
      room.access,
      room.lists,
      room.constraints,
      room.extensions,
      room.messages,
      room.purposes,
      room.consequences,
      room.composers,
      room.bulkKinds,
      room.inputParts,
      room.attachables,
      room.readAlongs,
    ].flatMap((listed) => listed ?? []),
  )
  .concat(objectColumns);

/** Puts into effect what the rooms declare. Whoever opens a database or makes the schema calls it before; again, it changes nothing. */
export const registerRooms = (): void => registerAll(registrations);

/** Every entity of every room. MikroORM does not search folders, so that the build and the tests see the same list. */
export const entities = [
  ...files.entities,
  ...directory.entities,
  ...identity.entities,
  ...dispatch.entities,
  ...proof.entities,
  ...billing.entities,
  ...telematics.entities,
  ...ingest.entities,
  ...reporting.entities,
  ...merging.entities,
  ...sandbox.entities,
  ...events.entities,
  ...platform.entities,
];

/** Every type-graphql resolver class of every room. */
export const resolvers: Function[] = [
  ...files.resolvers,
  ...directory.resolvers,
  ...identity.resolvers,
  ...partners.resolvers,
  ...dispatch.resolvers,
  ...proof.resolvers,
  ...billing.resolvers,
  ...telematics.resolvers,
  ...ingest.resolvers,
  ...reporting.resolvers,
  ...merging.resolvers,
  ...sandbox.resolvers,
  ...events.resolvers,
  ...rooms.flatMap(({ extensions = [] }) => extensions.flatMap((one) => ('resolver' in one ? [one.resolver] : []))),
];

export { importers } from '../ingest/importers.ts';
export { published } from '../reporting/views/published-views.ts';

/** Lists whose CSV has other lines than their records. */
export const sheets = {
  ListAuditEntries: auditSheet,
  ListImportedRecords: troubleSheet,
  ListMetrics: metricSheet,
};

/** The further requests that clients may make beyond the answers of these REST operations. */
export const followUps = {
  PostOrders: importFollowUp,
  PostProjects: importFollowUp,
  PostTickets: importFollowUp,
  PostOrdersCsv: importFollowUp,
  PostProjectsCsv: importFollowUp,
  PostTicketsCsv: importFollowUp,
  ResubmitImportedRecord: importFollowUp,
};
