import { ref } from '@mikro-orm/core';
import { Material, ServiceClass } from '../../directory/master-data/named.entities.ts';
import { RateOwnerType as Owners, Rate, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { onlySeen } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { type ReferenceSpec, resolveReference, resolveReferences } from '../../platform/authz/references.ts';
import { beforeCommit, emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Conflict, type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayHaulJob, mayWithJob } from '../access/job.policy.ts';
import { assignDriverWithin, unassignWithin } from '../assignment/assign-job.ts';
import { noteOverride } from '../assignment/compliance-gate.ts';
import { collectFullDay } from '../assignment/full-day.ts';
import { linksOf } from '../assignment/take-back.ts';
import { minutesToSupplement, refuseBilled } from '../checks/refuse-held.ts';
import { refuseReviewed } from '../checks/reviewed-weeks.ts';
import { makeSupplements } from '../checks/supplements.ts';
import { changesUnits, collectUnitMismatches, unitsOfJob } from '../checks/unit-mismatches.ts';
import { applyBillableHours } from '../fields/billable-hours.ts';
import { collectUnusable, type Parties, peopleOf, validateRateOwner } from '../fields/field-table.ts';
import { syncContacts } from '../fields/order-parts.ts';
import { applyMaterialRate, setPhase } from '../loads/part-terms.ts';
import { Job } from '../model/job.entity.ts';
import { Phase } from '../model/phase.entity.ts';
import type { JobState } from '../model/states.ts';
import { followJob } from '../orders/follow-orders.ts';
import { noteRates } from '../pricing/rate-source.ts';
import { changeSites } from './change-sites.ts';
import type { UpdateJobInput } from './job.inputs.ts';
import { noteJobEvent } from './job-effects.ts';
import { watchHistory } from './job-history.ts';
import { applyTrucks, collectTruckDocuments } from './job-trucks.ts';
import { withBillsOfJob, withJob } from './lock-job.ts';

const PLAIN = [
  'notes',
  'quantity',
  'unitOfMeasure',
  'loadUnitOfMeasure',
  'haulerRateType',
  'driverRateValue',
  'driverRateType',
  'customerRateValue',
  'customerRateType',
  'vendorRateValue',
  'vendorRateType',
  'requestedLoadsCount',
  'requestedEquipmentTypeName',
  'requestedEquipmentTypeAccountingId',
  'equipmentTypeGrossCapacity',
  'equipmentTypeGrossCapacityUnitOfMeasure',
  'jobTime',
] as const;

/** What a client sends that means the billable hours. */
const HOURS = new Set(['billableHours', 'version']);

const RELATIONS = {
  materialId: [Material, 'material'],
  customerRateId: [Rate, 'customerRate'],
  vendorRateId: [Rate, 'vendorRate'],
  driverRateId: [Rate, 'driverRate'],
  serviceClassId: [ServiceClass, 'serviceClass'],
} as const;

const LISTS = { foremanIds: User, collaboratorIds: User, salespersonIds: User } as const;

const RATES = {
  customer: ['customerRateId', 'customerRateValue', 'customerRateType'],
  vendor: ['vendorRateId', 'vendorRateValue', 'vendorRateType'],
  driver: ['driverRateId', 'driverRateValue', 'driverRateType'],
} as const satisfies Record<RateOwnerType, readonly (keyof UpdateJobInput)[]>;

/** Fields on which a rate depends, apart from the assignees. */
const PRICED = [...Object.values(RATES).flat(), 'materialId', 'equipmentId', 'serviceClassId', 'waypoints'] as const;

/**
 * The sides whose rate was set by hand. Such a rate counts even when the work is done; one that is sent back as it was read does not, because the rate card may
 * say something else since then.
 */
const setByHand = (changed: readonly string[]): RateOwnerType[] =>
  Object.values(Owners).filter((side) => [`${side}Rate`, `${side}RateValue`, `${side}RateType`].some((name) => changed.includes(name)));

/** The properties of the hours of a job that somebody set. */
const SET_HOURS: readonly string[] = ['overridingHours', 'billableHoursOverridden'];

/** States in which a job can no longer be changed, apart from billable hours of one that is paid, whose difference is billed. */
const CLOSED: readonly JobState[] = ['paid', 'canceled'];

/** The fields of a job that a vendor may change after the job was passed on to it; all others are the owner's. */
const HAULERS = new Set(['driverId', 'complianceOverride', 'version']);

/** The fields of which no invoice says anything: what is written of a job, and who has to do with it (D-PROOF-70). */
const UNBILLED = new Set([
  ...['notes', 'foremanIds', 'collaboratorIds', 'salespersonIds', 'version'],
  ...['salesContact', 'foremanContact', 'supervisorContact', 'collaboratorContact'],
]);

/**
 * Changes a job (PATCH): absent fields are kept. `driver_id` assigns, null unassigns; that requires `assign_job` in addition to `edit_job`. Billable hours by
 * which it was billed, and which cannot be taken back any more, get a supplement if the office wants one (BILLING B5).
 * @throws Missing, Denied, Invalid; Conflict for a job that is paid or canceled, for what an approved invoice rests on, naming the invoice, and for
 * another version than the client has read
 */
export const updateJob = async (ctx: Context, path: RecordPath, input: UpdateJobInput): Promise<Job> =>
  input.supplement
    ? withBillsOfJob(ctx, path, 'edit_job', (tx) => applyUpdate(tx, path, onlySeen(viewerOf(tx), input)))
    : applyUpdate(ctx, path, onlySeen(viewerOf(ctx), input));

const applyUpdate = (ctx: Context, path: RecordPath, { supplement, ...input }: UpdateJobInput): Promise<Job> =>
  withJob(
    ctx,
    path,
    (tx, job) => {
      mayHaulJob(tx, job, 'edit_job');
      if (input.driverId !== undefined) mayHaulJob(tx, job, 'assign_job');
      if (says(input, HAULERS)) mayWithJob(tx, job, 'edit_job');
    },
    async (tx, job) => {
      const isClosed = CLOSED.includes(job.state);
      if (isClosed && !supplement) throw conflict('Job', job, 'update', 'illegal_event');
      await refuseReviewed(tx, { model: 'Job' }, { companyId: job.company.id, at: job.jobStartAt });
      if (typeof input.version === 'number' && input.version !== job.version) {
        throw new Conflict([{ model: 'Job', field: 'version', key: 'stale_version' }]);
      }
      const items: ErrorItem[] = [];
      const to: ErrorCollector = { model: 'Job', items };
      const own = watchOwn(tx, job);
      const noteHistory = watchHistory(tx, job);
      const start = job.jobStartAt.getTime();
      const order = changesUnits(input) ? (await job.order.load())! : undefined;
      const before = order && unitsOfJob(job, order);
      const truck = job.equipment?.id;
      const reassigned = input.driverId && (input.driverId.toLowerCase() !== job.driver?.id || job.state === 'rejected');
      await applyJobFields(tx, job, input, to);
      const changed = own.changed();
      // Clients send the whole job back to change its notes. What is wrong counts, too: the answer is the same as for what is right.
      const moves = reassigned || (input.driverId === null && job.driver) || changed.some((name) => !UNBILLED.has(name));
      const isOfHours = items.length === 0 && changed.length > 0 && changed.every((name) => SET_HOURS.includes(name));
      const bills =
        supplement && isOfHours && !(reassigned || input.driverId === null) ? await minutesToSupplement(tx, job, path.companyId) : null;
      if (isClosed && !bills) throw conflict('Job', job, 'update', 'illegal_event');
      if (!bills && says(input, UNBILLED) && (moves || items.length > 0))
        await refuseBilled(tx, { model: 'Job', attempt: { state: job.state, event: 'update' } }, job, path.companyId);
      if (job.jobStartAt.getTime() !== start) await collectFullDay(tx, job, start, items);
      if (order) await collectUnitMismatches(tx, unitsOfJob(job, order), { model: 'Job', input, before }, items);
      // A new driver's compliance documents are checked together with those of the truck.
      const overridden =
        input.driverId === null || reassigned ? [] : await collectTruckDocuments(tx, job, truck, items, input.complianceOverride === true);
      if (items.length > 0) throw new Invalid(items);
      if (overridden.length > 0) noteOverride(tx, job, overridden);
      if (input.driverId === null && job.driver) await unassignWithin(tx, job, path.companyId);
      else if (reassigned) await assignDriverWithin(tx, job, input, path.companyId);
      const { supplierAccountId: supplier, buyPrice } = input.materialRateAssignment ?? {};
      // A price that is said of the supplier is kept, also if it is the price of before.
      own.note(supplier !== undefined && buyPrice != null ? ['material_buy_price'] : []);
      if (PRICED.some((field) => input[field] !== undefined)) noteRates(tx, [job.id], setByHand(changed));
      await noteHistory();
      noteJobEvent(tx, job, 'JobUpdated');
      emitEvent(tx, 'job.updated', job);
      if (bills) await makeSupplements(tx, bills);
    },
    Boolean(input.jobStartAt),
  );

/** True if an input has another field than those of a set. */
const says = (input: UpdateJobInput, beyond: ReadonlySet<string>): boolean =>
  Object.entries(input).some(([field, value]) => value !== undefined && !beyond.has(field));

/** Watches what changes of a job itself. */
function watchOwn(tx: TxContext, job: Job) {
  const comparator = tx.em.getComparator();
  const { properties } = tx.em.getMetadata().get(Job);
  const before = comparator.prepareEntity(job);
  /** @returns the properties that have changed so far, apart from what each change of anything moves */
  const changed = (): string[] =>
    Object.keys(comparator.diffEntities(Job, before, comparator.prepareEntity(job))).filter(
      (name) => !['updatedAt', 'version'].includes(name),
    );
  /** Call it at the end: it notes the columns that have changed, and others that were set, as set on the job itself, and updates its loads. */
  const note = (set: readonly string[]): void => {
    const columns = [...new Set([...changed().flatMap((name) => properties[name as keyof typeof properties].fieldNames), ...set])];
    if (columns.length > 0) beforeCommit(tx, () => followJob((sql, parameters) => queryIn(tx.em, sql, parameters), job.id, columns));
  };
  return { changed, note };
}

/**
 * Puts a job under a phase of its order, or under none; for the phase alone, `edit_job_phase` is enough. @throws Missing, Denied; Invalid, also for a job that is
 * over or of which an invoice is approved
 */
export const setJobPhase = (ctx: Context, path: RecordPath, phaseId: string | null | undefined): Promise<Job> =>
  withJob(
    ctx,
    path,
    (tx, job) => void mayWithJob(tx, job, 'edit_job_phase'),
    async (tx, job) => {
      const items: ErrorItem[] = phaseId === undefined ? [{ model: 'Job', field: 'phaseId', key: 'required' }] : [];
      // As with the truck of a job, because the contract has no 409 here.
      const { state } = job;
      if (CLOSED.includes(state)) items.push({ model: 'Job', field: 'state', key: 'illegal_event', params: { state, event: 'update' } });
      if (items.length === 0) {
        await refuseReviewed(tx, { model: 'Job' }, { companyId: job.company.id, at: job.jobStartAt });
        await refuseBilled(tx, { model: 'Job' }, job, path.companyId);
      }
      const phase = await resolveReference(tx, Phase, { phaseId }, 'phaseId', { model: 'Job', companyId: job.company.id, items });
      const noteHistory = watchHistory(tx, job);
      setPhase(job, phase, job.order.id, { model: 'Job', items });
      if (items.length > 0) throw new Invalid(items);
      await noteHistory();
      noteJobEvent(tx, job, 'JobUpdated');
      emitEvent(tx, 'job.updated', job);
    },
  );

async function applyJobFields(tx: TxContext, job: Job, input: UpdateJobInput, to: ErrorCollector): Promise<void> {
  const given = input as Record<string, unknown>;
  const target = job as unknown as Record<string, unknown>;
  const specs: Record<string, ReferenceSpec> = { phaseId: [Phase, 'phaseId'] };
  for (const [field, [entity]] of Object.entries(RELATIONS)) specs[field] = [entity, field] as unknown as ReferenceSpec;
  for (const [field, entity] of Object.entries(LISTS)) specs[field] = [entity, field] as unknown as ReferenceSpec;
  const { waypoints: _waypoints, ...fields } = input;
  const referred = (await resolveReferences(tx, fields, specs, { model: 'Job', companyId: job.company.id, items: to.items })) as Record<
    string,
    unknown
  >;
  for (const field of PLAIN) if (given[field] !== undefined) target[field] = given[field];
  for (const field of ['jobStartAt', 'priority', 'recurringLoads'] as const) {
    if (given[field] === null) to.items.push({ model: 'Job', field, key: 'required' });
    else if (given[field] !== undefined) target[field] = given[field];
  }
  if (input.billableHours !== undefined) await applyBillableHours(tx, job, input.billableHours, !says(input, HOURS));
  const parties = await partiesOf(tx, job, input);
  for (const [field, [, relation]] of Object.entries(RELATIONS)) {
    const found = referred[field] as { id: string } | null | undefined;
    if (given[field] === undefined) continue;
    if (found && found.id !== (target[relation] as { id: string } | null)?.id) {
      collectUnusable(found, field, to);
      validateRateOwner(found as Rate, field, parties, to);
    }
    target[relation] = found ? ref(found) : null;
  }
  await applyTrucks(tx, job, input, to);
  if (input.phaseId !== undefined) setPhase(job, referred.phaseId as Phase | null | undefined, job.order.id, to);
  for (const field of Object.keys(LISTS))
    if (given[field] !== undefined) target[field] = peopleOf(target[field], referred[field], field, to);
  if (input.materialRateAssignment !== undefined) await applyMaterialRate(tx, job, input.materialRateAssignment, to);
  if (input.waypoints === null) to.items.push({ model: 'Job', field: 'waypoints', key: 'required' });
  if (input.waypoints) await changeSites(tx, job, input.waypoints, to);
  await syncContacts(tx, job, job.company.id, input, to, (await job.order.load())!);
}

/**
 * Returns whom the rate cards of a job may be for: its order's customer, the vendor its owner passed it on to, and its driver after the
 * change.
 */
async function partiesOf(tx: TxContext, job: Job, input: UpdateJobInput): Promise<Parties> {
  if (!Object.values(RATES).some(([rateCard]) => input[rateCard])) return {};
  const [first] = await linksOf(tx, job);
  const driver = input.driverId ? { id: input.driverId.toLowerCase() } : input.driverId === null ? null : job.driver;
  return { customer: (await job.order.load())?.account, vendor: first?.vendorAccount, driver };
}
