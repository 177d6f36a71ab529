import { JOB_FINISHED } from '../../dispatch/model/states.ts';
import { computed, type Figure, given, sourceSince } from '../pricing/figure.ts';
import type { WorkFacts } from '../pricing/freight.ts';
import type { JobFacts } from './facts/job-facts.ts';

/** What explanations call the density of a material. */
export const DENSITY = 'tonnes of a cubic metre';

/** What was done on a job, as it is priced. */
export function workOf(job: JobFacts): WorkFacts {
  const loads = job.loads
    .filter(({ state }) => state === 'completed')
    .map(({ id, loadId, quantity, unit, ticketId, ticketVersion, version, density, densitySince, materialId, onSite }) => {
      const load = { type: 'Load', id, version };
      const source = ticketId ? { type: 'Ticket', id: ticketId, version: ticketVersion! } : load;
      return {
        ...{ id, version, number: loadId, unit, quantity: quantity === null ? null : given(`load ${loadId}`, quantity, source) },
        ...(density === null ? {} : { density: given(DENSITY, density, sourceSince('Material', materialId!, densitySince)) }),
        onSite: onSite.flatMap((minutes) => (minutes === null ? [] : [given(`minutes of load ${loadId} at a site`, minutes, load)])),
      };
    });
  return { loads, minutes: minutesOf(job), ...(job.isFurther ? { isFurther: true } : {}) };
}

/** BILLING B3 RatePerHour: the hours that somebody set, otherwise the minutes that were approved, otherwise those that were worked. */
export function minutesOf({ id, version, overridingHours, approvedMinutes, workedMinutes }: JobFacts): Figure {
  const source = { type: 'Job', id, version };
  if (overridingHours !== null) {
    return computed('product', 'billable minutes', [given('billable hours', overridingHours, source), given('minutes of an hour', 60)]);
  }
  if (approvedMinutes !== null) return given('approved minutes', approvedMinutes, source);
  return given('worked minutes', workedMinutes ?? 0, source);
}

/** Loads that are neither completed nor canceled keep a job from being invoiced. */
export const hasOpenLoad = ({ loads }: JobFacts): boolean => loads.some(({ state }) => state !== 'completed' && state !== 'canceled');
/** Nothing of it is missing: what it comes to is known. Of a canceled job, that is what was requested for it. */
export const isSettledWork = (job: JobFacts): boolean => job.state === 'canceled' || (isFinished(job) && !hasOpenLoad(job));
export const isFinished = ({ state }: Pick<JobFacts, 'state'>): boolean => JOB_FINISHED.includes(state);
