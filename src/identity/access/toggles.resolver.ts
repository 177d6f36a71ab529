import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { companyOf, find } from '../../platform/authz/authorization.ts';
import { AnySignedIn, Requires } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { setToggles } from './set-toggles.ts';
import { fieldOf, TOGGLES, type ToggleName } from './toggles.ts';

const FIELDS = (Object.keys(TOGGLES) as ToggleName[]).map((name) => ({ name, field: fieldOf(name), description: TOGGLES[name].meaning }));

@ObjectType({ description: 'What a company lets its roles do beyond their usual permissions; all off at first.', simpleResolvers: true })
export class PermissionToggles {
  /** Fields follow from the table of toggles. */
  [field: string]: boolean;
}

@InputType({ description: 'Absent toggles stay as they are; null puts back the default, off.' })
export class UpdatePermissionTogglesInput {
  [field: string]: boolean | null | undefined;
}

for (const { field, description } of FIELDS) {
  Field(() => Boolean, { description })(PermissionToggles.prototype, field);
  Field(() => Boolean, { description, nullable: true })(UpdatePermissionTogglesInput.prototype, field);
}

@Resolver()
export class TogglesResolver {
  @Query(() => PermissionToggles, { description: 'The toggles of a company; of your own unless given.' })
  @AnySignedIn()
  async permissionToggles(
    @Ctx() ctx: Context,
    @Arg('companyId', () => ID, { nullable: true }) companyId?: string | null,
  ): Promise<PermissionToggles> {
    return shown(await find(ctx, Company, companyOf(ctx, companyId)));
  }

  @Mutation(() => PermissionToggles, { description: 'Says what the roles of a company may do; nobody gives what they do not have.' })
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
