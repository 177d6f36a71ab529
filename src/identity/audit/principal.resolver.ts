import type { EntityName, FilterQuery } from '@mikro-orm/core';
import type DataLoader from 'dataloader';
import { Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { Company } from '../../directory/companies/company.entity.ts';
import { CompanyType } from '../../directory/companies/company-enums.ts';
import { User } from '../../directory/people/user.entity.ts';
import { Principal } from '../../platform/commands/audit.entity.ts';
import type { Context } from '../../platform/context.ts';
import { loaderOf } from '../../platform/read/loader.ts';
import { DateTime } from '../../platform/scalars.ts';
import { M2MClient } from '../machine-clients/machine-client.entity.ts';

/** The company of somebody who acted (SPEC: CompanyRef). */
@ObjectType({ simpleResolvers: true })
export class PrincipalCompany {
  @Field(() => ID) id!: string;
  @Field(() => String) platformId!: string;
  @Field(() => String) legalName!: string;
  @Field(() => CompanyType) companyType!: CompanyType;
}

/** A person who acted, or in whose name somebody did. */
@ObjectType({ simpleResolvers: true })
export class PrincipalPerson {
  @Field(() => ID) id!: string;
  @Field(() => String) firstName!: string;
  @Field(() => String) lastName!: string;
  @Field(() => DateTime, { nullable: true }) discardedAt!: Date | null;
  @Field(() => PrincipalCompany, { nullable: true }) company!: PrincipalCompany | null;
}

/**
 * The fields of authors beyond type, id and name. Everybody who may see their acts sees them, also those of another company's people. Where
 * row-level security hides their record, their name is what it was when they acted, and their company the one they acted for.
 */
@Resolver(() => Principal)
export class PrincipalResolver {
  @FieldResolver(() => String, { nullable: true, description: 'Of a person.' })
  async firstName(@Root() of: Principal, @Ctx() ctx: Context): Promise<string | null> {
    return (await person(ctx, of))?.firstName ?? null;
  }

  @FieldResolver(() => String, { nullable: true, description: 'Of a person.' })
  async lastName(@Root() of: Principal, @Ctx() ctx: Context): Promise<string | null> {
    return (await person(ctx, of))?.lastName ?? null;
  }

  @FieldResolver(() => DateTime, { nullable: true, description: 'When the person was deactivated.' })
  async discardedAt(@Root() of: Principal, @Ctx() ctx: Context): Promise<Date | null> {
    return (await person(ctx, of))?.discardedAt ?? null;
  }

  @FieldResolver(() => PrincipalCompany, { nullable: true, description: 'The company of the person or machine client.' })
  async company(@Root() of: Principal, @Ctx() ctx: Context): Promise<PrincipalCompany | null> {
    if (of.type === 'User') return (await person(ctx, of))?.company ?? null;
    if (of.type !== 'M2MClient' || !of.id) return of.type === 'System' ? companyOf(ctx, of.companyId) : null;
    return companyOf(ctx, (await clients(ctx).load(of.id))?.company.id ?? of.companyId);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Of the company for which they acted.' })
  async platformId(@Root() of: Principal, @Ctx() ctx: Context): Promise<string | null> {
    return (await companyOf(ctx, of.companyId))?.platformId ?? null;
  }

  @FieldResolver(() => String, { nullable: true, description: 'Of the company for which they acted.' })
  async legalName(@Root() of: Principal, @Ctx() ctx: Context): Promise<string | null> {
    return (await companyOf(ctx, of.companyId))?.legalName ?? null;
  }

  @FieldResolver(() => CompanyType, { nullable: true, description: 'Of the company for which they acted.' })
  async companyType(@Root() of: Principal, @Ctx() ctx: Context): Promise<CompanyType | null> {
    return (await companyOf(ctx, of.companyId))?.companyType ?? null;
  }

  @FieldResolver(() => PrincipalPerson, {
    nullable: true,
    description: 'The person who acted as the other one. Null for what was done before this was kept, and if a machine client did.',
  })
  async impersonator(@Root() { realActor, companyId }: Principal, @Ctx() ctx: Context): Promise<PrincipalPerson | null> {
    return realActor?.type === 'User' ? personOf(ctx, { ...realActor, companyId }) : null;
  }

  @FieldResolver(() => PrincipalPerson, { nullable: true, description: 'In whose name somebody else acted.' })
  async impersonated(@Root() of: Principal, @Ctx() ctx: Context): Promise<PrincipalPerson | null> {
    return of.type === 'Impersonation' ? personOf(ctx, of) : null;
  }
}

type Named = Pick<Principal, 'id' | 'name' | 'companyId'>;

const person = async (ctx: Context, of: Principal): Promise<PrincipalPerson | null> => (of.type === 'User' ? personOf(ctx, of) : null);

async function personOf(ctx: Context, { id, name, companyId }: Named): Promise<PrincipalPerson | null> {
  if (!id) return null;
  const user = await users(ctx).load(id);
  const [first = '', ...rest] = (name ?? '').split(' ');
  return {
    id,
    firstName: user?.firstName ?? first,
    lastName: user?.lastName ?? rest.join(' '),
    discardedAt: user?.discardedAt ?? null,
    company: await companyOf(ctx, user?.company.id ?? companyId),
  };
}

async function companyOf(ctx: Context, id: string | null | undefined): Promise<PrincipalCompany | null> {
  const company = id ? await companies(ctx).load(id) : null;
  return company && { id: company.id, platformId: company.platformId, legalName: company.legalName, companyType: company.companyType };
}

/** Loads records by id. Everybody who may see what was done sees who did it, even if the record is not visible otherwise. */
const byId =
  <T extends { id: string }>(name: string, entity: EntityName<T>) =>
  (ctx: Context): DataLoader<string, T | null> =>
    loaderOf(ctx, name, async (ids) => {
      const of = { id: { $in: [...ids] } } as object as FilterQuery<NoInfer<T>>;
      const found = await ctx.em.find<T>(entity, of, { filters: { tenant: false } });
      const known = new Map(found.map((one) => [one.id, one as T]));
      return ids.map((id) => known.get(id) ?? null);
    });
const users = byId('principals', User);
const clients = byId('principalClients', M2MClient);
const companies = byId('principalCompanies', Company);
