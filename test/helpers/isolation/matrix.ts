import type { GraphQLField, GraphQLSchema } from 'graphql';
import { ROLES } from '../../../src/identity/access/permissions.ts';
import type { RestOperation } from '../../../src/platform/http/rest/operation.ts';
import { reachOf } from '../roles.ts';
import type { Tenant } from '../tenant.ts';
import { type Expectation, expectationOf, graphqlCall, type Ids, restCalls } from '../walk.ts';
import { LOOKUPS, nodeCells } from './matrix-nodes.ts';
import { LISTS_OF_WORK, OF_WORK } from './of-work.ts';

/** The callers: somebody of every built-in role in one company, and a request without a token. */
export const CALLERS = ['nobody', ...ROLES] as const;
export type Caller = (typeof CALLERS)[number];

/** The relation of the company whose records are requested to that of the callers. */
export const RELATIONS = ['own', 'child', 'parent', 'sibling', 'foreign', 'shared', 'expired share', 'vendor link'] as const;
export type Relation = (typeof RELATIONS)[number];

/**
 * The acts of a company on work that another one passed on to it: see it, haul it with the usual permission, or be refused because it is
 * up to the owner. Everything else is not found.
 */
const PASSED_ON: ReadonlyMap<string, 'seen' | 'hauled' | 'of the owner'> = new Map([
  ...as('seen', 'order', 'job', 'load', 'jobSummary', 'loadCycles', 'jobEvents', 'jobs', 'loads', 'orderPhases', 'orderSites'),
  ...as('seen', 'orderMaterials', 'jobEta', 'jobDeviceStatus', 'jobLocationHistories', 'jobTravelledDistances', 'loadTravelledDistances'),
  ...as('seen', 'orderTravelledDistances', 'tickets', 'ticketRollup', 'orderDefaultSites', 'jobApprovals', 'jobSignatures'),
  ...as('seen', 'jobAddOnCharges', 'jobAutoAddOns', 'jobAutoAddOnAssignments', 'orderAutoAddOnAssignments'),
  ...as('seen', 'jobAssignmentAutoAddOnAssignments'),
  ...as('hauled', 'createJobAddOnCharge', 'changeJobAddOnCharges', 'createJobAutoAddOnAssignment'),
  ...as('of the owner', 'createOrderAutoAddOnAssignment', 'createJobAssignmentAutoAddOnAssignment'),
  ...as('seen', 'loadSignatures', 'jobResourceUsageLogs', 'loadResourceUsageLogs', 'jobFileAttachments', 'loadFileAttachments'),
  ...as('seen', 'loadApprovals', 'jobApprovalStatus', 'jobAssignment', 'jobAssignments'),
  ...as(
    'hauled',
    'acceptJob',
    'rejectJob',
    'enrouteJob',
    'arriveJob',
    'loadJobMaterial',
    'unloadJobMaterial',
    'completeJobLoad',
    'completeJob',
  ),
  ...as('hauled', 'pauseJob', 'resumeJob', 'sendJob', 'updateJob', 'assignVendorToJob', 'unassignJob', 'updateJobSummary', 'updateLoad'),
  // A vendor hands over what it was given.
  ...as('hauled', 'handOverJob'),
  // Each company along a chain approves for itself.
  ...as('hauled', 'approveJob', 'unapproveJob', 'approveLoad', 'unapproveLoad'),
  // Whoever drives a job decides about what its positions say.
  ...as('hauled', 'confirmTrigger', 'dismissTrigger', 'undoAutomaticEvent'),
  ...as('hauled', 'updateLoadSummary', 'completeLoad', 'createJobAssignment', 'textJobDriver', 'validateJob', 'validateVendorOfJob'),
  ...as('hauled', 'signJobAsDriver', 'signJobAtDropoff', 'signLoadAsDriver', 'signLoadAtDropoff', 'removeJobSignature'),
  ...as('hauled', 'removeLoadSignature', 'createJobFileAttachment', 'createLoadFileAttachment'),
  ...as(
    'of the owner',
    'createOrderFileAttachment',
    'addOrderDefaultSite',
    'removeOrderDefaultSite',
    'validateOrder',
    'setJobEquipment',
    'setJobAdditionalEquipment',
  ),
  ...as('of the owner', 'acceptOrder', 'rejectOrder', 'requestOrder', 'holdOrder', 'weatherHoldOrder', 'startOrder', 'completeOrder'),
  ...as(
    'of the owner',
    'cancelOrder',
    'updateOrder',
    'copyOrder',
    'addJob',
    'copyJob',
    'cancelJob',
    'deleteJob',
    'flagJob',
    'removeJobFlag',
  ),
  ...as(
    'of the owner',
    'reviewJob',
    'signOffJob',
    'removeJobSignoff',
    'payJob',
    'textOrderDrivers',
    'setJobPhase',
    'createLoad',
    'deleteLoad',
    'updateJobAssignment',
    'changeJobResourceUsageLogs',
    'waiveMissingTickets',
    'askForMissingTickets',
  ),
]);

/** The fields that a company sees of people, trucks and sites that another one shares with it. */
const SHARED: ReadonlySet<string> = new Set([
  'driver',
  'foreman',
  'equipment',
  'site',
  'siteGeofence',
  'siteGeofences',
  'siteContacts',
  'recordShares',
]);

function as<T extends string>(what: T, ...names: string[]): [string, T][] {
  return names.map((name) => [name, what]);
}

type RootField = { kind: 'query' | 'mutation'; field: GraphQLField<unknown, unknown> };

const rootFields = (schema: GraphQLSchema): RootField[] => [
  ...Object.values(schema.getQueryType()!.getFields()).map((field) => ({ kind: 'query' as const, field })),
  ...Object.values(schema.getMutationType()!.getFields()).map((field) => ({ kind: 'mutation' as const, field })),
];

/** The records that are requested, and the tenant whose ids are in bodies. */
export interface Target {
  ids: Ids;
  tenant: Tenant;
  /** The company that got access, and by which relation: it uses its own path. */
  through?: { companyId: string; by: 'shared' | 'vendor link' } | undefined;
}

const opened = (root: string, by: Relation) => (by === 'shared' ? SHARED.has(root) : by === 'vendor link' && PASSED_ON.has(root));
const idsFor = (root: string, { ids, through }: Target): Ids =>
  through && opened(root, through.by) ? { ...ids, company: through.companyId } : ids;

/** One request of the matrix. */
export interface Call {
  name: string;
  root: string;
  expected: Expectation;
  /** Whether it changes something. */
  writes: boolean;
  /** Whether its path or arguments name a record or company. */
  named: boolean;
  method: string;
  path: string;
  body: unknown;
  /** The status of what the caller may not do. */
  denied: number;
  /** Whether what the caller may not read is answered like what does not exist. */
  hides?: true;
}

/** Every path of every REST operation. */
export const restCells = (operations: readonly RestOperation[]) =>
  operations.flatMap((one) =>
    (one.scopedPath === undefined ? [0] : [0, 1]).map((index) => (target: Target) => restCell(one, index, target)),
  );

/** Every root field of GraphQL; `node` and `nodes` for each type that they find. */
export const graphqlCells = (schema: GraphQLSchema): ((target: Target) => Call)[] => [
  ...rootFields(schema)
    .filter(({ field }) => !LOOKUPS.has(field.name))
    .map((one) => (target: Target) => graphqlCell(one, target)),
  ...nodeCells(),
];

function restCell(operation: RestOperation, index: number, target: Target): Call {
  const expected = expectationOf(operation.rootField);
  const call = restCalls(operation, expected, idsFor(operation.rootField, target), target.tenant)[index]!;
  const path = index ? operation.scopedPath : operation.path;
  return {
    ...call,
    name: `${operation.method} ${path}`,
    root: operation.rootField,
    expected,
    writes: operation.kind === 'mutation',
    denied: operation.denied,
  };
}

function graphqlCell({ kind, field }: RootField, target: Target): Call {
  const expected = expectationOf(field.name);
  const { query, variables, named } = graphqlCall(kind, field, expected, idsFor(field.name, target), target.tenant);
  const body = { query, variables };
  return {
    name: `${kind} ${field.name}`,
    root: field.name,
    expected,
    writes: kind === 'mutation',
    named,
    method: 'POST',
    path: '/graphql',
    body,
    denied: 403,
  };
}

export type Verdict = 'open' | 'about oneself' | 'done' | 'only own' | 'refused' | 'nothing there' | 'no token' | 'no credentials';

type Asked = Pick<Call, 'expected' | 'root' | 'named' | 'hides' | 'path'>;

/** Returns the expected verdict of a cell; `nothing there` must be the exact answer for an unknown record. */
export function verdictOf(call: Asked, caller: Caller, relation: Relation): Verdict {
  const verdict = amongOwn(call, caller, relation);
  return call.hides && verdict === 'refused' ? 'nothing there' : verdict;
}

/** The same, with what people with own records only are answered. */
function amongOwn(call: Asked, caller: Caller, relation: Relation): Verdict {
  const verdict = amongAll(call, caller, relation);
  if (!['foreman', 'driver'].includes(caller) || !['done', 'refused'].includes(verdict)) return verdict;
  // A driver reads the rate cards of their own pay, and learns nothing about others.
  if (caller === 'driver' && ['rate', 'autoAddOnAssignment'].includes(call.root) && verdict === 'refused') return 'nothing there';
  // Days of others are nobody's business for a driver.
  if (caller === 'driver' && ['approveDriverDay', 'unapproveDriverDay'].includes(call.root) && verdict === 'refused')
    return 'nothing there';
  // It is accepted, and each day or job is decided by itself.
  if (call.root === 'bulkApproveDriverDays' && verdict === 'refused') return 'done';
  if (caller === 'driver' && call.root === 'bulkAcceptJobs' && verdict === 'refused') return 'done';
  // Foremen are paid by no invoice and no settlement.
  if (caller === 'foreman' && /^(invoice|(blocked|approvable)Invoices$|settlement|job(Receivable|Payable)$)/.test(call.root))
    return verdict;
  // A list of work in general, which GraphQL is asked of one job: the paths of REST name none.
  const ofWork = OF_WORK.has(call.root) && (call.path === '/graphql' || !LISTS_OF_WORK.has(call.root));
  return ofWork ? 'nothing there' : LISTS_OF_WORK.has(call.root) ? 'only own' : verdict;
}

/** The same for a caller who reads everything of their companies. */
function amongAll({ expected, root, named }: Asked, caller: Caller, relation: Relation): Verdict {
  if (expected.who === 'everybody') return 'open';
  if (expected.who === 'public') return 'no credentials';
  if (caller === 'nobody') return 'no token';
  if (expected.who === 'person') return expected.driversOnly === 403 && caller !== 'driver' ? 'refused' : 'about oneself';
  if (expected.who === 'session') return 'done';
  const reach = reachOf(expected, caller);
  const granted = reach === 'all';
  const inside = relation === 'own' || relation === 'child' || caller === 'platform_admin';
  // Senders list what they sent.
  if (inside && reach === 'sent' && expected.of === undefined) return 'only own';
  if (inside || !named || expected.acrossFamilies) return granted ? 'done' : 'refused';
  if (relation === 'shared' && SHARED.has(root)) return 'done';
  const passed = relation === 'vendor link' ? PASSED_ON.get(root) : undefined;
  if (passed === undefined) return 'nothing there';
  return passed === 'seen' || (passed === 'hauled' && granted) ? 'done' : 'refused';
}
