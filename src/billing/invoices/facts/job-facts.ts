import type { Currency } from '../../../directory/companies/company-enums.ts';
import type { RateOwnerType } from '../../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../../directory/master-data/units.ts';
import type { ByBreaks } from '../../../dispatch/drivers/driver-day-figures.ts';
import type { JobState, LoadState } from '../../../dispatch/model/states.ts';
import type { RateTerms } from '../../../dispatch/pricing/rate-statement.ts';
import type { Choice } from '../../pricing/figure.ts';
import type { PoRule } from '../../profiles/purchase-order.ts';
import type { InvoiceSide } from '../invoice-enums.ts';
import type { ChargeOfJob } from './charge-facts.ts';

/** A rate as it is noted on a job or agreed on along a link. Numbers are decimal texts, as PostgreSQL writes them. */
export interface RateFacts {
  rateId: string | null;
  type: RateType | null;
  value: string | null;
  minimum: string | null;
  increment: string | null;
  /** The further terms of its rate card. */
  terms: RateTerms | null;
  /** Since when its rate card, or the project that prescribes it, said so; null where nobody noted that. */
  since?: string | null;
  /** Why it is this one. */
  chosen?: Choice;
}

/** A correction of the quantity or the unit of an approved ticket. */
export interface AmendmentOfTicket {
  id: string;
  since: string;
  /** The company of the person who corrected it; nobody else reads why. */
  companyId: string;
  /** Equal of what was corrected at once. */
  at: string;
  field: 'quantity' | 'unitOfMeasure';
  before: string | null;
  after: string | null;
  reason: string;
}

/** A load that is to be paid, or that keeps a job from being paid. */
export interface LoadOfJob {
  id: string;
  loadId: string;
  /** Its place among the loads of its job. */
  ordinality: number;
  state: LoadState;
  version: number;
  quantity: string | null;
  unit: UnitOfMeasure | null;
  /** Of its material, in tonnes of a cubic metre. */
  density: string | null;
  /** Since when the material has been as it was read. */
  densitySince?: string | null;
  materialId: string | null;
  /** The prices at which its material is sold and bought, for one of a unit: as somebody set them on the load, or as on its job. */
  sellPrice: string | null;
  buyPrice: string | null;
  materialUnit: UnitOfMeasure | null;
  /** Whether somebody set that on the load. */
  ownPrice: boolean;
  /** The owner's account of who is paid for its material; null if nobody is known who sells it, or at which price. */
  supplierId: string | null;
  /** Minutes at its pickup and at its drop-off; null where nobody noted them. */
  onSite: (number | null)[];
  /** In microseconds; null of one that nobody has completed. */
  completedAt: number | null;
  /** Of the ticket that says the quantity; null if it was reported. */
  ticketId: string | null;
  ticketVersion: number | null;
  /** The corrections of the quantity and the unit of that ticket since it was approved, in this order; null if there are none. */
  amendments: AmendmentOfTicket[] | null;
  /** Why there is no such ticket although somebody expects it; of a load that nobody began, whether there is one without a quantity. */
  ticketProblem: 'ticket_missing' | 'ticket_incomplete' | null;
  /** When that ticket came. */
  ticketedAt: string | null;
  /** Companies that approved it for billing. */
  approvedBy: string[];
}

/** A link of the chain by which a job was passed on. */
export interface LinkOfJob extends RateFacts {
  id: string;
  customerCompanyId: string;
  vendorCompanyId: string | null;
  customerAccountId: string | null;
  vendorAccountId: string | null;
  /** The amount of the commission for one of what is hauled, as it is noted on the link, if it has one. */
  commission: string | null;
  /** Its rate was agreed on for it alone. */
  ownRate: boolean;
}

/** Books in which a job may be invoiced. */
export interface BooksCompany {
  id: string;
  /** Since when it has been as it was read. */
  since?: string;
  currency: Currency;
  /** The local date of the job's start. */
  serviceDate: string;
  /** The local date of the order, or of the job's start if the company chose that, by which fuel is charged (BILLING B6). */
  fuelDate: string;
  /** Invoices wait until their loads, or the job, are approved for billing. */
  approvesWork: boolean;
  /** Per cent of a receivable below which what is left of it is a thin margin. */
  thinBelow: number;
  /** Minutes before the start within which a job is canceled too late; null if the company requests nothing for that. */
  cancelNotice: number | null;
  /** Whether it has been decided what is requested for a job that was canceled. */
  stackOutNoted: boolean;
}

/** The way in which an account is billed. */
export interface ProfileFacts extends PoRule {
  /** It is exempt from tax. */
  exempt: boolean;
  /** Weeks by which fuel is charged at an older price; null for those of the schedule. */
  fuelLagWeeks: number | null;
  /** Whether breaks are paid; null for those of a day as its company chose, and for no others. */
  breaksPaid: boolean | null;
}

/** The edits of a line of time: between which times is paid, and minutes more or less. */
export interface EditedTime {
  /** The line, and since when it has been as it was read. */
  id: string;
  since: string;
  /** `keyOfBooks` of its invoice. */
  books: string;
  from: string | null;
  until: string | null;
  adjustment: number;
}

/** A job of a driver's day that has another owner. */
export interface OtherOfDay {
  id: string;
  companyId: string;
  /** Of which it is a part if it is done; null while it is not. */
  minutes: number | null;
}

/** The choices of a driver's company for the time that is paid. Billed work is paid as it was then (BILLING B2, B3). */
export interface TimeChoices {
  /** Paid minutes of a day from which a driver's hours are overtime; null if overtime is paid as all other time. */
  overtimeAfter: number | null;
  /** Of what was billed with overtime: whether all hours of the day counted for it, or only those at the same rate, as until 2026-11; absent of what is priced now. */
  overtimeOfDay?: boolean;
  /** Whether breaks are paid where the time of the whole day is; as it was when the day was approved. */
  breaksPaid: boolean;
  /** Of what was billed: what the profile of its account said of breaks; absent where nobody noted that. */
  accountBreaks?: boolean | null;
}

/** Everything that the invoices of a job depend on. */
export interface JobFacts extends TimeChoices {
  id: string;
  version: number;
  companyId: string;
  orderId: string;
  orderVersion: number;
  /** The name or number by which people know it. */
  jobId: string;
  number: number;
  startAt: string;
  projectId: string | null;
  equipmentId: string | null;
  materialId: string | null;
  driverId: string | null;
  /** The day on which its driver left for it. */
  driverDayId: string | null;
  driverDayVersion: number | null;
  /** Time is paid by the day of the driver: an approved invoice decides, otherwise what the driver or the company chose. */
  paidByDay: boolean;
  /** Whether anything was requested for that day. */
  isDayCharged: boolean;
  driverCompanyId: string | null;
  /** The amount of its driver's commission for one of what is hauled, as it is noted on the job. */
  driverCommission: { value: string | null; type: RateType | null };
  pickupSiteId: string | null;
  dropoffSiteId: string | null;
  state: JobState;
  /** When it was canceled, and in which state it was before; null unless it was. */
  canceled: { from: JobState; at: string } | null;
  accountId: string;
  /** The number of the customer's purchase order. */
  purchaseOrder: string | null;
  /** The billing profiles of those customers of the job that want something special, by their accounts. */
  profiles: Record<string, ProfileFacts>;
  /** The hours that somebody decided instead of the work. */
  overridingHours: string | null;
  approvedMinutes: number | null;
  workedMinutes: number | null;
  /** Breaks between its start and end, which are no part of these; null of a job that is not finished. */
  breakMinutes: number | null;
  /** Minutes from the first entry at a pickup to the last exit at a drop-off; null if nobody saw them. */
  siteMinutes: ByBreaks | null;
  /** Minutes of the day between leaving the home base and coming back to it; null if nobody saw that. */
  portalMinutes: ByBreaks | null;
  /** Minutes of the shift of its day; null while it lasts, or if no side is paid by it. */
  shiftMinutes: ByBreaks | null;
  /** The rates of its invoices that are paid by the day, such as one that somebody set by hand, or a rate card that was another one when it was billed. */
  dailyRates: Pick<RateFacts, 'type' | 'terms'>[];
  /** Whether overtime was paid by one of its invoices. */
  hadOvertime: boolean;
  /** The edits of its lines of time. */
  editedTimes: EditedTime[];
  /** The books (`keyOfBooks`) in which somebody set the rate by hand. */
  byHand: string[];
  /** The jobs of its driver and date, in the order of the work, if a rate is paid by the day; without this one. */
  sameDay: JobFacts[];
  /** The work of its driver on its day for other owners, of whom nothing else is known. */
  othersOfDay: OtherOfDay[];
  /** The other jobs of its order, if a rate goes by how much of the order was hauled. */
  sameOrder: JobOfOrder[];
  /** Whether other jobs were priced by what this one hauled. */
  wasCounted: boolean;
  startedAt: string | null;
  endedAt: string | null;
  approvedBy: string[];
  taxRate: string | null;
  taxFreight: boolean;
  taxMaterial: boolean;
  taxAddOns: boolean;
  itemized: boolean;
  sellPrice: string | null;
  materialUnit: UnitOfMeasure | null;
  rates: Partial<Record<RateOwnerType, RateFacts>>;
  links: LinkOfJob[];
  loads: LoadOfJob[];
  companies: BooksCompany[];
  /** Loads whose tickets contradict something else, on a side of books whose company wants that settled before an invoice is approved. */
  conflicts: { companyId: string; side: InvoiceSide; loadId: string }[];
  charges: ChargeOfJob[];
  /** Of a part of the job: the loads of the other parts that are paid at the same rate, over which its tiers are counted, too. */
  loadsOfOthers?: LoadOfJob[];
  /** A part of the job whose time, and whatever else is not for a load, another part has. */
  isFurther?: boolean;
}

/** The parts of the facts of a job in which they are read. */
export type MoreOfJob = Pick<JobFacts, 'purchaseOrder' | 'profiles' | 'itemized' | 'canceled' | 'sellPrice' | 'materialUnit'> &
  Pick<JobFacts, 'rates' | 'links' | 'loads' | 'companies' | 'conflicts' | 'charges'>;
export type WorkedTimes = Pick<JobFacts, 'startedAt' | 'endedAt' | 'workedMinutes' | 'breakMinutes'>;
/** What is known of a job by itself, without the others of its day and order. */
export type FactsAlone = Omit<
  JobFacts,
  'sameDay' | 'sameOrder' | 'shiftMinutes' | 'loadsOfOthers' | 'isFurther' | 'accountBreaks' | 'overtimeOfDay'
>;
export type FactsOfJob = Omit<FactsAlone, keyof WorkedTimes | keyof MoreOfJob>;

/** The facts that decide who pays for a job, and at which rate. */
export type Agreed = Pick<
  JobFacts,
  'companyId' | 'accountId' | 'driverId' | 'driverDayId' | 'driverCompanyId' | 'paidByDay' | 'state' | 'rates' | 'links'
>;
/** Another job of an order, whose loads count for its tiers. */
export type JobOfOrder = Agreed &
  Pick<JobFacts, 'id' | 'number' | 'byHand'> & {
    loads: Pick<
      LoadOfJob,
      'id' | 'loadId' | 'ordinality' | 'state' | 'quantity' | 'unit' | 'density' | 'densitySince' | 'materialId' | 'completedAt'
    >[];
  };
