import { Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Account } from '../../directory/accounts/account.entity.ts';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { User } from '../../directory/people/user.entity.ts';
import { sidesSeenBy } from '../../dispatch/pricing/see-rates.ts';
import { SiteRateSchedule } from '../../dispatch/pricing/site-rate-schedule.entity.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { relatedFields } from '../../platform/model/related-fields.ts';
import { defineFilters, type FilterSpec } from '../../platform/read/grammar.ts';
import { AddOn } from '../add-ons/add-on.entity.ts';
import { parentIdOf } from './auto-add-on-assignment.entity.ts';

/** In the reader's books: of a driver who is shared, everybody asks for their own add-ons. */
const withAddOns: FilterSpec = {
  // Of what is masked, nobody learns that it is there (B-I11).
  sql: (t, p, _limits, companies) =>
    `exists (select 1 from auto_add_on_assignment aa where ${parentIdOf('aa')} = ${t}.id and aa.company_id = any(${companies()})
      and (aa.side = any(${p}) or (aa.side = 'driver' and 'driver ' || aa.driver_id = any(${p})))) = ('true' = any(${p}))`,
  cast: 'text[]',
  value: (given, ctx) => [String(given), ...sidesSeenBy(ctx)],
};
export const accountsWithAddOns = defineFilters(Account, { autoAddOns: withAddOns });
export const driversWithAddOns = defineFilters(User, { autoAddOns: withAddOns });

export const addOnsOfRate = relatedFields(Rate, {
  addOns: {
    list: () => AddOn,
    on: (addOn, rate) =>
      `${addOn}.id in (select aa.add_on_id from auto_add_on_assignment aa where ${parentIdOf('aa')} = ${rate}.id and aa.side = ${rate}.owner_type)`,
    description: 'The add-ons that are charged by themselves for work at the rate card.',
  },
});
export const addOnsOfSchedule = extendEntity(SiteRateSchedule, {
  autoAddOnCounts: {
    sql: (t) =>
      `(select json_object_agg(n.side, n.count) from (select aa.side, count(*)::int as count from auto_add_on_assignment aa
        where ${parentIdOf('aa')} = ${t}.id and aa.company_id = ${t}.company_id group by aa.side) n)`,
    internal: true,
  },
  autoAddOnAssignmentsCount: { columns: ['autoAddOnCounts'] },
});

@Resolver(() => SiteRateSchedule)
export class ScheduleAddOnsResolver {
  @FieldResolver(() => Int, {
    description: 'The add-ons that are charged by themselves for its work, on the sides whose rates the reader sees.',
  })
  autoAddOnAssignmentsCount(@Root() { autoAddOnCounts }: WithCounts, @Ctx() ctx: Context): number {
    const seen = sidesSeenBy(ctx);
    return Object.entries(autoAddOnCounts ?? {}).reduce((sum, [side, count]) => (seen.includes(side) ? sum + count : sum), 0);
  }
}

/** By side; null without any. */
interface WithCounts extends SiteRateSchedule {
  autoAddOnCounts: Record<string, number> | null;
}
