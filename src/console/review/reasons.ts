import type { ReviewedDay, ReviewedLoad } from './review-api.ts';

/** The meanings of the review's codes (docs/proof.md); the server's text on the case follows. */
const ISSUES: Record<string, string> = {
  duplicate_number: 'The number of the ticket was used before',
  unreadable: 'The picture cannot be read',
  near_duplicate: 'It looks like another ticket',
  over_capacity: 'It is more than the truck holds',
  outlier: 'It is far from what the tickets of this order usually say',
  missing_quantity: 'The quantity is missing',
  zero_quantity: 'The quantity is zero',
  missing_number: 'The number of the ticket is missing',
  missing_image: 'The picture of the ticket is missing',
  wrong_day: 'The ticket is of another day',
  wrong_material: 'The ticket is of another material',
  wrong_unit: 'The unit does not fit',
  weights_do_not_add: 'The weights do not add up',
  onsite_out_of_range: 'The time at a site is unusual',
  cycle_out_of_range: 'The time for the round trip is unusual',
  truck_not_there: 'The truck was elsewhere when the ticket was printed',
};

const EXCEPTIONS: Record<string, string> = {
  missing_break: 'No break that was long enough is recorded.',
  overtime: 'It is more than the usual working time.',
  long_shift: 'The shift is very long.',
  outside_dispatch: 'The shift began long before the first job, or ended long after the last load.',
  fence_mismatch: 'The start differs from when the truck was first seen under way.',
  forgotten_shift: 'The driver forgot to end the shift; it was ended with the last sign of work.',
  break_counted_twice: 'A break is recorded, and one is deducted as well.',
  no_jobs: 'No job was done.',
  no_gps: 'There are no positions of the shift.',
  clock_skew: 'The telephone reported times that are not when it did so, although it was connected: its clock is wrong.',
  worked_after_approval: 'Work was reported after the day was approved.',
  stale_after_approval: 'The times changed after the day was approved.',
  exceeds_shift: 'More minutes are logged for trucks and phases than were worked.',
};

/** Returns why somebody should look at a load, in sentences. */
export function reasonsOfLoad({ aiReview, doubted, loadedInferred, ticket, job }: ReviewedLoad): string[] {
  const issues = (aiReview?.issues ?? []).map((issue) => {
    const [code = '', ...rest] = issue.split(': ');
    const known = ISSUES[code];
    return known ? `${known}: ${rest.join(': ')}.` : `${issue}.`;
  });
  const open = job.ticketChases.find(({ state }) => state === 'open');
  const givenUp = job.ticketChases.some(({ state }) => state === 'given_up');
  return [
    ...issues,
    ...(doubted ? ['A geofence moved it without being quite certain, or its sites changed while it had material.'] : []),
    ...(loadedInferred ? ['Nobody saw it being loaded: it was at the drop-off.'] : []),
    ...(ticket?.flagged ? ['Somebody flagged the ticket.'] : []),
    ...(!ticket && open ? [`The driver is being reminded of the ticket; ${timesOf(open.remindersSent)} so far.`] : []),
    ...(!ticket && !open && givenUp ? ['The driver was reminded four times, and no ticket came.'] : []),
  ];
}

const timesOf = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Returns why somebody should look at a day, in sentences. */
export function reasonsOfDay({ exceptions }: ReviewedDay): string[] {
  const said = exceptions.map((name) => EXCEPTIONS[name] ?? `${name}.`);
  return said.length > 0 ? said : ['Nothing is unusual. Nobody has approved it yet.'];
}
