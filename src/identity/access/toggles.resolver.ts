import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { companyOf, find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { setToggles } from './set-toggles.ts';
import { fieldOf, TOGGLES, type ToggleName } from './toggles.ts';

const FIELDS = (Object.keys(TOGGLES) as ToggleName[]).map((name) => ({ name, field: fieldOf(name), description: TOGGLES[name].meaning }));

@ObjectType({
  description: 'Permissions that a company grants its roles in addition to the usual ones; all are off by default.',
  simpleResolvers: true,
})
export class PermissionToggles {
  /** Fields follow from the table of toggles. */
  [field: string]: boolean;
}

@InputType({ description: 'Absent toggles keep their values; null sets the default, off.' })
export class UpdatePermissionTogglesInput {
  [field: string]: boolean | null | undefined;
}

for (const { field, description } of FIELDS) {
  Field(() => Boolean, { description })(PermissionToggles.prototype, field);
  Field(() => Boolean, { description, nullable: true })(UpdatePermissionTogglesInput.prototype, field);
}

@Resolver()
export class TogglesResolver {
  @Query(() => PermissionToggles, { description: 'The toggles of a company; by default, of your own.' })
  @AnySignedIn()
  async permissionToggles(
    @Ctx() ctx: Context,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string | null,
  ): Promise<PermissionToggles> {
    return shown(await find(ctx, Company, companyOf(ctx, companyId)));
  }

  @Mutation(() => PermissionToggles, { description: 'Sets the toggles of a company. Nobody can grant permissions that they do not have.' })
  @Requires('edit_company')
  async updatePermissionToggles(
    @Ctx() ctx: Context,
    @Arg('companyId', () => ID) companyId: string,
    @Arg('input', () => UpdatePermissionTogglesInput) input: UpdatePermissionTogglesInput,
  ): Promise<PermissionToggles> {
    const wishes = Object.fromEntries(FIELDS.flatMap(({ name, field }) => (input[field] === undefined ? [] : [[name, input[field]]])));
    return shown(await setToggles(ctx, companyId, wishes));
  }
}

const shown = (company: Company): PermissionToggles =>
  Object.fromEntries(FIELDS.map(({ name, field }) => [field, company.permissionToggles.includes(name)]));
