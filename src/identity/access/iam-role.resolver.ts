import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import { IamRole } from '../../directory/people/iam-role.entity.ts';
import { companyOf, viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineSearch, defineSorts } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/reader.ts';
import { CreateIamRoleInput, UpdateIamRoleInput } from './iam-role.inputs.ts';
import { createIamRole, deleteIamRole, updateIamRole } from './iam-role-commands.ts';
import { grantsOf } from './matrix.ts';

export const IamRoleConnection = connectionOf('IamRole', () => IamRole);

export const iamRoleExtension = extendEntity(IamRole, { permissions: { columns: ['key', 'grants'] }, companyId: { columns: [] } });
export const iamRoleSorts = defineSorts(IamRole, { ordinality: { sql: (t) => `${t}.ordinality`, cast: 'int' } });
export const iamRoleSearch = defineSearch(IamRole, (t, p) => `${t}.name ilike ${p} or ${t}.description ilike ${p}`);

@ArgsType()
class IamRoleListArgs extends PageArgs {
  @Field(() => ID, { nullable: true }) companyId?: string | null;
}

const usable = (companyIds: readonly string[]): Where => ({
  key: 'usable',
  sql: (t, p) => `(${t}.company_id is null or ${t}.company_id = any(${p}))`,
  cast: 'uuid[]',
  value: companyIds,
});

/** A role as it is answered inside a company: a built-in one shows that company. */
function askedFor(role: IamRole, companyId: string): IamRole {
  return Object.assign(role, { companyId: (role as RoleAnswer).companyId ?? companyId });
}
type RoleAnswer = IamRole & { companyId: string | null };

@Resolver(() => IamRole)
export class IamRoleResolver {
  @FieldResolver(() => ID, { description: "The company to which the role belongs; for built-in roles, the caller's." })
  companyId(@Root() role: RoleAnswer, @Ctx() ctx: Context): string {
    return role.companyId ?? viewerOf(ctx).companyId;
  }

  @FieldResolver(() => [String], { description: "Names of the role's permissions; `<name>:own` is for own or assigned records only." })
  permissions(@Root() role: IamRole): string[] {
    return role.key ? [...grantsOf([role.key])] : role.grants;
  }

  @Query(() => IamRole)
  @AnySignedIn()
  async iamRole(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<IamRole> {
    const companyIds = companyId ? [companyOf(ctx, companyId)] : viewerOf(ctx).companyIds;
    return askedFor(await ctx.read.one(IamRole, info, { id, where: [usable(companyIds)] }), companyIds[0]!);
  }

  @Query(() => IamRoleConnection, { description: 'The built-in roles and those of one company.' })
  @AnySignedIn()
  async iamRoles(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => IamRoleListArgs) args: IamRoleListArgs,
  ): Promise<Connection<IamRole>> {
    const sort = { ordinality: 'asc', createdAt: 'asc' };
    const companyId = companyOf(ctx, args.companyId);
    const page: Connection<IamRole> = await ctx.read.page(IamRole, info, { ...args, sort, where: [usable([companyId])] });
    for (const role of page.nodes) askedFor(role, companyId);
    return page;
  }

  @Mutation(() => IamRole, { description: 'Creates a role of a company.' })
  @Requires('manage_iam_roles')
  async createIamRole(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('input', () => CreateIamRoleInput) input: CreateIamRoleInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<IamRole> {
    const { id } = await createIamRole(ctx, input, companyId);
    return this.iamRole(ctx, info, id);
  }

  @Mutation(() => IamRole, { description: 'Changes a role of a company. Everybody who has it gets its new permissions at once.' })
  @Requires('manage_iam_roles')
  async updateIamRole(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateIamRoleInput) input: UpdateIamRoleInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<IamRole> {
    await updateIamRole(ctx, { id, companyId }, input);
    return this.iamRole(ctx, info, id);
  }

  @Mutation(() => Boolean, { description: 'Deletes a role that nobody has.' })
  @Requires('manage_iam_roles')
  async deleteIamRole(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await deleteIamRole(ctx, { id, companyId });
    return true;
  }
}
