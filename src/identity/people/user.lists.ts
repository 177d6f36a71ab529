import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { discardedFilter } from '../../directory/master-data/discarded-filter.ts';
import { User } from '../../directory/people/user.entity.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { defineFilters, defineSearch, defineSearchText, defineSorts } from '../../platform/read/grammar.ts';
import { AsOf, UpdatedSince } from '../../platform/read/time-range.ts';
import { AccessName, openersOf } from '../access/access.ts';

const optional = { nullable: true };

export const UserConnection = connectionOf('User', () => User);

@InputType()
export class UserFilter {
  @Field(() => AccessName, { nullable: true, description: 'Only people to whom a user interface offers this feature.' })
  access?: AccessName | null;
  @Field(() => [String], { nullable: true, description: 'Only people with one of these roles, by key, name or id.' })
  iamRoles?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'Only people with one of these labels.' }) labelIds?: string[] | null;
  @Field(() => Boolean, { nullable: true, description: 'True for deactivated people, who are left out by default.' })
  discarded?: boolean | null;
}

@InputType()
export class UserTypeaheadFilter {
  @UpdatedSince() updatedSince?: Date | null;
  @Field(() => [String], { nullable: true, description: 'Only people with one of these roles, by key, name or id.' })
  iamRoles?: string[] | null;
}

@InputType()
export class UserSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, optional) firstName?: SortDirection | null;
  @Field(() => SortDirection, optional) lastName?: SortDirection | null;
}

@InputType()
export class UserSearch {
  @Field(() => String, { nullable: true, description: 'Words of names, e-mail, telephone, company and roles.' }) datagrid?: string | null;
  @Field(() => String, optional) query?: string | null;
}

@ArgsType()
export class UserListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => UserFilter, optional) filter?: UserFilter | null;
  @Field(() => UserSort, optional) sort?: UserSort | null;
  @Field(() => UserSearch, optional) search?: UserSearch | null;
}

/** Of a list that may be read as it was. */
@ArgsType()
export class UserListAsOfArgs extends UserListArgs {
  @AsOf() asOf?: Date | null;
}

@ArgsType()
export class UserTypeaheadArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => UserTypeaheadFilter, optional) filter?: UserTypeaheadFilter | null;
  @Field(() => UserSearch, optional) search?: UserSearch | null;
}

/** The roles of the person `t` that meet a condition on `r`. */
const hasRole = (t: string, condition: string) =>
  `exists (select 1 from iam_role r where ((r.company_id is null and r.key = any(${t}.roles))
    or (r.company_id = ${t}.company_id and r.id = any(${t}.custom_role_ids))) and (${condition}))`;

/** The condition that the company of the person `t` allows one of their roles what the list names as `<toggle> <role>`. */
const isToggled = (t: string, p: string) =>
  `exists (select 1 from company c, unnest(c.permission_toggles) toggle, unnest(${t}.roles) role
    where c.id = ${t}.company_id and toggle || ' ' || role = any(${p}))`;

export const userFilters = defineFilters(User, {
  access: {
    sql: (t, p) => `(${hasRole(t, `r.key = any(${p}) or r.grants && ${p}`)} or ${isToggled(t, p)})`,
    cast: 'text[]',
    value: (name) => openersOf(name as AccessName),
  },
  iamRoles: { sql: (t, p) => hasRole(t, `r.key = any(${p}) or r.name = any(${p}) or r.id::text = any(${p})`), cast: 'text[]' },
  labelIds: { sql: (t, p) => `${t}.label_ids && ${p}`, cast: 'uuid[]' },
  discarded: discardedFilter,
});
export const userSorts = defineSorts(User, {
  firstName: { sql: (t) => `lower(${t}.first_name)`, cast: 'text' },
  lastName: { sql: (t) => `lower(${t}.last_name)`, cast: 'text' },
});
/** DOMAIN section 7: names, email, phone, company, role names; the roles of shared people are their own company's affair. */
export const userSearch = defineSearch(
  User,
  (t, p, companies) => `${t}.search_text like fold(${p})
    or exists (select 1 from company c where c.id = ${t}.company_id and fold(c.legal_name) like fold(${p})) 
    or (${t}.company_id = any(${companies()}) and ${hasRole(t, `fold(r.name) like fold(${p})`)})`,
);
/** Of those by names, e-mail and telephone while somebody types. */
export const userSearchText = defineSearchText(User, 'app_user');
