import type { Currency } from '../../directory/companies/company-enums.ts';
import type { RateOwnerType } from '../../directory/master-data/rate.entity.ts';
import type { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { type ByBreaks, paidMinutesOf } from '../../dispatch/drivers/driver-day-figures.ts';
import type { JobState, LoadState } from '../../dispatch/model/states.ts';
import type { RateTerms } from '../../dispatch/pricing/rate-statement.ts';
import { namedStatement } from '../../platform/database/named-statements.ts';
import { planOnce, planOnceForFew } from '../../platform/database/planned-once.ts';
import type { Query } from '../../platform/database/sql.ts';
import { decimalText } from '../../platform/decimal.ts';
import type { AddOnRateType, AddOnType, PercentageBase } from '../add-ons/add-on.entity.ts';
import { type ApplyingAddOn, autoAddOnsOf } from '../auto-add-ons/applying.ts';
import { type FueledDay, fuelRatesOn } from '../fuel/fuel-rate.ts';
import type { FuelSurchargeScheduleType } from '../fuel/fuel-surcharge-schedule.entity.ts';
import type { PoRule } from '../profiles/purchase-order.ts';
import { FACTS, OF_ORDERS, SAME_DAY, SIDES } from './job-facts.sql.ts';

/** A rate as it is noted on a job or agreed on along a link. Numbers are decimal texts, as PostgreSQL writes them. */
export interface RateFacts {
  rateId: string | null;
  type: RateType | null;
  value: string | null;
  minimum: string | null;
  increment: string | null;
  /** What its card says beyond that. */
  terms: RateTerms | null;
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
  materialId: string | null;
  /** Minutes at its pickup and at its drop-off; null where nobody noted them. */
  onSite: (number | null)[];
  /** In microseconds; null of one that nobody has completed. */
  completedAt: number | null;
  /** Of the ticket that says the quantity; null if it was reported. */
  ticketId: string | null;
  ticketVersion: number | null;
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
}

/** A charge that was requested for a job, or that comes by itself, in the books of one company. */
export interface ChargeOfJob {
  /** Of the request, or of the assignment by which it comes. */
  id: string;
  /** Of a charge that comes by itself: the side on which it is. */
  auto?: RateOwnerType;
  /** Of a charge that comes by itself: the first assignment, of which there is one charge. */
  rootId?: string;
  companyId: string;
  /** Of a charge of one invoice, which nobody requested for the job. */
  invoiceId?: string | null;
  addOnId: string | null;
  name: string;
  quantity: string;
  type: AddOnRateType;
  /** What a customer pays for one; what a vendor or driver gets, or null for the same. */
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
  /** What the schedule charges on the day of the work; null if nobody knows, absent without a schedule. */
  billSurcharge?: string | null;
  /** What it charges a customer whose fuel has weeks of its own. */
  customerSurcharge?: string | null;
}

/** Books in which a job may be invoiced. */
export interface BooksCompany {
  id: string;
  currency: Currency;
  /** The local date of the job's start. */
  serviceDate: string;
  /** The local date of the order, by which fuel is charged (BILLING B6). */
  fuelDate: string;
  /** Per cent of a receivable below which what is left of it is a thin margin. */
  thinBelow: number;
  /** Minutes before the start within which a job is canceled too late; null if the company requests nothing for that. */
  cancelNotice: number | null;
  /** Whether it has been decided what is requested for a job that was canceled. */
  stackOutNoted: boolean;
}

/** How an account is billed. */
export interface ProfileFacts extends PoRule {
  /** It is exempt from tax. */
  exempt: boolean;
  /** Weeks by which fuel is charged at an older price; null for those of the schedule. */
  fuelLagWeeks: number | null;
}

/** What the company of a driver chose for the time that is paid. What was billed is paid as it was then (BILLING B2, B3). */
export interface TimeChoices {
  /** Paid minutes of a day from which a driver's hours are overtime; null if overtime is paid as all other time. */
  overtimeAfter: number | null;
  /** Whether breaks are paid where the time of the whole day is; as it was when the day was approved. */
  breaksPaid: boolean;
}

/** Everything that the invoices of a job depend on. */
export interface JobFacts extends TimeChoices {
  id: string;
  version: number;
  companyId: string;
  orderId: string;
  /** How people know it. */
  jobId: string;
  number: number;
  startAt: string;
  projectId: string | null;
  equipmentId: string | null;
  materialId: string | null;
  driverId: string | null;
  /** The day on which its driver left for it. */
  driverDayId: string | null;
  /** Time is paid by the day of the driver: an approved invoice decides, otherwise what the driver or the company chose. */
  paidByDay: boolean;
  driverCompanyId: string | null;
  pickupSiteId: string | null;
  dropoffSiteId: string | null;
  state: JobState;
  /** When it was canceled, and in which state it was before; null unless it was. */
  canceled: { from: JobState; at: string } | null;
  accountId: string;
  /** The number of the customer's purchase order. */
  purchaseOrder: string | null;
  /** How customers of the job are billed that want something special, by their accounts. */
  profiles: Record<string, ProfileFacts>;
  /** What somebody decided instead of the work, in hours. */
  overridingHours: string | null;
  approvedMinutes: number | null;
  workedMinutes: number | null;
  /** Minutes from the first entry at a pickup to the last exit at a drop-off, less breaks; null if nobody saw them. */
  siteMinutes: number | null;
  /** Minutes of the day between leaving the home base and coming back to it; null if nobody saw that. */
  portalMinutes: ByBreaks | null;
  /** Minutes of the shift of its day; null while it lasts, or if no side is paid by it. */
  shiftMinutes: ByBreaks | null;
  /** Whether overtime was paid by one of its invoices. */
  hadOvertime: boolean;
  /** The books (`keyOfBooks`) in which somebody set the rate by hand. */
  byHand: string[];
  /** The jobs of its driver and date, in the order of the work, if a rate is paid by the day; without this one. */
  sameDay: JobFacts[];
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
  /** What the owner pays for material. */
  buyPrice: string | null;
  materialUnit: UnitOfMeasure | null;
  rates: Partial<Record<RateOwnerType, RateFacts>>;
  links: LinkOfJob[];
  loads: LoadOfJob[];
  companies: BooksCompany[];
  charges: ChargeOfJob[];
  /** Of a part of the job: the loads of the other parts that are paid at the same rate, over which its tiers are counted, too. */
  loadsOfOthers?: LoadOfJob[];
  /** A part of the job whose time, and whatever else is not for a load, another part has. */
  isFurther?: boolean;
}

/** What decides who pays for a job, and at which rate. */
export type Agreed = Pick<
  JobFacts,
  'companyId' | 'accountId' | 'driverId' | 'driverDayId' | 'driverCompanyId' | 'paidByDay' | 'state' | 'rates' | 'links'
>;
/** Another job of an order, whose loads count for its tiers. */
export type JobOfOrder = Agreed &
  Pick<JobFacts, 'id' | 'number' | 'byHand'> & {
    loads: Pick<LoadOfJob, 'id' | 'loadId' | 'ordinality' | 'state' | 'quantity' | 'unit' | 'density' | 'materialId' | 'completedAt'>[];
  };

// To plan it takes longer than to read the facts of a job, and a plan for any jobs is a good one for many.
planOnce(FACTS);

/** Returns what the invoices of a job depend on; undefined if there is no such job. @param query runs in the scope of all books concerned */
export async function factsOfJob(query: Query, jobId: string): Promise<JobFacts | undefined> {
  return (await factsOfJobs(query, [jobId])).get(jobId);
}

/** The same of many jobs in a few statements, by their ids. Those that are not there are left out. */
export async function factsOfJobs(query: Query, jobIds: readonly string[]): Promise<Map<string, JobFacts>> {
  const alone = await factsAlone(query, jobIds);
  const jobs = [...alone.values()];
  const sameDay = await jobsOfSameDay(query, jobs.filter(isOfDay), alone);
  const tiered = jobs.filter((job) => job.wasCounted || ratesOf(job).some(({ terms }) => terms?.tiers));
  const ofOrder = await jobsOfOrders(query, tiered);
  const shifts = jobs.flatMap((job) =>
    job.driverDayId && ratesOf(job).some(({ terms }) => terms?.timeBasis === 'shift') ? [[job.id, job.driverDayId] as const] : [],
  );
  const shiftOf = new Map(shifts);
  const paid = shifts.length === 0 ? undefined : await paidMinutesOf(query, [...new Set(shiftOf.values())]);
  const counted = new Set(tiered);
  return new Map(
    jobs.map((job) => [
      job.id,
      {
        ...job,
        sameDay: sameDay.get(job.id) ?? [],
        sameOrder: counted.has(job) ? (ofOrder.get(job.orderId) ?? []).filter(({ id }) => id !== job.id) : [],
        shiftMinutes: paid?.get(shiftOf.get(job.id) ?? '')?.minutes ?? null,
      },
    ]),
  );
}

/** States of a job that nobody has accepted, or that came to nothing: nothing is invoiced. */
export const NOT_ACCEPTED: readonly JobState[] = ['created', 'assigned', 'sent', 'rejected', 'canceled'];

/** Jobs that are read by one statement: beyond that, nothing is gained. */
const MOST = 500;

/** All rates that are noted on a job and along its links. */
const ratesOf = ({ rates, links }: Pick<JobFacts, 'rates' | 'links'>): RateFacts[] => [...Object.values(rates), ...links];

/** Whether a side of the job is paid by what was done on the whole day. */
function isOfDay(job: JobFacts): boolean {
  const isDaily = ({ type, terms }: RateFacts) =>
    type === 'RatePerDay' || terms?.minimumPer === 'day' || terms?.timeBasis === 'portal' || terms?.timeBasis === 'shift';
  const hasOvertime = job.overtimeAfter !== null || job.hadOvertime;
  return ratesOf(job).some(isDaily) || (hasOvertime && job.rates.driver?.type === 'RatePerHour');
}

/** The jobs of the same driver and date, by the id of each job. @param known the facts that have been read, to which theirs are added */
async function jobsOfSameDay(query: Query, jobs: readonly JobFacts[], known: Map<string, JobFacts>): Promise<Map<string, JobFacts[]>> {
  if (jobs.length === 0) return new Map();
  const ids = jobs.map(({ id }) => id);
  const rows = await query<{ jobId: string; id: string }>(planOnceForFew(SAME_DAY, ids.length), [ids, NOT_ACCEPTED]);
  const missing = [...new Set(rows.flatMap(({ id }) => (known.has(id) ? [] : [id])))];
  const others = new Map([...known, ...(missing.length === 0 ? [] : await factsAlone(query, missing))]);
  const found = Map.groupBy(rows, ({ jobId }) => jobId);
  return new Map([...found].map(([jobId, of]) => [jobId, of.map(({ id }) => others.get(id)!)]));
}

/** The jobs of the orders of some jobs, by the id of the order. */
async function jobsOfOrders(query: Query, jobs: readonly JobFacts[]): Promise<Map<string, JobOfOrder[]>> {
  if (jobs.length === 0) return new Map();
  const orders = [...new Set(jobs.map(({ orderId }) => orderId))];
  const rows = await query<{ orderId: string; facts: JobOfOrder }>(planOnceForFew(OF_ORDERS, orders.length), [orders, NOT_ACCEPTED]);
  const found = Map.groupBy(rows, ({ orderId }) => orderId);
  return new Map([...found].map(([orderId, of]) => [orderId, of.map(({ facts }) => facts)]));
}

/** What a statement says of each job, in parts. */
interface Row {
  facts: Omit<JobFacts, keyof Worked | keyof More | 'sameDay' | 'sameOrder' | 'shiftMinutes'>;
  /** Null of a job that is not finished. */
  worked: Worked | null;
  more: More;
}
type Worked = Pick<JobFacts, 'startedAt' | 'endedAt' | 'workedMinutes'>;
type More = Pick<JobFacts, 'purchaseOrder' | 'profiles' | 'itemized' | 'buyPrice' | 'canceled' | 'sellPrice' | 'materialUnit'> &
  Pick<JobFacts, 'rates' | 'links' | 'loads' | 'companies' | 'charges'>;

async function factsAlone(query: Query, jobIds: readonly string[]): Promise<Map<string, JobFacts>> {
  const jobs: JobFacts[] = [];
  for (let from = 0; from < jobIds.length; from += MOST) {
    const ids = jobIds.slice(from, from + MOST);
    const rows = await query<Row>(FACTS, [ids]);
    for (const { facts, worked, more } of rows) {
      const times = worked ?? { startedAt: null, endedAt: null, workedMinutes: null };
      jobs.push(Object.assign(facts, times, more, { sameDay: [], sameOrder: [], shiftMinutes: null }));
    }
  }
  await addAutoCharges(query, jobs);
  const fueled = jobs.flatMap(({ companies, charges }) =>
    charges.map((charge) => ({ charge, date: companies.find(({ id }) => id === charge.companyId)?.fuelDate })),
  );
  await addFuel(query, fueled);
  await addFuelOfCustomers(query, jobs);
  return new Map(jobs.map((job) => [job.id, job]));
}

/** Adds to charges for fuel what customers pay whose profile says by which price. */
async function addFuelOfCustomers(query: Query, jobs: readonly JobFacts[]): Promise<void> {
  const asked = jobs.flatMap(({ companyId: owner, accountId, links, profiles, companies, charges }) =>
    companies.flatMap(({ id, fuelDate }) => {
      const account = id === owner ? accountId : links.find(({ vendorCompanyId }) => vendorCompanyId === id)?.customerAccountId;
      const lagWeeks = account ? profiles[account]?.fuelLagWeeks : null;
      if (lagWeeks == null) return [];
      return charges.flatMap((charge) =>
        charge.companyId === id && charge.scheduleId ? [{ charge, day: { scheduleId: charge.scheduleId, date: fuelDate, lagWeeks } }] : [],
      );
    }),
  );
  for (const [charge, surcharge] of await surchargesOf(query, asked)) charge.customerSurcharge = surcharge;
}

/** Adds to charges for fuel what their schedules charge on the local date that counts. */
export async function addFuel(query: Query, charges: readonly { charge: ChargeOfJob; date: string | undefined }[]): Promise<void> {
  const asked = charges.flatMap(({ charge, date }) =>
    charge.scheduleId && date ? [{ charge, day: { scheduleId: charge.scheduleId, date } }] : [],
  );
  for (const [charge, surcharge] of await surchargesOf(query, asked)) charge.billSurcharge = surcharge;
}

async function surchargesOf(
  query: Query,
  asked: readonly { charge: ChargeOfJob; day: FueledDay }[],
): Promise<[ChargeOfJob, string | null][]> {
  const rates = await fuelRatesOn(
    query,
    asked.map(({ day }) => day),
  );
  return asked.map(({ charge }, i) => {
    const { billSurcharge } = rates[i]!;
    return [charge, billSurcharge && decimalText(billSurcharge)];
  });
}

const HAVING_AUTO = namedStatement(
  'select distinct company_id as id from auto_add_on_assignment where company_id = any($1::uuid[]) order by company_id',
);

/** Adds the charges that come by themselves, of the companies that have any. */
async function addAutoCharges(query: Query, jobs: readonly JobFacts[]): Promise<void> {
  const companies = new Set(jobs.flatMap((job) => job.companies.map(({ id }) => id)));
  if (companies.size === 0) return;
  const having = await query<{ id: string }>(HAVING_AUTO, [[...companies]]);
  for (const { id: companyId } of having) {
    const of = jobs.filter((job) => job.companies.some(({ id }) => id === companyId));
    for (const side of SIDES) {
      const applying = await autoAddOnsOf(query, { jobIds: of.map(({ id }) => id), side, companyId });
      for (const { id, charges } of of) charges.push(...(applying.get(id) ?? []).map((one) => autoCharge(one, companyId, side)));
    }
  }
}

const autoCharge = (one: ApplyingAddOn, companyId: string, side: RateOwnerType): ChargeOfJob => ({
  ...{ id: one.id, auto: side, rootId: one.root_id, companyId, addOnId: one.add_on_id, name: one.name },
  ...{ quantity: one.quantity, taxable: one.taxable, type: one.revenue_cost_rate_type, rate: one.revenue_rate_value },
  ...{ costRate: one.cost_rate_value, percentage: one.percentage, percentageBase: one.percentage_base, uses: null },
  ...{ waiting: one.waiting, scheduleId: one.schedule_id, scheduleType: one.schedule_type },
});
