import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { SiteRateSchedule } from '../../dispatch/pricing/site-rate-schedule.entity.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { defineFilters, type FilterSpec } from '../../platform/read/grammar.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { parentIdOf } from './auto-add-on-assignment.entity.ts';

/** In the reader's books: of a driver who is shared, everybody asks for their own add-ons. */
const withAddOns: FilterSpec = {
  sql: (t, p, _limits, companies) =>
    `exists (select 1 from auto_add_on_assignment aa where ${parentIdOf('aa')} = ${t}.id and aa.company_id = any(${companies()})) = ${p}`,
  cast: 'boolean',
};
export const accountsWithAddOns = defineFilters(Account, { autoAddOns: withAddOns });
export const driversWithAddOns = defineFilters(User, { autoAddOns: withAddOns });

export const addOnsOfRate = extendEntity(Rate, {
  addOns: {
    list: () => AddOn,
    on: (addOn, rate) =>
      `${addOn}.id in (select aa.add_on_id from auto_add_on_assignment aa where ${parentIdOf('aa')} = ${rate}.id and aa.side = ${rate}.owner_type)`,
  },
});
export const addOnsOfSchedule = extendEntity(SiteRateSchedule, {
  autoAddOnAssignmentsCount: {
    sql: (t) =>
      `(select count(*)::int from auto_add_on_assignment aa where ${parentIdOf('aa')} = ${t}.id and aa.company_id = ${t}.company_id)`,
  },
});

interface WithAddOns extends Rate {
  addOns: AddOn[];
}

@Resolver(() => Rate)
export class RateAddOnsResolver {
  @FieldResolver(() => [AddOn], { description: 'What is charged by itself for work at the card.' })
  addOns(@Root() { addOns }: WithAddOns): AddOn[] {
    return addOns;
  }
}
