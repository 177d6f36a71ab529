import { type Ref, ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Phase } from '../../dispatch/model/phase.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { ResourceUsageLog } from './resource-usage-log.entity.ts';
import type { CreateResourceUsageLogInput, ResourceUsageLogChange, UpdateResourceUsageLogInput } from './usage-log.inputs.ts';
import { datesOf, isPhaseOf, lockWork, placeOf, tooMuch, type Used, type Work } from './usage-of-work.ts';

const CREATE = 'create_resource_usage_log';
const EDIT = 'edit_resource_usage_log';
const DELETE = 'delete_resource_usage_log';
/** Changes of one request. */
const MOST = 100;

/** Adds a log to a day, a job or a load. @throws Missing, Denied, Invalid naming what is left when it is more than was worked */
export function createUsageLog(ctx: Context, work: Work, input: CreateResourceUsageLogInput): Promise<ResourceUsageLog> {
  return transact(ctx, async (tx) => {
    const used = await lockWork(tx, work, [CREATE]);
    const log = await add(tx, used, input, '');
    await refuseTooMuch(tx, [log]);
    return log;
  });
}

/** Changes minutes, truck or phase of a log. @throws Missing, Denied, Invalid */
export function updateUsageLog(ctx: Context, id: string, input: UpdateResourceUsageLogInput): Promise<ResourceUsageLog> {
  return transact(ctx, async (tx) => {
    const log = await lockLog(tx, id, EDIT);
    const before = log.usageMinutes;
    await change(tx, log, input, '');
    // A shift that was shortened has more than was worked; truck and phase can be corrected all the same.
    if (log.usageMinutes !== before) await refuseTooMuch(tx, [log]);
    return log;
  });
}

/** @throws Missing, Denied */
export function deleteUsageLog(ctx: Context, id: string): Promise<void> {
  return transact(ctx, async (tx) => remove(tx, await lockLog(tx, id, DELETE)));
}

/**
 * Adds, changes and removes logs of a day or a job, all or none.
 * @returns the ids of those that were added or changed
 * @throws Missing, Denied without the permissions for what is in the list, Invalid
 */
export function changeUsageLogs(ctx: Context, work: Work, changes: readonly ResourceUsageLogChange[]): Promise<string[]> {
  return transact(ctx, async (tx) => {
    const of = ({ id, _destroy }: ResourceUsageLogChange) => (_destroy === 1 ? DELETE : id ? EDIT : CREATE);
    const used = await lockWork(tx, work, changes.length > 0 ? [...new Set(changes.map(of))] : [EDIT]);
    if (changes.length > MOST) throw invalid('resourceUsageLogs', 'wrong_length', { min: 0, max: MOST });
    const touched: ResourceUsageLog[] = [];
    /** Those of which the minutes stay. */
    const unchanged = new Set<ResourceUsageLog>();
    const named = new Set<string>();
    for (const [i, given] of changes.entries()) {
      const at = `resourceUsageLogs.${i}.`;
      if (given._destroy && given._destroy !== 1) throw invalid(`${at}_destroy`, 'not_one_of', { values: '0, 1' });
      if (given.id && named.has(given.id.toLowerCase())) throw invalid(`${at}id`, 'given_twice');
      if (given.id) named.add(given.id.toLowerCase());
      if (of(given) === CREATE) touched.push(await add(tx, used, complete(given, at), at));
      else {
        if (!given.id) throw invalid(`${at}id`, 'required');
        const log = await logOfWork(tx, used, given.id, `${at}id`);
        if (of(given) === DELETE) remove(tx, log);
        else {
          const before = log.usageMinutes;
          await change(tx, log, given, at);
          touched.push(log);
          if (log.usageMinutes === before) unchanged.add(log);
        }
      }
    }
    await refuseTooMuch(
      tx,
      touched.filter((log) => !unchanged.has(log)),
    );
    return touched.map(({ id }) => id);
  });
}

async function lockLog(tx: TxContext, id: string, permission: string): Promise<ResourceUsageLog> {
  const log = await find(tx, ResourceUsageLog, id);
  await lockWork(tx, { type: log.resourceUsageLoggableType, id: log.resourceUsageLoggableId }, [permission]);
  return find(tx, ResourceUsageLog, id, { lock: true });
}

async function logOfWork(tx: TxContext, { driverDayId, jobId }: Used, id: string, field: string): Promise<ResourceUsageLog> {
  const log = await tx.em.findOne(ResourceUsageLog, { id, ...(jobId ? { jobId } : { driverDayId }) });
  if (!log) throw invalid(field, 'must_exist');
  return log;
}

async function add(tx: TxContext, of: Used, input: CreateResourceUsageLogInput, at: string): Promise<ResourceUsageLog> {
  const named = workNamed(of, input, at);
  const { used, loadId } = await placeOf(tx, of, named, `${at}resourceUsageLoggableId`);
  const items: ErrorItem[] = [];
  const report = (field: string, key: string) => items.push({ model: 'ResourceUsageLog', field: `${at}${field}`, key });
  if (input.driverId.toLowerCase() !== used.driverId) report('driverId', 'not_of_work');
  if (!(await datesOf(tx, used)).includes(input.dateOfUse)) report('dateOfUse', 'not_of_work');
  const parts = await partsOf(tx, used, input, at, items);
  if (items.length > 0) throw new Invalid(items);
  const log = Object.assign(new ResourceUsageLog(), {
    ...{ company: ref(Company, used.companyId), resourceUsageLoggableType: named.type, resourceUsageLoggableId: named.id },
    ...{ driverDayId: used.driverDayId, jobId: used.jobId, loadId, usageMinutes: input.usageMinutes, dateOfUse: input.dateOfUse },
    ...{ driver: ref(User, used.driverId!), equipment: parts.equipment ?? null, phase: parts.phase ?? null },
  });
  tx.em.persist(log);
  emitEvent(tx, 'resource_usage_log.created', log);
  return log;
}

/**
 * The record whose time a new log divides. The contract's clients name none, and mean that of the path.
 * @throws Invalid when only its kind or only its id is given
 */
function workNamed(of: Used, input: CreateResourceUsageLogInput, at: string): Work {
  const { resourceUsageLoggableType: type, resourceUsageLoggableId: id } = input;
  if (type && id) return { type, id: id.toLowerCase() };
  if (type || id) throw invalid(`${at}${type ? 'resourceUsageLoggableId' : 'resourceUsageLoggableType'}`, 'required');
  return of.jobId ? { type: 'Job', id: of.jobId } : { type: 'DriverDay', id: of.driverDayId! };
}

async function change(tx: TxContext, log: ResourceUsageLog, input: UpdateResourceUsageLogInput, at: string): Promise<void> {
  const items: ErrorItem[] = [];
  if (input.usageMinutes === null) items.push({ model: 'ResourceUsageLog', field: `${at}usageMinutes`, key: 'required' });
  const parts = await partsOf(tx, usedBy(log), input, at, items);
  if (items.length > 0) throw new Invalid(items);
  if (input.usageMinutes) log.usageMinutes = input.usageMinutes;
  if (parts.equipment !== undefined) log.equipment = parts.equipment;
  if (parts.phase !== undefined) log.phase = parts.phase;
  emitEvent(tx, 'resource_usage_log.updated', log);
}

function remove(tx: TxContext, log: ResourceUsageLog): void {
  tx.em.remove(log);
  emitEvent(tx, 'resource_usage_log.deleted', log);
}

/** The truck and the phase that an input names; undefined where it says nothing. */
async function partsOf(
  tx: TxContext,
  used: Used,
  input: UpdateResourceUsageLogInput,
  at: string,
  items: ErrorItem[],
): Promise<{ equipment?: Ref<Equipment> | null; phase?: Ref<Phase> | null }> {
  const specs = { equipment: [Equipment, 'equipmentId'], phase: [Phase, 'phaseId'] } as const;
  const { equipment, phase } = await resolveReferences(tx, input, specs, { model: 'ResourceUsageLog', path: at, shared: true, items });
  if (phase && !(await isPhaseOf(tx, phase.id, used))) items.push({ model: 'ResourceUsageLog', field: `${at}phaseId`, key: 'not_of_work' });
  return { equipment: equipment && ref(equipment), phase: phase && ref(phase) };
}

async function refuseTooMuch(tx: TxContext, logs: readonly ResourceUsageLog[]): Promise<void> {
  await tx.em.flush();
  const works = new Map(logs.map((log) => [`${log.driverDayId} ${log.jobId}`, usedBy(log)]));
  for (const used of works.values()) {
    const minutesOf = (name: 'driverDayId' | 'jobId') =>
      logs.reduce((sum, log) => sum + (log[name] && log[name] === used[name] ? log.usageMinutes : 0), 0);
    const items = await tooMuch(tx, used, { day: minutesOf('driverDayId'), job: minutesOf('jobId') });
    if (items.length > 0) throw new Invalid(items);
  }
}

const usedBy = (log: ResourceUsageLog): Used => ({
  ...{ companyId: log.company.id, driverId: log.driver.id, driverDayId: log.driverDayId ?? null, jobId: log.jobId ?? null },
});

/** A new log of a list. @throws Invalid naming every field that is missing */
function complete(given: ResourceUsageLogChange, at: string): CreateResourceUsageLogInput {
  const needed = ['usageMinutes', 'dateOfUse', 'driverId'] as const;
  const items = needed.flatMap((field): ErrorItem[] =>
    given[field] === undefined || given[field] === null ? [{ model: 'ResourceUsageLog', field: `${at}${field}`, key: 'required' }] : [],
  );
  if (items.length > 0) throw new Invalid(items);
  return given as CreateResourceUsageLogInput;
}

const invalid = (field: string, key: string, params?: ErrorItem['params']) =>
  new Invalid([{ model: 'ResourceUsageLog', field, key, params }]);
