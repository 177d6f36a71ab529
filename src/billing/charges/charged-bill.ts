import type { Ref } from '@mikro-orm/postgresql';
import type { User } from '../../directory/people/user.entity.ts';
import type { AddOnRateType, AddOnType } from '../add-ons/add-on.entity.ts';
import type { AddOnApplicableType, AddOnCharge } from './add-on-charge.entity.ts';

/** An invoice or a settlement, locked, to which charges are added. */
export interface ChargedBill {
  type: AddOnApplicableType;
  id: string;
  companyId: string;
  /** The driver who is paid by it, if it is one of the company's. */
  payeeDriver: Ref<User> | null;
  /** The job whose loads a charge may name, or the day; absent if it names no load. */
  job?: string | { driverDayId: string };
  /** What an add-on must be for. */
  uses: readonly AddOnType[];
  /** How a charge may be counted; by default, in every way. */
  rateTypes?: readonly AddOnRateType[];
  /** It is billed anew, so that its charges may have other terms than before. */
  isRebilled: boolean;
  /** What follows when a charge is taken from it. */
  letGo?(charge: AddOnCharge): Promise<unknown>;
  /** Computes it with the charges that it has now. */
  refresh(): Promise<void>;
}
