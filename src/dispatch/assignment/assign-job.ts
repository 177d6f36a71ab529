import { type Ref, ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { partnerOf } from '../../directory/accounts/connections.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { recordOf } from '../../platform/database/rows.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { conflict } from '../../platform/state/machine.ts';
import { mayHaulJob } from '../access/job.policy.ts';
import type { AssignVendorInput } from '../jobs/job.inputs.ts';
import { factsOfJob, moveJob, noteJobEvent } from '../jobs/job-effects.ts';
import { withJob } from '../jobs/lock-job.ts';
import { Job } from '../model/job.entity.ts';
import { jobMachine } from '../model/job.machine.ts';
import type { JobAssignment } from '../model/job-assignment.entity.ts';
import { lockOrder } from '../orders/order-progress.ts';
import { noteRates } from '../pricing/rate-source.ts';
import { acceptForVendor } from './auto-accept.ts';
import { lacking, noteOverride, type Sent } from './compliance-gate.ts';
import { linkToDriver, type Planner, plannerOf, sharedSteps, truckOf } from './shared-crew.ts';
import { dayOf, type LinkTerms, subcontract, trucksOn, validateVendorRate } from './subcontract.ts';
import { companiesAbove, endableLinks, endLinks } from './take-back.ts';
import { guardTrucks } from './vendor-trucks.ts';

const assigning = (tx: TxContext, job: Job) => void mayHaulJob(tx, job, 'assign_job');

/**
 * Assigns a driver within another command; the job is locked. The driver must belong to the planner or to a vendor that has the job, or be
 * shared for planning; it is not enough that the caller sees them (DOMAIN 1.2 `assign`).
 * @param companyId of a scoped path
 */
export async function assignDriverWithin(
  tx: TxContext,
  job: Job,
  input: { driverId?: string | null; equipmentId?: string | null; complianceOverride?: boolean | null },
  companyId?: string | null,
): Promise<void> {
  const items: ErrorItem[] = [];
  const driver = await resolveReference(tx, User, input as { driverId: string }, 'driverId', { model: 'Job', items, shared: true });
  if (driver?.discardedAt) items.push({ model: 'Job', field: 'driverId', key: 'is_discarded' });
  else if (driver && !driver.roles.includes('driver')) items.push({ model: 'Job', field: 'driverId', key: 'not_a_driver' });
  const planner = await plannerOf(tx, job, companyId);
  const steps = driver && items.length === 0 ? await sharedSteps(tx, job, planner, driver, items) : [];
  const truck = steps.length > 0 ? await truckOf(tx, driver!, steps) : null;
  if (driver && driver.id !== job.driver?.id) await leaveTruck(tx, job);
  const brought = truck ? ref(truck) : (driver?.equipment ?? driver?.defaultEquipment);
  // A truck that is sent with the driver goes before the driver's own.
  const equipment = (input.equipmentId ? null : brought) ?? job.equipment ?? null;
  const overridden = driver
    ? await lacking(tx, job, planner.companyId, await crewOf(tx, planner, driver, equipment), items, input.complianceOverride === true)
    : [];
  if (items.length > 0) throw new Invalid(items);
  const before = job.driver?.id;
  moveJob(tx, job, 'assign', {});
  await linkToDriver(tx, job, driver!, planner, steps);
  job.driver = ref(driver!);
  job.equipment = equipment;
  noteRates(tx, [job.id]);
  noteJobEvent(tx, job, before && before !== driver!.id ? 'JobDriverChanged' : 'JobAssigned', { payload: { driver_id: driver!.id } });
  if (input.complianceOverride) noteOverride(tx, job, overridden);
}

/**
 * Passes the job on to a vendor, with one assignment row for each link of the chain (DOMAIN 1.2 "Vendor chains"). The vendor's people see
 * it if its account is connected to their company.
 */
export const assignVendor = (ctx: Context, path: RecordPath, input: AssignVendorInput) =>
  withJob(ctx, path, assigning, async (tx, job) => void (await assignVendorWithin(tx, job, input, { companyId: path.companyId })));

/**
 * Passes a job on within another command; the job is locked. The account must belong to the company that passes the job on: the owner, or a
 * vendor of the chain.
 * @returns the link
 */
export async function assignVendorWithin(
  tx: TxContext,
  job: Job,
  input: AssignVendorInput,
  { companyId, terms, field = 'vendorId' }: { companyId?: string | null; terms?: LinkTerms; field?: string } = {},
): Promise<JobAssignment> {
  const items: ErrorItem[] = [];
  const report = (key: string, params?: ErrorItem['params']) => items.push({ model: 'Job', field, key, params });
  const seen = await resolveReference(tx, Account, { [field]: input.vendorId }, field, { model: 'Job', items });
  const { passers, links } = await plannerOf(tx, job, companyId);
  const vendor = seen && passers.includes(seen.company.id) ? seen : undefined;
  if (seen && !vendor) report('must_exist');
  const company = vendor?.connectedCompany?.id;
  if (company && companiesAbove(job, links, vendor.company.id).includes(company) && (await partnerOf(tx, vendor))) report('works_above');
  // A rate card belongs to one company, and neither side of a link may use the other's.
  if (vendor && terms?.rate && terms.rate.company.id !== vendor.company.id)
    items.push({ model: 'JobAssignment', field: 'rateId', key: 'must_exist' });
  else if (vendor) validateVendorRate(terms?.rate, vendor, items);
  if (vendor?.discardedAt) report('is_discarded');
  else if (vendor && !vendor.accountTypes.includes('vendor')) report('not_a_vendor');
  else if (vendor && vendor.truckCount > 0) {
    const full: ErrorItem = { model: 'Job', field, key: 'vendor_full', params: { count: vendor.truckCount } };
    const day = await dayOf(tx, job);
    const [others] = await trucksOn(tx, vendor, [day], job.id);
    if (others! >= vendor.truckCount) items.push(full);
    else guardTrucks(tx, vendor, [day], full);
  }
  const sent = vendor ? [{ as: 'vendor' as const, record: vendor, field }] : [];
  const overridden = await lacking(tx, job, vendor?.company.id ?? job.company.id, sent, items, input.complianceOverride === true);
  if (items.length > 0) throw new Invalid(items);
  const link = await subcontract(tx, job, vendor!, terms);
  noteRates(tx, [job.id]);
  await leaveTruck(tx, job);
  moveJob(tx, job, 'assign', {});
  job.driver = null;
  noteJobEvent(tx, job, 'JobAssigned', { payload: { vendor_id: vendor!.id } });
  if (input.complianceOverride) noteOverride(tx, job, overridden);
  // The link is not in the database yet, so the facts do not show the vendor.
  const facts = { ...(await factsOfJob(tx, job)), hasAssignee: true };
  if (link.vendorCompanyId && vendor!.autoAcceptOrders && jobMachine.can(job, 'request', facts))
    acceptForVendor(tx, job, (eventName) => noteJobEvent(tx, job, eventName));
  return link;
}

/** Removes the driver and the vendors (DOMAIN 1.2). */
export const unassignJob = (ctx: Context, path: RecordPath) =>
  withJob(ctx, path, assigning, (tx, job) => unassignWithin(tx, job, path.companyId));

/**
 * Removes the assignees of a job. The owner gets the job back unassigned. A vendor gets it back as it accepted it (DOMAIN 1.2 "Vendor
 * chains"): it can go on with the job or refuse it, and the owner can take it away.
 * @param companyId of a scoped path: the company that unassigns
 */
export async function unassignWithin(tx: TxContext, job: Job, companyId?: string | null): Promise<void> {
  const given = await endableLinks(tx, job, companyId ? [companyId.toLowerCase()] : viewerOf(tx).companyIds);
  if (given.asVendor && !job.driver && given.links.length === 0) throw conflict('Job', job, 'unassign', 'nothing_given_on');
  moveJob(tx, job, 'unassign', { ...(await factsOfJob(tx, job)), staysWithVendor: given.asVendor });
  await leaveTruck(tx, job);
  job.driver = null;
  endLinks(tx, given.links);
  noteRates(tx, [job.id]);
  noteJobEvent(tx, job, 'JobUnassigned');
}

/** Removes a truck that came with the driver. A truck that was planned for the order or for this job stays. */
async function leaveTruck(tx: TxContext, job: Job): Promise<void> {
  // A job is on a day of its driver only.
  job.driverDayId = null;
  if (!job.driver || !job.equipment) return;
  const driver = await recordOf(tx.em, User, job.driver.id);
  // The truck of a driver who is no longer visible is not the company's own either.
  if (driver && ![driver.equipment?.id, driver.defaultEquipment?.id].includes(job.equipment.id)) return;
  job.equipment = (await lockOrder(tx, job.order.id)).equipment ?? null;
}

/** Returns the driver and the truck they come with, for the checks of both. */
async function crewOf(tx: TxContext, planner: Planner, driver: User, equipment: Ref<Equipment> | null): Promise<Sent[]> {
  const own = driver.company.id === planner.companyId;
  const truck = equipment && (await recordOf(tx.em, Equipment, equipment.id));
  return [
    { as: own ? 'internal_driver' : 'shared_driver', record: driver, field: 'driverId' },
    ...(truck ? [{ as: 'equipment' as const, record: truck, field: 'equipmentId' }] : []),
  ];
}
