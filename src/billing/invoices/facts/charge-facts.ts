import type { RateOwnerType } from '../../../directory/master-data/rate.entity.ts';
import type { AddOnRateType, AddOnType, PercentageBase } from '../../add-ons/add-on.entity.ts';
import type { ApplyingAddOn } from '../../auto-add-ons/applying.ts';
import type { FuelRecord, FuelSurchargeWarning } from '../../fuel/fuel-rate.ts';
import type { FuelSurchargeScheduleType } from '../../fuel/fuel-surcharge-schedule.entity.ts';

/** The fuel surcharge of a charge, by its schedule. */
export interface FuelOfCharge {
  /** The amount that it charges on the day of the work; null if nobody knows. */
  billSurcharge: string | null;
  /** The day of the price of fuel by which that is. */
  ratedOn: string | null;
  /** That price; null without one, and where nobody noted it. */
  fuelPrice: (FuelRecord & { price: string }) | null;
  /** The row that holds at that price; null below the first one, and where nobody noted it. */
  fuelRow: (FuelRecord & { from: string }) | null;
  /** Why that may not be what was meant. */
  fuelWarnings: FuelSurchargeWarning[];
}

/** A charge that was requested for a job, or that comes by itself, in the books of one company. */
export interface ChargeOfJob extends Partial<FuelOfCharge> {
  /** Of the request, or of the assignment by which it comes. */
  id: string;
  /** Since when that has been as it was read; absent where nobody noted it. */
  since?: string | null;
  /** Of a charge that comes by itself: the side on which it is. */
  auto?: RateOwnerType;
  /** Of a charge that came by itself and was billed: its assignment is not there any more. */
  gone?: true;
  /** Of a charge that comes by itself: the first assignment, of which there is one charge. */
  rootId?: string;
  companyId: string;
  /** Of a charge that was requested for the day of the job, whose driver is paid by the job. */
  dayId?: string;
  /** Of a charge for each load that is paid with other work than it is for: the delivered loads of what it is for. */
  loadIds?: string[];
  /** Of a charge of one invoice, which nobody requested for the job. */
  invoiceId?: string | null;
  addOnId: string | null;
  name: string;
  quantity: string;
  type: AddOnRateType;
  /** The price of one for a customer; that for a vendor or driver, or null for the same. */
  rate: string | null;
  costRate: string | null;
  percentage: string | null;
  percentageBase: PercentageBase;
  taxable: boolean;
  /** Where the add-on may be used; null of a charge without one. */
  uses: AddOnType[] | null;
  /** Of a charge for waiting that comes by itself. */
  waiting?: ApplyingAddOn['waiting'];
  scheduleId: string | null;
  scheduleType: FuelSurchargeScheduleType | null;
  /** The charges for a customer and for a vendor whose fuel has weeks of its own. */
  ofAccounts?: { receivable?: FuelOfCharge; payable?: FuelOfCharge };
}
