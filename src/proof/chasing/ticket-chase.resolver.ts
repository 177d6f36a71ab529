import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Job } from '../../dispatch/model/job.entity.ts';
import { describe, mutationsOf, requires, withInput } from '../../platform/graphql/record-mutations.ts';
import { askForMissingTickets } from './ask-for-tickets.ts';
import { TicketChase } from './ticket-chase.entity.ts';
import { WaiveMissingTicketsInput, waiveMissingTickets } from './waive-tickets.ts';

@Resolver(() => Job)
export class TicketChaseResolver {
  @FieldResolver(() => [TicketChase], { description: 'How its driver was reminded of missing tickets, oldest first.' })
  ticketChases(@Root() job: Job & { ticketChases?: TicketChase[] }): TicketChase[] {
    return job.ticketChases ?? [];
  }
}

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
