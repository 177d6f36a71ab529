import type { GraphQLResolveInfo } from 'graphql';
import { Arg, type ClassType, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { Requires } from '../../platform/authz/field-permissions.ts';
import { emitEvent, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Conflict } from '../../platform/errors.ts';
import type { ActivityState } from './activity-state.ts';
import { lockMaster, type MasterKind, type MasterRecord } from './master-data.ts';

interface Active extends MasterRecord {
  state: ActivityState;
}
type ActiveKind<T extends Active> = Pick<MasterKind<T, object, object>, 'entity' | 'event' | 'permissions'>;

/** DOMAIN 1.9: an inactive record is not offered for new work. @throws Missing, Denied, Conflict if it is in that state */
function setActivity<T extends Active>(ctx: Context, kind: ActiveKind<T>, path: RecordPath, state: ActivityState): Promise<T> {
  return transact(ctx, async (tx) => {
    const found = await lockMaster(tx, kind, path, kind.permissions.edit);
    if (found.state === state) {
      const event = state === 'active' ? 'activate' : 'deactivate';
      throw new Conflict([{ model: kind.entity.name, field: 'state', key: 'state_already', state, event, params: { state } }]);
    }
    found.state = state;
    emitEvent(tx, `${kind.event}.${state === 'active' ? 'activated' : 'deactivated'}`, found);
    return found;
  });
}

/** The mutations that offer records of a kind of master data for new work or not. @param names of the root fields */
export function activityMutations<T extends Active>(
  kind: ActiveKind<T> & { entity: ClassType<T> },
  names: { activate: string; deactivate: string },
) {
  const { entity } = kind;
  const set = async (ctx: Context, info: GraphQLResolveInfo, path: RecordPath, state: ActivityState): Promise<T> => {
    await setActivity(ctx, kind, path, state);
    return ctx.read.one(entity, info, { id: path.id }) as Promise<T>;
  };

  @Resolver(() => entity)
  class Activity {
    @Mutation(() => entity, { name: names.activate, description: 'Activates the record: it is suggested for new work again.' })
    @Requires(kind.permissions.edit)
    activate(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    ): Promise<T> {
      return set(ctx, info, { id, companyId }, 'active');
    }

    @Mutation(() => entity, {
      name: names.deactivate,
      description: 'Deactivates the record: it is no longer suggested for new work, but everything that refers to it keeps it.',
    })
    @Requires(kind.permissions.edit)
    deactivate(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('companyId', () => ID, { nullable: true }) companyId?: string,
    ): Promise<T> {
      return set(ctx, info, { id, companyId }, 'inactive');
    }
  }
  return Activity;
}
