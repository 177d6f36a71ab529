import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { Job } from '../dispatch/job.entity.ts';
import { companyFor, ofJob, ofOrder } from '../dispatch/job.resolver.ts';
import { Order } from '../dispatch/order.entity.ts';
import { find } from '../platform/authz/fences.ts';
import type { Context } from '../platform/context.ts';
import type { Connection } from '../platform/read/connection.ts';
import { Ticket } from './ticket.entity.ts';
import { CreateTicketInput, UpdateTicketInput } from './ticket.inputs.ts';
import { TicketConnection, TicketListArgs } from './ticket.lists.ts';
import { createTicket, deleteTicket, updateTicket } from './ticket-commands.ts';
import { approveTicket, voidTicket } from './ticket-events.ts';
import { removeTicketImage, SetTicketImageInput, setTicketImage } from './ticket-image.ts';

const companyArg = { nullable: true, description: 'Only inside this company; by default anything you may see.' };

@Resolver(() => Ticket)
export class TicketResolver {
  @Query(() => Ticket)
  ticket(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Ticket> {
    return ctx.read.one(Ticket, info, { id, companyId });
  }

  @Query(() => TicketConnection)
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
    return ctx.read.page(Ticket, info, { ...args, companyId: companyFor(ctx, parent, args.companyId), where });
  }

  @Mutation(() => Ticket, { description: 'Says that the ticket is right; its load takes its quantity.' })
  async approveTicket(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Ticket> {
    await approveTicket(ctx, { id, companyId });
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Ticket, { description: 'Takes the ticket back; its number can be used again.' })
  async voidTicket(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Ticket> {
    await voidTicket(ctx, { id, companyId });
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Ticket)
  async createTicket(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateTicketInput) input: CreateTicketInput,
  ): Promise<Ticket> {
    const { id } = await createTicket(ctx, input);
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Ticket)
  async updateTicket(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateTicketInput) input: UpdateTicketInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Ticket> {
    await updateTicket(ctx, { id, companyId }, input);
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Ticket, { description: 'Gives a ticket its picture.' })
  async setTicketImage(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SetTicketImageInput) input: SetTicketImageInput,
  ): Promise<Ticket> {
    await setTicketImage(ctx, { id }, input);
    return ctx.read.one(Ticket, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Takes the picture of a ticket away.' })
  async removeTicketImage(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await removeTicketImage(ctx, { id });
    return true;
  }

  @Mutation(() => Boolean)
  async deleteTicket(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteTicket(ctx, { id, companyId });
    return true;
  }
}
