import type { Ref } from '@mikro-orm/postgresql';
import type { User } from '../../directory/people/user.entity.ts';
import type { AddOnRateType, AddOnType } from '../add-ons/add-on.entity.ts';
import type { InvoiceSide } from '../invoices/invoice-enums.ts';
import type { AddOnApplicableType, AddOnCharge } from './add-on-charge.entity.ts';

/** The books' company, in the column of the permission by which the money is seen. */
export type SeenBy = Pick<AddOnCharge, 'receivableCompanyId' | 'vendorCompanyId' | 'driverCompanyId'>;
export const seenBy = ({ receivableCompanyId, vendorCompanyId, driverCompanyId }: SeenBy): SeenBy => ({
  receivableCompanyId,
  vendorCompanyId,
  driverCompanyId,
});

/** The assignment by which a charge came, also if it was deleted since; null of one that somebody requested. */
export const assignmentOf = ({ autoAddOnAssignment, assignedId }: Pick<AddOnCharge, 'autoAddOnAssignment' | 'assignedId'>): string | null =>
  autoAddOnAssignment?.id ?? assignedId ?? null;

/** A payable is charged at one rate, the cost or else the revenue: the rate of the customer is nobody's business there. */
export function keepPaidRate(charge: Pick<AddOnCharge, 'revenueRateValue' | 'costRateValue'>): void {
  charge.revenueRateValue = charge.costRateValue ?? charge.revenueRateValue;
  charge.costRateValue = null;
}

/** An invoice or a settlement, locked, to which charges are added. */
export interface ChargedBill {
  type: AddOnApplicableType;
  id: string;
  companyId: string;
  side: InvoiceSide;
  /** By whom its money is seen. */
  seenBy: SeenBy;
  /** The driver who is paid by it, if it is one of the company's. */
  payeeDriver: Ref<User> | null;
  /** The job whose loads a charge may name, or the day; absent if it names no load. */
  job?: string | { driverDayId: string };
  /** The uses of which an add-on must have one. */
  uses: readonly AddOnType[];
  /** The ways in which a charge may be counted; by default, all of them. */
  rateTypes?: readonly AddOnRateType[];
  /** It is billed anew, so that its charges may have other terms than before. */
  isRebilled: boolean;
  /** Called when a charge is taken from it. */
  letGo?(charge: AddOnCharge): Promise<unknown>;
  /** Computes it with the charges that it has now. */
  refresh(): Promise<void>;
}
