import { LockMode, ref } from '@mikro-orm/core';
import { Company } from '../../directory/companies/company.entity.ts';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { onlySeen } from '../../identity/access/money.ts';
import { find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { type ErrorItem, HaulgateError, Invalid, Missing } from '../../platform/errors.ts';
import { AddOn, type AddOnType } from '../add-ons/add-on.entity.ts';
import { beginTerms, fillTerms } from '../add-ons/terms.ts';
import { compareDays } from '../invoices/following/compare-again.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { type AddOnApplicableType, AddOnCharge } from './add-on-charge.entity.ts';
import type { AddOnChargeChange, AddOnChargeInput } from './charge.inputs.ts';
import { type ChargedBill, keepPaidRate } from './charged-bill.ts';
import { chargedInvoice } from './charged-invoice.ts';
import { chargedSettlement } from './charged-settlement.ts';
import { type ChargedWork, chargedWork, mayChange, type Work } from './charged-work.ts';

const model = 'AddOnCharge';
/** Changes of one request. */
const MOST = 100;
/** What an add-on must be for, to be requested for a kind of work. */
const USES: Record<Work['type'], readonly AddOnType[]> = {
  Job: ['job', 'invoicing', 'driver_pay'],
  DriverDay: ['driver_day', 'driver_pay'],
};
const usesOf = (of: Charged): readonly AddOnType[] => ('uses' in of ? of.uses : USES[of.type]);

/** Work for which charges are requested, or an invoice or a settlement to which they are added. */
type Charged = ChargedWork | ChargedBill;

/** How what is charged is locked, for a viewer who may change its charges. */
const BILLS = { Invoice: chargedInvoice, Settlement: chargedSettlement };

/** Requests a charge for a job or a driver day, or adds it to an invoice of it that is named. @throws Missing, Denied, Invalid */
export function createCharge(ctx: Context, work: Work, input: AddOnChargeInput): Promise<AddOnCharge> {
  return transact(ctx, async (tx) => {
    const charging = await begin(tx, await chargedWork(tx, work), [input]);
    const charge = add(charging, input, '');
    settle(charging);
    await pricedBills(charging);
    await comparesDay(tx, charging.work);
    return charge;
  });
}

/** Changes a requested charge. @throws Missing, Denied, Invalid */
export function updateCharge(ctx: Context, id: string, input: AddOnChargeInput): Promise<AddOnCharge> {
  return transact(ctx, async (tx) => {
    const { charge, work } = await lockCharge(tx, id);
    const charging = await begin(tx, work, [{ ...input, id }]);
    change(charging, charge, input, '');
    settle(charging);
    await priced(work);
    await comparesDay(tx, work);
    return charge;
  });
}

/** @throws Missing, Denied */
export function deleteCharge(ctx: Context, id: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const { charge, work } = await lockCharge(tx, id);
    await remove(tx, work, charge);
    await priced(work);
    await comparesDay(tx, work);
  });
}

/** Adds a charge to a pending invoice or settlement, which nobody requested for its work. @throws Missing, Denied, Invalid */
export function createBillCharge(ctx: Context, type: AddOnApplicableType, path: RecordPath, input: AddOnChargeInput): Promise<AddOnCharge> {
  return transact(ctx, async (tx) => {
    const bill = await BILLS[type](tx, path);
    const charging = await begin(tx, bill, [input]);
    const charge = add(charging, input, '');
    settle(charging);
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
    const bill = await BILLS[type](tx, path);
    await changeAll(tx, bill, changes);
    await priced(bill);
    return bill;
  });
}

/** An invoice or a settlement comes to something else with other charges. */
const priced = async (of: Charged): Promise<void> => ('refresh' in of ? of.refresh() : undefined);

/** What is requested for a day is paid with it, or with one of its jobs. */
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
  const charging = await begin(tx, work, changes);
  const known = await lockCharges(tx, work, changes);
  const named = new Set<string>();
  const added: AddOnCharge[] = [];
  for (const [i, given] of changes.entries()) {
    const at = `${LIST}.${i}.`;
    const problem = wrongShape(given, known, named);
    if (problem) charging.items.push({ model, ...problem, field: `${at}${problem.field}` });
    else if (!given.id) added.push(add(charging, given, at));
    else if (given._destroy) await remove(tx, work, known.get(given.id.toLowerCase())!);
    else change(charging, known.get(given.id.toLowerCase())!, given, at);
  }
  settle(charging);
  await pricedBills(charging);
  await comparesDay(tx, work);
  return added;
}

const LIST = 'addOnCharges';

/** What is wrong with the ids of a change; undefined if nothing is. */
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

/** What is on an invoice because it was requested, or comes by itself, follows that, and a balance the settlement that it is of. */
const isCopy = ({ addOnApplicableType, requestedById, balanceOf }: AddOnCharge): boolean =>
  Boolean(balanceOf) || (addOnApplicableType === 'Invoice' && !requestedById);

/** What a request about the charges of some work has found, and the problems so far. */
interface Charging {
  tx: TxContext;
  work: Charged;
  addOns: ReadonlyMap<string, AddOn>;
  loads: ReadonlyMap<string, Load>;
  /** The invoices of the work to which charges are added, or why nothing is added to them. */
  bills: ReadonlyMap<string, ChargedBill | HaulgateError>;
  items: ErrorItem[];
}

/** Finds what the inputs name, each kind in one statement. */
async function begin(tx: TxContext, work: Charged, inputs: readonly AddOnChargeChange[]): Promise<Charging> {
  const idsOf = (field: 'addOnId' | 'loadId' | 'invoiceId', of = inputs) => [
    ...new Set(of.flatMap((input) => input[field]?.toLowerCase() ?? [])),
  ];
  const [addOnIds, loadIds] = [idsOf('addOnId'), idsOf('loadId')];
  const added = inputs.filter(({ id }) => !id);
  const bills = 'uses' in work ? new Map() : await billsOf(tx, work, idsOf('invoiceId', added));
  const addOns =
    addOnIds.length === 0 ? [] : await tx.em.find(AddOn, { id: { $in: addOnIds }, company: work.companyId, discardedAt: null });
  const job = 'uses' in work ? work.job : work.type === 'Job' ? work.id : { driverDayId: work.id };
  // The loads of a job that was passed on are the owner's.
  const loads = loadIds.length === 0 || !job ? [] : await tx.em.find(Load, { id: { $in: loadIds }, job }, { filters: { tenant: false } });
  const byId = <T extends { id: string }>(records: readonly T[]) => new Map(records.map((record) => [record.id, record]));
  return { tx, work, addOns: byId(addOns), loads: byId(loads), bills, items: [] };
}

/** Locks the invoices of some work that are named. @throws Denied to who may not change invoices */
async function billsOf(tx: TxContext, { type, id, companyId }: ChargedWork, ids: string[]): Promise<Charging['bills']> {
  if (ids.length === 0) return new Map();
  const of = type === 'Job' ? { job: id } : { driverDay: id, job: null };
  const found = await tx.em.find(Invoice, { id: { $in: ids }, company: companyId, ...of }, { orderBy: { id: 'asc' } });
  const bills = new Map<string, ChargedBill | HaulgateError>();
  for (const invoice of found) {
    const bill = await chargedInvoice(tx, { id: invoice.id, companyId }).catch((error: unknown) => {
      if (error instanceof Invalid || error instanceof Missing) return error;
      throw error;
    });
    bills.set(invoice.id, bill);
  }
  return bills;
}

function settle({ items }: Charging): void {
  if (items.length > 0) throw new Invalid(items);
}

function add(asked: Charging, sent: AddOnChargeInput, at: string): AddOnCharge {
  const bill = 'uses' in asked.work || !sent.invoiceId ? undefined : asked.bills.get(sent.invoiceId.toLowerCase());
  const charging = bill && !(bill instanceof HaulgateError) ? { ...asked, work: bill } : asked;
  const { tx, work } = charging;
  if (sent.invoiceId && !('uses' in work)) {
    const [{ key, params } = { key: 'must_exist', params: undefined }] = bill instanceof HaulgateError ? bill.items : [];
    asked.items.push({ model, field: `${at}invoiceId`, key, params });
  }
  const charge = Object.assign(new AddOnCharge(), {
    company: ref(Company, work.companyId),
    ...('uses' in work
      ? { addOnApplicableType: work.type, addOnApplicableId: work.id, payeeDriver: work.payeeDriver, ...work.seenBy }
      : {
          receivableCompanyId: work.companyId,
          ...(work.type === 'Job' ? { job: ref(Job, work.id) } : { driverDay: ref(DriverDay, work.id) }),
        }),
    requestedById: viewerOf(tx).id,
  });
  beginTerms(charge, sent.addOnId ? charging.addOns.get(sent.addOnId.toLowerCase()) : undefined);
  fill(charging, charge, sent, at);
  tx.em.persist(charge);
  emitEvent(tx, 'add_on_charge.created', charge);
  return charge;
}

function change(charging: Charging, charge: AddOnCharge, sent: AddOnChargeInput, at: string): void {
  if (!('uses' in charging.work)) {
    mayChange(charging.tx, charge);
    if (sent.invoiceId) charging.items.push({ model, field: `${at}invoiceId`, key: 'request_of_work' });
  }
  fill(charging, charge, sent, at);
  emitEvent(charging.tx, 'add_on_charge.updated', charge);
}

async function remove(tx: TxContext, work: Charged, charge: AddOnCharge): Promise<void> {
  if ('uses' in work) await work.letGo?.(charge);
  else mayChange(tx, charge);
  tx.em.remove(charge);
  emitEvent(tx, 'add_on_charge.deleted', charge);
}

function fill({ tx, work, addOns, loads, items }: Charging, charge: AddOnCharge, sent: AddOnChargeInput, at: string): void {
  // Who changes the charges of an invoice or a settlement sees the money of its side.
  const input = 'uses' in work ? sent : onlySeen(viewerOf(tx), sent, 'RequestedCharge');
  const report = (field: string, key: string, params?: ErrorItem['params']) => items.push({ model, field: `${at}${field}`, key, params });
  if (sent.invoiceId && 'uses' in work && sent.invoiceId.toLowerCase() !== work.id) report('invoiceId', 'other_invoice');
  if (input.addOnId !== undefined) {
    const addOn = input.addOnId === null ? null : addOns.get(input.addOnId.toLowerCase());
    if (addOn === undefined) report('addOnId', 'must_exist');
    else if (addOn && !addOn.addOnTypes.some((type) => usesOf(work).includes(type)))
      report('addOnId', 'add_on_of_other_use', { values: usesOf(work).join(', ') });
    charge.addOn = addOn ? ref(addOn) : null;
    // A charge without an add-on is not taxed (DOMAIN 3.8).
    charge.taxable = addOn?.taxable ?? false;
    charge.percentageBase = addOn?.percentageBase ?? 'lines';
  }
  if (input.loadId !== undefined) {
    const load = input.loadId === null ? null : loads.get(input.loadId.toLowerCase());
    if (load === undefined) report('loadId', 'must_exist');
    charge.load = load ? ref(load) : null;
  }
  fillTerms(charge, input, { model, at, items });
  if ('uses' in work && work.side === 'payable') keepPaidRate(charge);
  const { rateTypes, isRebilled = false }: Partial<ChargedBill> = 'uses' in work ? work : {};
  if (rateTypes && !rateTypes.includes(charge.revenueCostRateType)) report(rateTypeIn(sent), 'fuel_on_invoices');
  for (const field of ['rebillRevenueRateValue', 'rebillPercentage'] as const) {
    if (input[field] != null && !isRebilled) report(field, 'not_a_rebill');
    else if (input[field] !== undefined) charge[field] = input[field];
  }
  // Only an add-on says by which schedule.
  if (charge.revenueCostRateType === 'FuelSurcharge' && !charge.addOn) report('revenueCostRateType', 'only_of_fuel_surcharge');
}

/** The field that says how a charge is counted. */
const rateTypeIn = (sent: AddOnChargeInput): string =>
  sent.addOnId && !sent.revenueCostRateType && !sent.addOnRateType ? 'addOnId' : 'revenueCostRateType';

/** Locks a charge that the viewer may change. @throws Missing, Denied */
async function lockCharge(tx: TxContext, id: string): Promise<{ charge: AddOnCharge; work: Charged }> {
  const seen = await find(tx, AddOnCharge, id);
  const { job, driverDay } = seen;
  const about = job ?? driverDay;
  if (!about) {
    if (isCopy(seen)) throw new Invalid([{ model, field: 'id', key: 'follows_request' }]);
    const work = await BILLS[seen.addOnApplicableType!](tx, { id: seen.addOnApplicableId! });
    return { charge: await find(tx, AddOnCharge, id, { lock: true }), work };
  }
  const of: Work = { type: job ? 'Job' : 'DriverDay', id: about.id };
  const { type } = await chargedWork(tx, of);
  const charge = await find(tx, AddOnCharge, id, { lock: true });
  mayChange(tx, charge);
  return { charge, work: { type, id: of.id, companyId: charge.company.id } };
}

/** Locks the charges of the work that are named, in the order of their ids, so that two requests cannot wait for each other. */
async function lockCharges(tx: TxContext, work: Charged, changes: readonly AddOnChargeChange[]): Promise<Map<string, AddOnCharge>> {
  const ids = [...new Set(changes.flatMap(({ id }) => id?.toLowerCase() ?? []))];
  if (ids.length === 0) return new Map();
  const applied = 'uses' in work ? work.id : null;
  const of = 'uses' in work ? {} : work.type === 'Job' ? { job: work.id } : { driverDay: work.id };
  const found = await tx.em.find(
    AddOnCharge,
    { id: { $in: ids }, ...of, company: work.companyId, addOnApplicableId: applied },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  );
  return new Map(found.map((charge) => [charge.id, charge]));
}
