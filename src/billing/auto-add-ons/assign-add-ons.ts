import { type Ref, ref } from '@mikro-orm/core';
import { Account, type AccountType } from '../../directory/accounts/account.entity.ts';
import type { Company } from '../../directory/companies/company.entity.ts';
import { Rate, type RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { maySeeSide } from '../../dispatch/pricing/see-rates.ts';
import { defineCopiedPart, defineInputPart } from '../../platform/commands/input-parts.ts';
import { emitEvent, type TxContext } from '../../platform/commands/transact.ts';
import type { ErrorCollector } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { beginTerms } from '../add-ons/terms.ts';
import { AutoAddOnAssignment } from './auto-add-on-assignment.entity.ts';

interface NewAssignments {
  /** The field with the ids of the add-ons. */
  field: string;
  ids: readonly string[];
  company: Ref<Company>;
  side: RateOwnerType;
  /** The record, as an assignment names it. */
  of: Partial<AutoAddOnAssignment>;
  /** The assignments that it has already. */
  present: readonly AutoAddOnAssignment[];
}

/** Has add-ons charged by themselves for a record; those that are already stay as they are. */
async function assign(tx: TxContext, { field, ids, company, side, of, present }: NewAssignments, to: ErrorCollector): Promise<void> {
  const wanted = [...new Set(ids.filter(isUuid).map((id) => id.toLowerCase()))];
  const found = await tx.em.find(AddOn, { id: { $in: wanted }, company: company.id, discardedAt: null });
  const known = new Map(found.map((one) => [one.id, one]));
  for (const [i, id] of ids.entries())
    if (!known.has(id.toLowerCase())) to.items.push({ model: to.model, field: `${field}.${i}`, key: 'must_exist' });
  if (to.items.length > 0) return;
  const has = new Set(present.map(({ addOn }) => addOn?.id));
  for (const id of wanted.filter((one) => !has.has(one))) {
    const one = Object.assign(new AutoAddOnAssignment(), { company, side, ...of });
    beginTerms(one, known.get(id)!);
    one.addOnTypes = known.get(id)!.addOnTypes;
    tx.em.persist(one);
    emitEvent(tx, 'auto_add_on_assignment.created', one);
  }
}

/** `add_on_ids` of a rate card replaces the add-ons that work at the rate card brings along. */
export const addOnsOfRates = defineInputPart(
  Rate,
  'add-ons',
  async (tx, rate, { addOnIds }: { addOnIds?: string[] | null }, to: ErrorCollector) => {
    if (addOnIds === undefined) return;
    const present = await tx.em.find(AutoAddOnAssignment, { rateCard: rate.id, addOn: { $ne: null } });
    const kept = new Set((addOnIds ?? []).map((id) => id.toLowerCase()));
    for (const one of present.filter(({ addOn }) => !kept.has(addOn!.id))) {
      tx.em.remove(one);
      emitEvent(tx, 'auto_add_on_assignment.deleted', one);
    }
    const assignments = {
      field: 'addOnIds',
      ids: addOnIds ?? [],
      company: rate.company,
      side: rate.ownerType,
      of: { rateCard: ref(rate) },
      present,
    };
    await assign(tx, assignments, to);
  },
);

/** A copy of a rate card brings along the same add-ons, on its own terms from then on. */
export const copiedAddOnsOfRates = defineCopiedPart(Rate, 'add-ons', async (tx, from, to) => {
  for (const one of await tx.em.find(AutoAddOnAssignment, { rateCard: from.id }, { orderBy: { createdAt: 'asc', id: 'asc' } })) {
    const { company, side, addOn, name, addOnTypes, quantity, revenueRateValue, revenueCostRateType, costRateValue, percentage } = one;
    const { externalId, accountingId, totalInstallments, originalAutoAddOnAssignmentId } = one;
    const copy = Object.assign(new AutoAddOnAssignment(), {
      ...{ company, side, rateCard: ref(to), addOn, name, addOnTypes, quantity, revenueRateValue, revenueCostRateType, costRateValue },
      ...{ percentage, externalId, accountingId, totalInstallments, originalAutoAddOnAssignmentId },
    });
    tx.em.persist(copy);
    emitEvent(tx, 'auto_add_on_assignment.created', copy);
  }
});

interface Additional {
  autoAddOnAccountType?: AccountType | null;
  additionalAutoAddOnIds?: string[] | null;
}
const FIELD = 'additionalAutoAddOnIds';

/** `additional_auto_add_on_ids` of an account adds to what is charged for its work, as a customer or as a vendor. */
export const addOnsOfAccounts = defineInputPart(Account, 'add-ons', async (tx, account, input: Additional, to: ErrorCollector) => {
  const ids = input.additionalAutoAddOnIds ?? [];
  if (ids.length === 0) return;
  const [only, ...others] = account.accountTypes;
  const side = input.autoAddOnAccountType ?? (others.length === 0 ? only : undefined);
  const key = !side
    ? 'required'
    : account.accountTypes.includes(side)
      ? undefined
      : side === 'customer'
        ? 'not_a_customer'
        : 'not_a_vendor';
  if (key) return void to.items.push({ model: to.model, field: 'autoAddOnAccountType', key });
  maySeeSide(tx, side!);
  const present = await tx.em.find(AutoAddOnAssignment, { account: account.id, side: side! });
  await assign(tx, { field: FIELD, ids, company: account.company, side: side!, of: { account: ref(account) }, present }, to);
});

/** The same of a driver, whose side is the driver's whatever the input says. */
export const addOnsOfDrivers = defineInputPart(User, 'add-ons', async (tx, user, input: Additional, to: ErrorCollector) => {
  const ids = input.additionalAutoAddOnIds ?? [];
  if (ids.length === 0) return;
  if (!user.roles.includes('driver')) return void to.items.push({ model: to.model, field: FIELD, key: 'not_a_driver' });
  maySeeSide(tx, 'driver');
  const present = await tx.em.find(AutoAddOnAssignment, { driver: user.id });
  await assign(tx, { field: FIELD, ids, company: user.company, side: 'driver', of: { driver: ref(user) }, present }, to);
});
