import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, ID, Info, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { SIGN_IN_METHODS } from '../../directory/companies/company.inputs.ts';
import { AuthMethod } from '../../directory/companies/company-enums.ts';
import { allow, companyOf } from '../../platform/authz/authorization.ts';
import { Public, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { startUrl } from './addresses.ts';
import { verifySsoDomains } from './domains/verify-domains.ts';
import { MANAGES_SSO } from './domains/who-vouches.ts';
import { connectionOfEmail } from './find-connections.ts';
import { SsoConnection } from './sso-connection.entity.ts';
import { CreateSsoProviderInput, EmailInput, UpdateSsoProviderInput } from './sso-connection.inputs.ts';
import { createSsoConnection, deleteSsoConnection, updateSsoConnection } from './sso-connection-commands.ts';

const SsoConnectionConnection = connectionOf('SsoProvider', () => SsoConnection);
/**
 * The methods offered to anybody whose domain has no identity provider, whatever their company allows: the answer must not show who exists.
 */
const METHODS_OF_EVERYBODY: AuthMethod[] = ['password', 'magic_link'];

@ArgsType()
class SsoConnectionListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

@ObjectType({ description: 'An identity provider as people see it before they sign in.', simpleResolvers: true })
export class SsoOption {
  @Field() idpConnectionId!: string;
  @Field() displayName!: string;
  @Field({ description: 'Send the browser here.' }) startUrl!: string;
  @Field() idpIdentityProvider!: string;
}

@ObjectType({ simpleResolvers: true })
export class AuthMethodList {
  @Field(() => [AuthMethod]) authMethods!: AuthMethod[];
}

@Resolver(() => SsoConnection)
export class SsoConnectionResolver {
  @Query(() => [SsoOption], { description: 'The identity providers for an e-mail address. Requires no token.' })
  @Public()
  async ssoOptions(@Ctx() ctx: Context, @Arg('input', () => EmailInput) input: EmailInput): Promise<SsoOption[]> {
    const found = await connectionOfEmail(ctx, input.email);
    if (!found) return [];
    const { id, display_name: displayName, identity_provider: idpIdentityProvider } = found;
    return [{ idpConnectionId: id, displayName, idpIdentityProvider, startUrl: startUrl(ctx.em, id) }];
  }

  @Query(() => AuthMethodList, { description: 'How somebody with this e-mail address may sign in. Requires no token.' })
  @Public()
  async authMethods(@Ctx() ctx: Context, @Arg('input', () => EmailInput) input: EmailInput): Promise<AuthMethodList> {
    const found = await connectionOfEmail(ctx, input.email);
    const allowed = found?.auth_methods.filter((name) => SIGN_IN_METHODS.includes(name)) ?? METHODS_OF_EVERYBODY;
    return { authMethods: found ? [...new Set<AuthMethod>(['sso', ...allowed])] : allowed };
  }

  @Query(() => SsoConnectionConnection, { description: 'The identity providers of a company; by default, of your own.' })
  @Requires('edit_company')
  async ssoConnections(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => SsoConnectionListArgs) args: SsoConnectionListArgs,
  ): Promise<Connection<SsoConnection>> {
    companyOf(ctx, args.companyId);
    allow(ctx, MANAGES_SSO);
    return ctx.read.page(SsoConnection, info, args);
  }

  @Query(() => SsoConnection)
  @Requires('edit_company')
  async ssoConnection(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<SsoConnection> {
    const found = await ctx.read.one(SsoConnection, info, { id });
    allow(ctx, MANAGES_SSO);
    return found;
  }

  @Mutation(() => SsoConnection, { description: 'Adds an identity provider to a company.' })
  @Requires('edit_company')
  async createSsoConnection(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('companyId', () => ID) companyId: string,
    @Arg('input', () => CreateSsoProviderInput) input: CreateSsoProviderInput,
  ): Promise<SsoConnection> {
    const { id } = await createSsoConnection(ctx, companyId, input);
    return ctx.read.one(SsoConnection, info, { id });
  }

  @Mutation(() => SsoConnection)
  @Requires('edit_company')
  async updateSsoConnection(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateSsoProviderInput) input: UpdateSsoProviderInput,
  ): Promise<SsoConnection> {
    await updateSsoConnection(ctx, id, input);
    return ctx.read.one(SsoConnection, info, { id });
  }

  @Mutation(() => SsoConnection, { description: 'Looks up the verification record of the domains that are not proven yet.' })
  @Requires('edit_company')
  async verifySsoDomains(@Ctx() ctx: Context, @Info() info: GraphQLResolveInfo, @Arg('id', () => ID) id: string): Promise<SsoConnection> {
    await verifySsoDomains(ctx, id);
    return ctx.read.one(SsoConnection, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Removes an identity provider; its domains are free again.' })
  @Requires('edit_company')
  async deleteSsoConnection(@Ctx() ctx: Context, @Arg('id', () => ID) id: string): Promise<boolean> {
    await deleteSsoConnection(ctx, id);
    return true;
  }
}
