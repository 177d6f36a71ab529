import { LockMode } from '@mikro-orm/core';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { type ErrorItem, HaulgateError, Invalid, Missing } from '../../platform/errors.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { AddOnCharge } from './add-on-charge.entity.ts';
import type { AddOnChargeChange } from './charge.inputs.ts';
import type { ChargedBill } from './charged-bill.ts';
import { chargedInvoice } from './charged-invoice.ts';
import { chargedSettlement } from './charged-settlement.ts';
import { type ChargedWork, chargedWork, mayChange, type Work } from './charged-work.ts';

/** Work for which charges are requested, or an invoice or a settlement to which they are added. */
export type Charged = ChargedWork | ChargedBill;

/** A charge that is on an invoice because it was requested, or comes by itself, follows its source, and a balance follows the settlement that it is of. */
export const isCopy = ({ addOnApplicableType, requestedById, balanceOf }: AddOnCharge): boolean =>
  Boolean(balanceOf) || (addOnApplicableType === 'Invoice' && !requestedById);

/** The records of a request about the charges of some work, and the problems so far. */
export interface Charging {
  tx: TxContext;
  work: Charged;
  addOns: ReadonlyMap<string, AddOn>;
  loads: ReadonlyMap<string, Load>;
  /** The invoices of the work to which charges are added, or why nothing is added to them. */
  bills: ReadonlyMap<string, ChargedBill | HaulgateError>;
  items: ErrorItem[];
}

/** Finds what the inputs name, each kind in one statement. */
export async function beginCharging(tx: TxContext, work: Charged, inputs: readonly AddOnChargeChange[]): Promise<Charging> {
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

/** @throws Invalid if there are problems */
export function refuseProblems({ items }: Charging): void {
  if (items.length > 0) throw new Invalid(items);
}

/** Locks what is charged, for a viewer who may change its charges. */
export const LOCK_BILL = { Invoice: chargedInvoice, Settlement: chargedSettlement };

/** Locks a charge that the viewer may change. @throws Missing, Denied */
export async function lockCharge(tx: TxContext, id: string): Promise<{ charge: AddOnCharge; work: Charged }> {
  const seen = await find(tx, AddOnCharge, id);
  const { job, driverDay } = seen;
  const about = job ?? driverDay;
  if (!about) {
    const work = await LOCK_BILL[seen.addOnApplicableType!](tx, { id: seen.addOnApplicableId! });
    // Whoever may not change the bill learns nothing of what is charged on it.
    if (isCopy(seen)) throw new Invalid([{ model: 'AddOnCharge', field: 'id', key: 'follows_request' }]);
    return { charge: await find(tx, AddOnCharge, id, { lock: true }), work };
  }
  const of: Work = { type: job ? 'Job' : 'DriverDay', id: about.id };
  const { type } = await chargedWork(tx, of);
  const charge = await find(tx, AddOnCharge, id, { lock: true });
  mayChange(tx, charge);
  return { charge, work: { type, id: of.id, companyId: charge.company.id } };
}

/** Locks the charges of the work that are named, in the order of their ids, so that two requests cannot wait for each other. */
export async function lockCharges(tx: TxContext, work: Charged, changes: readonly AddOnChargeChange[]): Promise<Map<string, AddOnCharge>> {
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
