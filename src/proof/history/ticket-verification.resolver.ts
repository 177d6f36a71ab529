import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { TicketVerification } from './ticket-verification.ts';
import { verifyTicket } from './verify-ticket.ts';

@Resolver()
export class TicketVerificationResolver {
  @Query(() => TicketVerification, { description: 'Whether a ticket and its history are as they were written, and since when.' })
  @AnySignedIn()
  ticketVerification(@Ctx() ctx: Context, @Arg('ticketId', () => ID) id: string): Promise<TicketVerification> {
    return verifyTicket(ctx, id);
  }
}
