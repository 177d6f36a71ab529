import { Job } from '../../dispatch/model/job.entity.ts';
import { describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { askForMissingTickets } from './ask-for-tickets.ts';
import { WaiveMissingTicketsInput, waiveMissingTickets } from './waive-tickets.ts';

/** Acts on the tickets that a job lacks. */
export const TicketChaseMutations = mutationsOf(Job, {
  askForMissingTickets: requires(
    ['edit_ticket'],
    describe(
      'Has the driver of a job reminded of its missing tickets now, and again after it was given up. Quiet hours hold.',
      askForMissingTickets,
    ),
  ),
  waiveMissingTickets: requires(
    ['edit_ticket'],
    withInput(WaiveMissingTicketsInput, waiveMissingTickets, 'Says that the tickets which loads of the job lack now will not come.'),
  ),
});
