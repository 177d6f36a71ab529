import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { companyThen, ofJob, ofOrder } from '../dispatch/jobs/job.resolver.ts';
import { Job } from '../dispatch/model/job.entity.ts';
import { Order } from '../dispatch/model/order.entity.ts';
import { find } from '../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, Requires } from '../platform/authz/field-permissions.ts';
import type { Context } from '../platform/context.ts';
import { companyArg, describe, mutationsOf, requires, withInput, withOptionalInput } from '../platform/graphql/record-mutations.ts';
import { oneAsOf, queriesOf } from '../platform/graphql/record-queries.ts';
import type { Connection } from '../platform/read/connection.ts';
import { AmendTicketInput } from './amendments/amend-ticket.inputs.ts';
import { amendTicket } from './amendments/amend-ticket.ts';
import { VoidTicketInput } from './approvals/void-ticket.inputs.ts';
import { Ticket } from './ticket.entity.ts';
import { CreateTicketInput, UpdateTicketInput } from './ticket.inputs.ts';
import { TicketConnection, TicketListArgs } from './ticket.lists.ts';
import { createTicket, deleteTicket, updateTicket } from './ticket-commands.ts';
import { approveTicket, voidTicket } from './ticket-events.ts';
import { removeTicketImage, SetTicketImageInput, setTicketImage } from './ticket-image.ts';

@Resolver(() => Ticket)
export class TicketResolver {
  @Query(() => TicketConnection)
  @AnySignedIn()
  async tickets(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => TicketListArgs) args: TicketListArgs,
  ): Promise<Connection<Ticket>> {
    const parent = args.jobId
      ? await find(ctx, Job, args.jobId, { companyId: args.companyId })
      : args.orderId
        ? await find(ctx, Order, args.orderId, { companyId: args.companyId })
        : undefined;
    if (!parent) return ctx.read.page(Ticket, info, args);
    const where = [args.jobId ? ofJob(parent.id) : ofOrder(parent.id)];
    return ctx.read.page(Ticket, info, { ...args, companyId: companyThen(ctx, parent, args), where });
  }

  @Mutation(() => Ticket)
  @Requires(...allOrOwn('create_ticket'))
  async createTicket(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateTicketInput) input: CreateTicketInput,
  ): Promise<Ticket> {
    const { id } = await createTicket(ctx, input);
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Ticket, { description: 'Sets the picture of a ticket.' })
  @Requires(...allOrOwn('edit_ticket'))
  async setTicketImage(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SetTicketImageInput) input: SetTicketImageInput,
  ): Promise<Ticket> {
    await setTicketImage(ctx, { id }, input);
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Ticket, { description: 'Removes the picture of a ticket.' })
  @Requires(...allOrOwn('edit_ticket'))
  async removeTicketImage(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<Ticket> {
    await removeTicketImage(ctx, { id });
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Boolean)
  @Requires(...allOrOwn('delete_ticket'))
  async deleteTicket(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteTicket(ctx, { id, companyId });
    return true;
  }
}

/** Acts on one ticket. */
export const TicketMutations = mutationsOf(Ticket, {
  approveTicket: requires(allOrOwn('edit_ticket'), describe('Approves a ticket; its load takes over the quantity.', approveTicket)),
  voidTicket: requires(
    allOrOwn('edit_ticket'),
    withOptionalInput(VoidTicketInput, voidTicket, 'Voids a ticket; its number can be used again.'),
  ),
  updateTicket: requires(allOrOwn('edit_ticket'), withInput(UpdateTicketInput, updateTicket)),
  amendTicket: requires(
    ['edit_ticket'],
    withInput(AmendTicketInput, amendTicket, 'Corrects an approved ticket; what it said before is kept, with the reason.'),
  ),
});

export const TicketQueries = queriesOf(Ticket, {
  ticket: oneAsOf(AnySignedIn()),
});
