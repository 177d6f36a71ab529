import type { UnitOfMeasure } from '../../directory/master-data/units.ts';
import { JOB_FINISHED, LOAD_NOT_OPEN } from '../../dispatch/model/states.ts';
import { computed, type Figure, given, type Source, sourceSince } from '../pricing/figure.ts';
import { isRejected, type WorkFacts } from '../pricing/freight.ts';
import type { ChargeOfJob } from './facts/charge-facts.ts';
import type { AmendmentOfTicket, JobFacts, LoadOfJob } from './facts/job-facts.ts';
import type { InvoiceSide } from './invoice-enums.ts';

/** The label of the density of a material in explanations. */
export const DENSITY = 'tonnes of a cubic metre';

/** The ids of the loads of jobs that were delivered, for a charge that is paid with other work than theirs; without those that were turned away. */
export const deliveredLoads = (jobs: readonly JobFacts[], companyId: string): string[] =>
  jobs.flatMap((job) => workOf(job, companyId).loads.flatMap((load) => (isRejected(load) ? [] : load.id)));

/** The charge with the loads that it is for, if it is one for each load. */
export const forLoads = (charge: ChargeOfJob, loadIds: () => string[]): ChargeOfJob =>
  charge.type === 'PerLoad' ? { ...charge, loadIds: loadIds() } : charge;

/** Returns the work of a job, as it is priced in the books of a company: the company that corrected a ticket reads its earlier values, and the reason. */
export function workOf(job: JobFacts, companyId: string): WorkFacts {
  const loads = job.loads
    .filter(({ state }) => state === 'completed')
    .map(({ id, loadId, quantity, unit, ticketId, ticketVersion, amendments, version, density, densitySince, materialId, onSite }) => {
      const load = { type: 'Load', id, version };
      const source = ticketId ? { type: 'Ticket', id: ticketId, version: ticketVersion! } : load;
      return {
        ...{ id, version, number: loadId, unit },
        quantity:
          quantity === null
            ? null
            : amended(
                given(`load ${loadId}`, quantity, source),
                unit,
                (amendments ?? []).filter((one) => one.companyId === companyId),
              ),
        ...(density === null ? {} : { density: given(DENSITY, density, sourceSince('Material', materialId!, densitySince)) }),
        onSite: onSite.flatMap((minutes) => (minutes === null ? [] : [given(`minutes of load ${loadId} at a site`, minutes, load)])),
      };
    });
  return { loads, minutes: minutesOf(job), ...(job.isFurther ? { isFurther: true } : {}) };
}

/**
 * The quantity of a ticket with what it was before it was amended: each quantity that it had is a part, and the last one counts (BILLING B10 "ticket,
 * amendment"). A correction of the unit alone is one, too, as it changes what the number means.
 */
function amended(quantity: Figure, unit: UnitOfMeasure | null, amendments: readonly AmendmentOfTicket[]): Figure {
  if (amendments.length === 0) return quantity;
  const firstOf = (wanted: AmendmentOfTicket['field']) => amendments.find(({ field }) => field === wanted);
  const said = { quantity: quantity.value.toFixed() as string | null, unitOfMeasure: unit as string | null };
  for (const field of ['quantity', 'unitOfMeasure'] as const) said[field] = firstOf(field) ? firstOf(field)!.before : said[field];
  // The first amendment has the quantity that the ticket had at first.
  const parts = said.quantity === null ? [] : [given('as it was approved', said.quantity, sourceOf(amendments[0]!))];
  for (const at of new Set(amendments.map((one) => one.at))) {
    const changes = amendments.filter((one) => one.at === at);
    const from = [said.quantity ?? 'nothing', said.unitOfMeasure ?? ''].join(' ').trim();
    for (const { field, after } of changes) said[field] = after;
    if (said.quantity !== null) parts.push(given(`amended from ${from}: ${changes[0]!.reason}`, said.quantity, sourceOf(changes[0]!)));
  }
  // It was edited in place after its approval had been taken back.
  if (!parts.at(-1)?.value.eq(quantity.value)) parts.push(given('as the ticket says now', quantity.value, quantity.source));
  return { ...computed('latest', quantity.label, parts), ...(quantity.source ? { source: quantity.source } : {}) };
}
const sourceOf = ({ id, since }: AmendmentOfTicket): Source => sourceSince('TicketAmendment', id, since);

/**
 * BILLING B3 RatePerHour: the hours that somebody set, otherwise the minutes that were approved, otherwise those that were worked.
 * @param breaksPaid whether breaks count as worked
 */
export function minutesOf(job: JobFacts, breaksPaid = false): Figure {
  const { id, version, overridingHours, approvedMinutes, workedMinutes, breakMinutes } = job;
  const source = { type: 'Job', id, version };
  if (overridingHours !== null) {
    return computed('product', 'billable minutes', [given('billable hours', overridingHours, source), given('minutes of an hour', 60)]);
  }
  if (approvedMinutes !== null) return given('approved minutes', approvedMinutes, source);
  const worked = given('worked minutes', workedMinutes ?? 0, source);
  return breaksPaid && breakMinutes
    ? computed('sum', 'worked minutes and breaks', [worked, given('breaks that are paid', breakMinutes, source)])
    : worked;
}

/** The customer or vendor whose breaks are paid or not. */
export interface ToWhom {
  side: InvoiceSide;
  customerAccountId: string | null;
  vendorAccountId: string | null;
}

/** Whether an account pays breaks, or gets them, as its profile says, or said when it was billed; null if it says nothing. */
export function paysBreaks({ accountBreaks, profiles }: Pick<JobFacts, 'accountBreaks' | 'profiles'>, to: ToWhom): boolean | null {
  if (accountBreaks !== undefined) return accountBreaks;
  const account = to.side === 'receivable' ? to.customerAccountId : to.vendorAccountId;
  return (account === null ? null : profiles[account]?.breaksPaid) ?? null;
}

/** Whether nobody began a load, and a ticket proves it; also one that does not say how much it was: the load may be paid for whatever it weighs. */
export const isProven = ({ state, ticketId, ticketProblem }: LoadOfJob): boolean =>
  state === 'created' && (ticketId !== null || ticketProblem === 'ticket_incomplete');
/** Loads that were begun, and are neither completed nor canceled, keep a job from being invoiced; a ticket proves that its load was. */
export const hasOpenLoad = ({ loads }: JobFacts): boolean => loads.some((load) => !LOAD_NOT_OPEN.includes(load.state) || isProven(load));
/** Nothing of it is missing: what it comes to is known. Of a canceled job, that is what was requested for it. */
export const isSettledWork = (job: JobFacts): boolean => job.state === 'canceled' || (isFinished(job) && !hasOpenLoad(job));
export const isFinished = ({ state }: Pick<JobFacts, 'state'>): boolean => JOB_FINISHED.includes(state);
