import { isAccepted } from '../../stack-outs/request-stack-outs.ts';
import { booksOf, type Entry, suppliesOf } from '../books-of-job.ts';
import type { JobFacts } from '../facts/job-facts.ts';
import { NOT_ACCEPTED } from '../facts/read-job-facts.ts';
import { hasRequests } from '../price-entry.ts';

/** The invoices that there should be: of a canceled job that somebody had accepted, those for what was requested. */
export function wantedOf(job: JobFacts): Entry[] {
  if (job.state === 'canceled') return isAccepted(job) ? booksOf(job).filter((entry) => hasRequests(job, entry)) : [];
  return NOT_ACCEPTED.includes(job.state) ? [] : [...booksOf(job), ...suppliesOf(job)];
}
