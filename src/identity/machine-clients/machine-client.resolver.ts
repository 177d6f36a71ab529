import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { allow } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { M2MClient } from './machine-client.entity.ts';
import {
  CreateM2MClientInput,
  M2MClientConnection,
  M2MClientListArgs,
  RotateM2MClientInput,
  UpdateM2MClientInput,
} from './machine-client.inputs.ts';
import { createMachineClient, revokeMachineClient, updateMachineClient } from './manage-machine-clients.ts';
import { endOldSecret, rotateMachineClient } from './rotate-machine-client.ts';

const ownArg = { nullable: true, description: 'By default, your own company.' };
const SECRETS = 'machine client secrets';

export const m2MClientExtension = extendEntity(M2MClient, { clientSecret: { columns: ['id'] } });

@Resolver(() => M2MClient)
export class MachineClientResolver {
  @FieldResolver(() => String, { nullable: true, description: 'Returned only when the client or a new secret is created; otherwise null.' })
  clientSecret(@Root() client: M2MClient, @Ctx() ctx: Context): string | null {
    return secretsOf(ctx).get(client.id) ?? null;
  }

  @Query(() => M2MClient)
  @Requires('manage_machine_clients')
  m2mClient(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<M2MClient> {
    return read(ctx, info, id, companyId);
  }

  @Query(() => M2MClientConnection, { description: 'The machine clients of a company, including revoked ones.' })
  @Requires('manage_machine_clients')
  m2mClients(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => M2MClientListArgs) args: M2MClientListArgs,
  ): Promise<Connection<M2MClient>> {
    allow(ctx, 'manage_machine_clients');
    return ctx.read.page(M2MClient, info, args);
  }

  @Mutation(() => M2MClient, { description: 'Creates a machine client. Its secret is returned only here.' })
  @Requires('manage_machine_clients')
  async createM2MClient(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateM2MClientInput) input: CreateM2MClientInput,
    @Arg('companyId', () => ID, ownArg) companyId?: string,
  ): Promise<M2MClient> {
    return answerOf(ctx, info, await createMachineClient(ctx, { ...input, companyId }));
  }

  @Mutation(() => M2MClient)
  @Requires('manage_machine_clients')
  async updateM2MClient(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateM2MClientInput) input: UpdateM2MClientInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<M2MClient> {
    await updateMachineClient(ctx, { id, companyId }, input);
    return read(ctx, info, id);
  }

  @Mutation(() => M2MClient, {
    description: 'Creates a new secret, which is returned only here. The old one keeps working for the overlap.',
  })
  @Requires('manage_machine_clients')
  async rotateM2MClient(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => RotateM2MClientInput, { nullable: true }) input?: RotateM2MClientInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<M2MClient> {
    return answerOf(ctx, info, await rotateMachineClient(ctx, { id, companyId }, input ?? {}));
  }

  @Mutation(() => M2MClient, { description: 'Ends the old secret of a client before the end of the overlap.' })
  @Requires('manage_machine_clients')
  async endM2MClientRotation(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<M2MClient> {
    await endOldSecret(ctx, { id, companyId });
    return read(ctx, info, id);
  }

  @Mutation(() => Boolean, { description: 'Revokes a client and its tokens.' })
  @Requires('manage_machine_clients')
  async revokeM2MClient(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await revokeMachineClient(ctx, { id, companyId });
    return true;
  }
}

/** Foreign ids are missing before anything is denied. */
async function read(ctx: Context, info: GraphQLResolveInfo, id: string, companyId?: string): Promise<M2MClient> {
  const client = (await ctx.read.one(M2MClient, info, { id, companyId })) as M2MClient;
  allow(ctx, 'manage_machine_clients');
  return client;
}

/** The answer that contains the secret. A repeated request cannot show it again and gets only the client. */
function answerOf(ctx: Context, info: GraphQLResolveInfo, made: { client: { id: string }; clientSecret?: string }): Promise<M2MClient> {
  if (made.clientSecret) secretsOf(ctx).set(made.client.id, made.clientSecret);
  return read(ctx, info, made.client.id);
}

function secretsOf(ctx: Context): Map<string, string> {
  const secrets = (ctx.memo.get(SECRETS) as Map<string, string> | undefined) ?? new Map<string, string>();
  ctx.memo.set(SECRETS, secrets);
  return secrets;
}
