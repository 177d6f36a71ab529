import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Field, FieldResolver, ID, Info, Int, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { allow } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { PUBLISHED } from '../../platform/database/published.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import type { Connection } from '../../platform/read/connection.ts';
import { ReportingLogin } from './reporting-login.entity.ts';
import { CreateReportingLoginInput, ReportingLoginConnection, ReportingLoginListArgs } from './reporting-login.inputs.ts';
import { createReportingLogin, KEEPS_LOGINS, type MadeLogin, renewReportingLogin, revokeReportingLogin } from './reporting-logins.ts';
import { reportingAddress } from './settings.ts';

const PASSWORDS = 'passwords of reporting logins';

@ObjectType({ simpleResolvers: true, description: 'Where a BI tool finds the views.' })
export class ReportingAddress {
  @Field(() => String, { nullable: true, description: 'The server; null if only who runs the installation knows it.' }) host!:
    | string
    | null;
  @Field(() => Int, { nullable: true, description: 'The port of the server; null if only who runs the installation knows it.' })
  port!: number | null;
  @Field(() => String, { description: 'The database.' }) database!: string;
  @Field(() => String, { description: 'The schema that has the views.' }) schema!: string;
}

export const reportingLoginExtension = extendEntity(ReportingLogin, { password: { columns: ['id'] }, connection: { columns: ['id'] } });

@Resolver(() => ReportingLogin)
export class ReportingLoginResolver {
  @FieldResolver(() => String, { nullable: true, description: 'Returned only when the login or a new password is made; otherwise null.' })
  password(@Root() login: ReportingLogin, @Ctx() ctx: Context): string | null {
    return passwordsOf(ctx).get(login.id) ?? null;
  }

  @FieldResolver(() => ReportingAddress, { description: 'Where a BI tool finds the views.' })
  connection(@Ctx() ctx: Context): ReportingAddress {
    const { host = null, port = null } = reportingAddress.of(ctx.em) ?? {};
    return { host, port, database: ctx.em.config.get('dbName')!, schema: PUBLISHED };
  }

  @Query(() => ReportingLogin, { description: 'A login to PostgreSQL.' })
  @Requires(KEEPS_LOGINS)
  reportingLogin(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportingLogin> {
    return read(ctx, info, id, companyId);
  }

  @Query(() => ReportingLoginConnection, { description: 'The logins to PostgreSQL of a company, including revoked ones.' })
  @Requires(KEEPS_LOGINS)
  reportingLogins(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ReportingLoginListArgs) args: ReportingLoginListArgs,
  ): Promise<Connection<ReportingLogin>> {
    allow(ctx, KEEPS_LOGINS);
    return ctx.read.page(ReportingLogin, info, args);
  }

  @Mutation(() => ReportingLogin, { description: 'Makes a login to PostgreSQL for a BI tool. Its password is returned only here.' })
  @Requires(KEEPS_LOGINS)
  async createReportingLogin(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateReportingLoginInput) input: CreateReportingLoginInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportingLogin> {
    return answerOf(ctx, info, await createReportingLogin(ctx, input, companyId));
  }

  @Mutation(() => ReportingLogin, {
    description: 'Gives a login another password, which is returned only here, and ends the sessions that the old one opened.',
  })
  @Requires(KEEPS_LOGINS)
  async renewReportingLogin(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<ReportingLogin> {
    return answerOf(ctx, info, await renewReportingLogin(ctx, { id, companyId }));
  }

  @Mutation(() => Boolean, { description: 'Revokes a login and ends its sessions.' })
  @Requires(KEEPS_LOGINS)
  async revokeReportingLogin(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await revokeReportingLogin(ctx, { id, companyId });
    return true;
  }
}

/** Foreign ids are missing before anything is denied. */
async function read(ctx: Context, info: GraphQLResolveInfo, id: string, companyId?: string): Promise<ReportingLogin> {
  const login = (await ctx.read.one(ReportingLogin, info, { id, companyId })) as ReportingLogin;
  allow(ctx, KEEPS_LOGINS);
  return login;
}

/** The answer that has the password. A repeated request cannot show it again and gets only the login. */
function answerOf(ctx: Context, info: GraphQLResolveInfo, { login, password }: MadeLogin): Promise<ReportingLogin> {
  if (password) passwordsOf(ctx).set(login.id, password);
  return read(ctx, info, login.id);
}

function passwordsOf(ctx: Context): Map<string, string> {
  const passwords = (ctx.memo.get(PASSWORDS) as Map<string, string> | undefined) ?? new Map<string, string>();
  ctx.memo.set(PASSWORDS, passwords);
  return passwords;
}
