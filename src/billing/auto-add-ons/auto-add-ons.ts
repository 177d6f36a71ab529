import { ref } from '@mikro-orm/core';
import type { AccountType } from '../../directory/accounts/account.entity.ts';
import { Company } from '../../directory/companies/company.entity.ts';
import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { maySeeSide } from '../../dispatch/pricing/see-rates.ts';
import { find } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Denied, type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { beginTerms, fillTerms } from '../add-ons/terms.ts';
import type { CreateAutoAddOnAssignmentInput, UpdateAutoAddOnAssignmentInput } from './auto-add-on.inputs.ts';
import { AutoAddOnAssignment } from './auto-add-on-assignment.entity.ts';
import { type Parent, type ParentKind, parentOf } from './parents.ts';

const model = 'AutoAddOnAssignment';

/**
 * Has an add-on charged by itself for the work of a record.
 * @throws Missing, Denied without the permission for the record or for the rates of the side; Invalid, also for a job or a link whose invoice is approved
 */
export function createAutoAddOn(
  ctx: Context,
  kind: ParentKind,
  path: RecordPath,
  input: CreateAutoAddOnAssignmentInput,
): Promise<AutoAddOnAssignment> {
  return transact(ctx, async (tx) => {
    const parent = await kind.find(tx, path);
    parent.mayEdit();
    if (!parent.companyId) throw new Denied(String(kind.edits[0]), 'permission_of_owning_company');
    const side = sideOf(parent, input.accountType);
    maySeeSide(tx, side);
    await kind.refuseBilled?.(tx, { id: parent.id, companyId: parent.companyId });
    const company = ref(Company, parent.companyId);
    const one = Object.assign(new AutoAddOnAssignment(), { company, side, ...kind.relation(parent.id) });
    const items: ErrorItem[] = [];
    const addOn = input.addOnId
      ? await tx.em.findOne(AddOn, { id: input.addOnId.toLowerCase(), company: parent.companyId, discardedAt: null })
      : undefined;
    if (addOn === null) items.push({ model, field: 'addOnId', key: 'must_exist' });
    beginTerms(one, addOn ?? undefined);
    one.addOnTypes = addOn?.addOnTypes ?? [];
    if (addOn === undefined && input.name === undefined) items.push({ model, field: 'name', key: 'required' });
    one.originalAutoAddOnAssignmentId = await rootOf(tx, one, input.originalAutoAddOnAssignmentId, items);
    fill(one, input, items, addOn === null);
    if (items.length > 0) throw new Invalid(items);
    tx.em.persist(one);
    emitEvent(tx, 'auto_add_on_assignment.created', one);
    return one;
  });
}

/** Changes what is charged by itself from now on. @throws Missing, Denied; Invalid, also of a job or a link whose invoice is approved */
export function updateAutoAddOn(ctx: Context, { id }: RecordPath, input: UpdateAutoAddOnAssignmentInput): Promise<AutoAddOnAssignment> {
  return transact(ctx, async (tx) => {
    const one = await lockOne(tx, id);
    const items: ErrorItem[] = [];
    fill(one, input, items);
    if (items.length > 0) throw new Invalid(items);
    emitEvent(tx, 'auto_add_on_assignment.updated', one);
    return one;
  });
}

/** Charges it no more; what was charged stays. @throws Missing, Denied; Invalid of a job or a link whose invoice is approved */
export function deleteAutoAddOn(ctx: Context, { id }: RecordPath): Promise<void> {
  return transact(ctx, async (tx) => remove(tx, await lockOne(tx, id)));
}

/** Charges an add-on no more for an account or a driver. @throws Missing also if it is not charged there, Denied */
export function removeAutoAddOns(ctx: Context, kind: ParentKind, path: RecordPath, addOnId: string, type?: AccountType): Promise<void> {
  return transact(ctx, async (tx) => {
    const parent = await kind.find(tx, path);
    parent.mayEdit();
    const side = type ?? 'driver';
    maySeeSide(tx, side);
    const addOn = await find(tx, AddOn, addOnId);
    const found = await tx.em.find(AutoAddOnAssignment, { ...kind.relation(parent.id), side, addOn: addOn.id } as object);
    if (found.length === 0) throw new Missing();
    for (const one of found) remove(tx, one);
  });
}

/** The side on which an add-on of the record is charged. @throws Invalid where an account is not meant as that */
function sideOf({ side, accountTypes }: Parent, given: AccountType | null | undefined): RateOwnerType {
  if (side === 'any') return given ?? 'driver';
  if (side !== 'account') return side;
  const key = !given ? 'required' : accountTypes!.includes(given) ? undefined : given === 'customer' ? 'not_a_customer' : 'not_a_vendor';
  if (key) throw new Invalid([{ model, field: 'accountType', key }]);
  return given!;
}

/** The root of the one that an input names: of one root, only one applies. */
async function rootOf(
  tx: TxContext,
  { company, side }: AutoAddOnAssignment,
  id: string | null | undefined,
  items: ErrorItem[],
): Promise<string | null> {
  if (!id) return null;
  const original = await tx.em.findOne(AutoAddOnAssignment, { id: id.toLowerCase(), company: company.id, side });
  if (!original) items.push({ model, field: 'originalAutoAddOnAssignmentId', key: 'must_exist' });
  return original ? (original.originalAutoAddOnAssignmentId ?? original.id) : null;
}

/** @param isUnknown the input names an add-on that there is not: what that would have said is not missed as well */
function fill(one: AutoAddOnAssignment, input: UpdateAutoAddOnAssignmentInput, items: ErrorItem[], isUnknown = false): void {
  const report = (field: string, key: string) => items.push({ model, field, key });
  fillTerms(one, input, { model, at: '', items });
  if (input.addOnTypes !== undefined) one.addOnTypes = [...new Set(input.addOnTypes ?? [])];
  if (one.addOnTypes.length === 0 && !(isUnknown && input.addOnTypes === undefined)) report('addOnTypes', 'required');
  if (input.totalInstallments !== undefined) one.totalInstallments = input.totalInstallments ?? 0;
  // Only an add-on says by which schedule.
  if (one.revenueCostRateType === 'FuelSurcharge' && !one.addOn && !isUnknown) report('revenueCostRateType', 'only_of_fuel_surcharge');
}

function remove(tx: TxContext, one: AutoAddOnAssignment): void {
  tx.em.remove(one);
  emitEvent(tx, 'auto_add_on_assignment.deleted', one);
}

/** Locks one that the viewer may change. @throws Missing, Denied, Invalid */
async function lockOne(tx: TxContext, id: string): Promise<AutoAddOnAssignment> {
  const seen = await find(tx, AutoAddOnAssignment, id);
  const { kind, id: parentId } = parentOf(seen);
  (await kind.find(tx, { id: parentId })).mayEdit();
  maySeeSide(tx, seen.side);
  await kind.refuseBilled?.(tx, { id: parentId, companyId: seen.company.id });
  return find(tx, AutoAddOnAssignment, id, { lock: true });
}
