import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { DriverState, DriverStateEvent, TimeLogged } from '../model/driver-state.entity.ts';
import { DriverStateInput } from '../shifts/begin-state.ts';
import { ownStateId, ownTimeLogged, setOffDuty, setOwnState } from './driver-state.ts';

/** Drivers' states of duty. */
@Resolver(() => DriverStateEvent)
export class DriverStateResolver {
  @Query(() => DriverStateEvent, {
    nullable: true,
    description: 'The present state of the calling driver; null before the first time on duty.',
  })
  @AnySignedIn()
  async myDriverState(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo): Promise<DriverStateEvent | null> {
    const id = await ownStateId(ctx);
    return id === undefined ? null : ctx.read.one(DriverStateEvent, info, { id });
  }

  @Query(() => TimeLogged, { description: 'How long the calling driver was on duty today.' })
  @AnySignedIn()
  async myTimeLogged(@Ctx() ctx: Context): Promise<TimeLogged> {
    return { totalTimeLogged: await ownTimeLogged(ctx) };
  }

  @Mutation(() => DriverStateEvent, {
    description: 'Puts the calling driver on duty, on a break or off duty. Going off duty ends the jobs that are under way.',
  })
  @AnySignedIn()
  async setMyDriverState(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('state', () => DriverState) state: DriverState,
    @Arg('input', () => DriverStateInput, { nullable: true }) input?: DriverStateInput,
  ): Promise<DriverStateEvent> {
    const { id } = await setOwnState(ctx, state, input);
    return ctx.read.one(DriverStateEvent, info, { id });
  }

  @Mutation(() => DriverStateEvent, { description: 'Puts a driver off duty who forgot to do so. The jobs that are under way end.' })
  @Requires('edit_user')
  async setDriverOffDuty(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverId', () => ID) driverId: string,
  ): Promise<DriverStateEvent> {
    const { id } = await setOffDuty(ctx, driverId);
    return ctx.read.one(DriverStateEvent, info, { id });
  }
}
