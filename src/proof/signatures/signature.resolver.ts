import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { DriverDay } from '../../dispatch/model/driver-day.entity.ts';
import { Job } from '../../dispatch/model/job.entity.ts';
import { Load } from '../../dispatch/model/load.entity.ts';
import { find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, allOrOwn, DRIVER, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { CreateDriverSignatureInput, CreateDropoffSignatureInput, removeSignature, type Signable, sign } from './sign.ts';
import { Signature, SignatureType } from './signature.entity.ts';

const KINDS = { DriverDay, Job, Load };
const SignatureConnection = connectionOf('Signature', () => Signature);

@ArgsType()
class SignatureArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@Resolver(() => Signature)
export class SignatureResolver {
  @Query(() => SignatureConnection)
  @AnySignedIn()
  jobSignatures(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Args(() => SignatureArgs) args: SignatureArgs,
  ): Promise<Connection<Signature>> {
    return signaturesOf(ctx, info, { type: 'Job', id, companyId: args.companyId ?? undefined }, args);
  }

  @Query(() => SignatureConnection)
  @AnySignedIn()
  loadSignatures(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('loadId', () => ID) id: string,
    @Args(() => SignatureArgs) args: SignatureArgs,
  ): Promise<Connection<Signature>> {
    return signaturesOf(ctx, info, { type: 'Load', id, companyId: args.companyId ?? undefined }, args);
  }

  @Query(() => SignatureConnection, { description: 'Signatures of a driver day.' })
  @AnySignedIn()
  driverDaySignatures(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Args(() => SignatureArgs) args: SignatureArgs,
  ): Promise<Connection<Signature>> {
    return signaturesOf(ctx, info, { type: 'DriverDay', id, companyId: args.companyId ?? undefined }, args);
  }

  @Mutation(() => Signature, { description: 'Signs a driver day as its driver.' })
  @Requires('edit_job', DRIVER)
  async signDriverDayAsDriver(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('input', () => CreateDriverSignatureInput) input: CreateDriverSignatureInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Signature> {
    return ctx.read.one(Signature, info, await sign(ctx, { type: 'DriverDay', id, companyId }, 'DriverSignature', input));
  }

  @Mutation(() => Signature, { description: 'Signs a day for the person who received the material.' })
  @Requires('edit_job', DRIVER)
  async signDriverDayAtDropoff(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('input', () => CreateDropoffSignatureInput) input: CreateDropoffSignatureInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Signature> {
    return ctx.read.one(Signature, info, await sign(ctx, { type: 'DriverDay', id, companyId }, 'DropoffSignature', input));
  }

  @Mutation(() => Signature, { description: 'Signs a job as its driver.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  async signJobAsDriver(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Arg('input', () => CreateDriverSignatureInput) input: CreateDriverSignatureInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Signature> {
    return ctx.read.one(Signature, info, await sign(ctx, { type: 'Job', id, companyId }, 'DriverSignature', input));
  }

  @Mutation(() => Signature, { description: 'Signs a job for the person who received the material.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  async signJobAtDropoff(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('jobId', () => ID) id: string,
    @Arg('input', () => CreateDropoffSignatureInput) input: CreateDropoffSignatureInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<Signature> {
    return ctx.read.one(Signature, info, await sign(ctx, { type: 'Job', id, companyId }, 'DropoffSignature', input));
  }

  @Mutation(() => Signature, { description: 'Signs a load as its driver.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  async signLoadAsDriver(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('loadId', () => ID) id: string,
    @Arg('input', () => CreateDriverSignatureInput) input: CreateDriverSignatureInput,
  ): Promise<Signature> {
    return ctx.read.one(Signature, info, await sign(ctx, { type: 'Load', id }, 'DriverSignature', input));
  }

  @Mutation(() => Signature, { description: 'Signs a load for the person who received the material.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  async signLoadAtDropoff(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('loadId', () => ID) id: string,
    @Arg('input', () => CreateDropoffSignatureInput) input: CreateDropoffSignatureInput,
  ): Promise<Signature> {
    return ctx.read.one(Signature, info, await sign(ctx, { type: 'Load', id }, 'DropoffSignature', input));
  }

  @Mutation(() => ID, { description: 'Removes a signature of a working day and returns its id.' })
  @Requires('edit_job', DRIVER)
  removeDriverDaySignature(
    @Ctx() ctx: Context,
    @Arg('driverDayId', () => ID) id: string,
    @Arg('type', () => SignatureType) type: SignatureType,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<string> {
    return removeSignature(ctx, { type: 'DriverDay', id, companyId }, type);
  }

  @Mutation(() => ID, { description: 'Removes a signature of a job and returns its id.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  removeJobSignature(
    @Ctx() ctx: Context,
    @Arg('jobId', () => ID) id: string,
    @Arg('type', () => SignatureType) type: SignatureType,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<string> {
    return removeSignature(ctx, { type: 'Job', id, companyId }, type);
  }

  @Mutation(() => ID, { description: 'Removes a signature of a load and returns its id.' })
  @Requires(...allOrOwn('edit_job'), DRIVER)
  removeLoadSignature(
    @Ctx() ctx: Context,
    @Arg('loadId', () => ID) id: string,
    @Arg('type', () => SignatureType) type: SignatureType,
  ): Promise<string> {
    return removeSignature(ctx, { type: 'Load', id }, type);
  }
}

async function signaturesOf(ctx: Context, info: GraphQLResolveInfo, of: Signable, args: PageArgs): Promise<Connection<Signature>> {
  const { id } = await find(ctx, KINDS[of.type] as typeof Job, of.id, { companyId: of.companyId });
  const sql = (t: string, p: string) => `(${t}.signable_id = ${p} and ${t}.signable_type = '${of.type}')`;
  return ctx.read.page(Signature, info, {
    ...args,
    companyId: of.companyId,
    family: !of.companyId,
    where: [{ key: `of${of.type}`, sql, cast: 'uuid', value: id }],
  });
}
