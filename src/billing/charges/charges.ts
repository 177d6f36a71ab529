import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorItem, HaulgateError, Invalid } from '../../platform/errors.ts';
import { compareDays } from '../invoices/following/compare-again.ts';
import { type AddOnApplicableType, AddOnCharge } from './add-on-charge.entity.ts';
import type { AddOnChargeChange, AddOnChargeInput } from './charge.inputs.ts';
import type { ChargedBill } from './charged-bill.ts';
import { type ChargedWork, chargedWork, type Work } from './charged-work.ts';
import { beginCharging, type Charged, type Charging, isCopy, LOCK_BILL, lockCharge, lockCharges, refuseProblems } from './charging.ts';
import { addCharge, changeCharge, removeCharge } from './write-charge.ts';

const model = 'AddOnCharge';
/** Changes of one request. */
const MOST = 100;
/** The field of the list of changes. */
const LIST = 'addOnCharges';

/** Requests a charge for a job or a driver day, or adds it to an invoice of it that is named. @throws Missing, Denied, Invalid */
export function createCharge(ctx: Context, work: Work, input: AddOnChargeInput): Promise<AddOnCharge> {
  return transact(ctx, async (tx) => {
    const charging = await beginCharging(tx, await chargedWork(tx, work), [input]);
    const charge = addCharge(charging, input, '');
    refuseProblems(charging);
    await pricedBills(charging);
    await comparesDay(tx, charging.work);
    return charge;
  });
}

/** Changes a requested charge. @throws Missing, Denied, Invalid */
export function updateCharge(ctx: Context, id: string, input: AddOnChargeInput): Promise<AddOnCharge> {
  return transact(ctx, async (tx) => {
    const { charge, work } = await lockCharge(tx, id);
    const charging = await beginCharging(tx, work, [{ ...input, id }]);
    changeCharge(charging, charge, input, '');
    refuseProblems(charging);
    await priced(work);
    await comparesDay(tx, work);
    return charge;
  });
}

/** @throws Missing, Denied */
export function deleteCharge(ctx: Context, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const { charge, work } = await lockCharge(tx, id);
    await removeCharge(tx, work, charge);
    await priced(work);
    await comparesDay(tx, work);
  });
}

/** Adds a charge to a pending invoice or settlement, which nobody requested for its work. @throws Missing, Denied, Invalid */
export function createBillCharge(ctx: Context, type: AddOnApplicableType, path: RecordPath, input: AddOnChargeInput): Promise<AddOnCharge> {
  return transact(ctx, async (tx) => {
    const bill = await LOCK_BILL[type](tx, path);
    const charging = await beginCharging(tx, bill, [input]);
    const charge = addCharge(charging, input, '');
    refuseProblems(charging);
    await priced(bill);
    return charge;
  });
}

/** The same as `changeCharges`, for charges of a pending invoice or settlement. @throws Missing, Denied, Invalid */
export function changeBillCharges(
  ctx: Context,
  type: AddOnApplicableType,
  path: RecordPath,
  changes: readonly AddOnChargeChange[],
): Promise<ChargedBill> {
  return transact(ctx, async (tx) => {
    const bill = await LOCK_BILL[type](tx, path);
    await changeAll(tx, bill, changes);
    await priced(bill);
    return bill;
  });
}

/** An invoice or a settlement comes to something else with other charges. */
const priced = async (of: Charged): Promise<void> => ('refresh' in of ? of.refresh() : undefined);

/** Charges that are requested for a day are paid with it, or with one of its jobs. */
const comparesDay = async (tx: TxContext, of: Charged): Promise<void> =>
  'uses' in of || of.type === 'Job' ? undefined : compareDays(tx, [of.id]);
async function pricedBills({ bills }: Charging): Promise<void> {
  for (const bill of bills.values()) if (!(bill instanceof HaulgateError)) await priced(bill);
}

/**
 * Adds, changes and removes charges of a job or a driver day, all or none.
 * @returns the work, whose charges are then read, and what was added to its invoices
 * @throws Missing, Denied, Invalid naming every problem by its place in the list
 */
export function changeCharges(
  ctx: Context,
  of: Work,
  changes: readonly AddOnChargeChange[],
): Promise<{ work: ChargedWork; billed: readonly string[] }> {
  return transact(ctx, async (tx) => {
    const work = await chargedWork(tx, of);
    const added = await changeAll(tx, work, changes);
    return { work, billed: added.filter(({ addOnApplicableId }) => addOnApplicableId).map(({ id }) => id) };
  });
}

/** @returns the charges that were added */
async function changeAll(tx: TxContext, work: Charged, changes: readonly AddOnChargeChange[]): Promise<AddOnCharge[]> {
  if (changes.length > MOST) throw new Invalid([{ model, field: LIST, key: 'too_many_items', params: { max: MOST } }]);
  const charging = await beginCharging(tx, work, changes);
  const known = await lockCharges(tx, work, changes);
  const named = new Set<string>();
  const added: AddOnCharge[] = [];
  for (const [i, given] of changes.entries()) {
    const at = `${LIST}.${i}.`;
    const problem = wrongShape(given, known, named);
    if (problem) charging.items.push({ model, ...problem, field: `${at}${problem.field}` });
    else if (!given.id) added.push(addCharge(charging, given, at));
    else if (given._destroy) await removeCharge(tx, work, known.get(given.id.toLowerCase())!);
    else changeCharge(charging, known.get(given.id.toLowerCase())!, given, at);
  }
  refuseProblems(charging);
  await pricedBills(charging);
  await comparesDay(tx, work);
  return added;
}

/** Returns the problem with the ids of a change; undefined if there is none. */
function wrongShape(
  { id, _destroy }: AddOnChargeChange,
  known: ReadonlyMap<string, AddOnCharge>,
  named: Set<string>,
): Pick<ErrorItem, 'field' | 'key' | 'params'> | undefined {
  if (_destroy && _destroy !== 1) return { field: '_destroy', key: 'not_one_of', params: { values: '0, 1' } };
  if (!id) return _destroy ? { field: 'id', key: 'required' } : undefined;
  const key = id.toLowerCase();
  if (named.has(key)) return { field: 'id', key: 'given_twice' };
  named.add(key);
  const charge = known.get(key);
  if (!charge) return { field: 'id', key: 'must_exist' };
  return isCopy(charge) ? { field: 'id', key: 'follows_request' } : undefined;
}
