import { ref } from '@mikro-orm/core';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import { owningCompany } from '../../directory/companies/owning-company.ts';
import { Equipment } from '../../directory/equipment/equipment.entity.ts';
import { EquipmentType } from '../../directory/equipment/equipment-type.entity.ts';
import { lockMaster } from '../../directory/master-data/master-data.ts';
import { Service, ServiceClass } from '../../directory/master-data/named.entities.ts';
import { Rate, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { allow } from '../../platform/authz/authorization.ts';
import { resolveReferences } from '../../platform/authz/references.ts';
import { applyInputParts, copyParts } from '../../platform/commands/input-parts.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { type ErrorCollector, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { collectUnusable } from '../fields/field-table.ts';
import { Project } from '../model/project.entity.ts';
import type { CopyRateInput, CreateRateInput, UpdateRateInput } from './rate.inputs.ts';
import { applyRateValues } from './rate-values.ts';
import { maySeeSide } from './see-rates.ts';

export const ratePrimaryKey = defineUnique('rate_primary_key', { model: 'Rate', field: 'primary' });

const SINGLE = {
  accountId: [Account, 'account'],
  driverId: [User, 'driver'],
  serviceClassId: [ServiceClass, 'serviceClass'],
  equipmentTypeId: [EquipmentType, 'equipmentType'],
} as const;
const LISTS = { projectIds: Project, serviceIds: Service, equipmentIds: Equipment } as const;

/** Creates a rate card. @throws Denied, also for callers who may not see that side's rates; Invalid with every wrong field at once */
export function createRate(ctx: Context, input: CreateRateInput): Promise<Rate> {
  return transact(ctx, async (tx) => {
    allow(tx, 'create_rate');
    const owner = owningCompany(tx, 'Rate', input);
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Rate', items };
    const ownerType = input.ownerType ?? input.accountType ?? 'driver';
    maySeeSide(tx, ownerType);
    const rate = Object.assign(new Rate(), { company: ref(Company, owner), ownerType });
    applyRateValues(rate, input, true, to);
    await applyRateFields(tx, rate, input, to);
    return keep(tx, rate, 'created', to);
  });
}

/** Changes a rate card; absent fields are kept. Work that was priced by the rate card shows the change. @throws Missing, Denied, Invalid */
export function updateRate(ctx: Context, path: RecordPath, input: UpdateRateInput): Promise<Rate> {
  return transact(ctx, async (tx) => {
    const rate = await lockRate(tx, path, 'edit_rate');
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Rate', items };
    applyRateValues(rate, input, false, to);
    await applyRateFields(tx, rate, input, to);
    return keep(tx, rate, 'updated', to);
  });
}

/**
 * Creates a rate card with the same values and add-ons, for the conditions that the input names instead. The copy is nobody's standard rate. @throws
 * Missing, Denied, Invalid
 */
export function copyRate(ctx: Context, path: RecordPath, input: CopyRateInput): Promise<Rate> {
  return transact(ctx, async (tx) => {
    const from = await lockRate(tx, path, 'create_rate');
    const items: ErrorItem[] = [];
    const to: ErrorCollector = { model: 'Rate', items };
    const { id: _id, createdAt: _created, updatedAt: _updated, ...same } = from;
    const rate = Object.assign(new Rate(), same, { primary: false, name: `${from.name} (copy)`.slice(0, 255) });
    await applyRateFields(tx, rate, input, to);
    await copyParts(tx, from, rate);
    return keep(tx, rate, 'created', to);
  });
}

/** Discards a rate card: it prices no new work, but still applies to the work that it priced. @throws Missing, Denied */
export function discardRate(ctx: Context, path: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => {
    const rate = await lockRate(tx, path, 'delete_rate');
    rate.discardedAt = tx.tx.now;
    emitEvent(tx, 'rate.discarded', rate);
  });
}

async function lockRate(tx: TxContext, path: RecordPath, permission: string): Promise<Rate> {
  const rate = await lockMaster(tx, { entity: Rate }, path, permission);
  maySeeSide(tx, rate.ownerType);
  return rate;
}

type Fields = Partial<Omit<CreateRateInput, 'type'>> & Omit<UpdateRateInput, 'type'>;

async function applyRateFields(tx: TxContext, rate: Rate, input: Fields | CopyRateInput, to: ErrorCollector): Promise<void> {
  const { items, model } = to;
  const report = (field: string, key: string) => items.push({ model, field, key });
  const given = input as Fields;
  if (given.name !== undefined) {
    const name = given.name?.trim();
    if (name) rate.name = name;
    else report('name', 'required');
  }
  if (given.accountType && given.accountType !== rate.ownerType) report('accountType', 'other_owner_type');
  if (given.fuelSurchargeEnabled !== undefined) rate.fuelSurchargeEnabled = given.fuelSurchargeEnabled ?? false;
  const specs = {
    ...Object.fromEntries(Object.entries(SINGLE).map(([field, [entity]]) => [field, [entity, field]])),
    ...Object.fromEntries(Object.entries(LISTS).map(([field, entity]) => [field, [entity, field]])),
  } as Record<string, readonly [typeof Account, string]>;
  const referred: Record<string, unknown> = await resolveReferences(tx, given, specs, { model, companyId: rate.company.id, items });
  const target = rate as unknown as Record<string, unknown>;
  for (const [field, [, relation]] of Object.entries(SINGLE)) {
    const one = referred[field] as Account | null | undefined;
    if (one === undefined) continue;
    const before = (target[relation] as { id: string } | null | undefined)?.id;
    if (one && one.id !== before) collectUnusable(one, field, to);
    target[relation] = one ? ref(one) : null;
  }
  for (const field of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
    const list = referred[field] as ({ id: string } | undefined)[] | null | undefined;
    if (given[field] !== undefined) rate[field] = [...new Set((list ?? []).flatMap((one) => (one ? [one.id] : [])))];
  }
  validateOwner(rate.ownerType, referred.accountId as Account | null, referred.driverId as User | null, to);
  if (given.primary !== undefined) rate.primary = given.primary ?? false;
  await applyInputParts(tx, rate, input, to);
}

function validateOwner(
  owner: RateOwnerType,
  account: Account | null | undefined,
  driver: User | null | undefined,
  to: ErrorCollector,
): void {
  const report = (field: string, key: string) => to.items.push({ model: to.model, field, key });
  if (driver && owner !== 'driver') report('driverId', 'only_of_driver_rates');
  else if (driver && !driver.roles.includes('driver')) report('driverId', 'not_a_driver');
  if (!account) return;
  if (owner === 'driver') report('accountId', 'only_of_account_rates');
  else if (!account.accountTypes.includes(owner)) report('accountId', owner === 'customer' ? 'not_a_customer' : 'not_a_vendor');
}

/** Stores a valid rate. A new standard rate replaces the one before. */
async function keep(tx: TxContext, rate: Rate, done: 'created' | 'updated', to: ErrorCollector): Promise<Rate> {
  if (to.items.length > 0) throw new Invalid(to.items);
  if (rate.primary) await takeOver(tx, rate);
  tx.em.persist(rate);
  emitEvent(tx, `rate.${done}`, rate);
  return rate;
}

async function takeOver(tx: TxContext, rate: Rate): Promise<void> {
  const { company, ownerType, account, driver } = rate;
  // Two requests that set a standard rate wait for each other.
  await queryIn(tx.em, `select pg_advisory_xact_lock(hashtextextended('haulgate:primary-rate:' || $1, 0))`, [company.id]);
  const same = { company: company.id, ownerType, account: account?.id ?? null, driver: driver?.id ?? null };
  const before = await tx.em.find(Rate, { ...same, primary: true, discardedAt: null, id: { $ne: rate.id } });
  if (before.length === 0) return;
  for (const one of [...before, rate]) one.primary = false;
  // The old one is written first, because there may never be two.
  await tx.em.flush();
  rate.primary = true;
}
