import { type ClassType, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import { SiteRateSchedule } from '../../dispatch/pricing/site-rate-schedule.entity.ts';
import type { Context } from '../../platform/context.ts';
import { extendEntity } from '../../platform/model/decorators.ts';
import { defineAccess } from '../../platform/read/access.ts';
import { AutoAddOnAssignment } from '../auto-add-ons/auto-add-on-assignment.entity.ts';
import { FuelPrice } from '../fuel/fuel-price-index.entity.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from '../fuel/fuel-surcharge-schedule.entity.ts';
import { keptInvoices, type Pricing } from './kept-invoices.ts';

const kept = (of: string): string =>
  `Approved invoices in your books ${of}: they keep what they say, whatever is changed here. Null for those who do not read invoices.`;

/** A field that says how many approved invoices a change of a record leaves as they are. */
function countedBy(entity: ClassType<{ id: string }>, pricing: Pricing, of: string): ClassType {
  @Resolver(() => entity)
  class KeptInvoicesResolver {
    @FieldResolver(() => Int, { nullable: true, description: kept(of) })
    approvedInvoicesCount(@Root() { id }: { id: string }, @Ctx() ctx: Context): Promise<number | null> {
      return keptInvoices(ctx, pricing).load(id);
    }
  }
  return KeptInvoicesResolver;
}

const OF_SCHEDULE = 'that charge fuel by its schedule';
export const keptInvoicesResolvers = [
  countedBy(Rate, 'Rate', 'that are priced by this rate card'),
  countedBy(SiteRateSchedule, 'SiteRateSchedule', 'of work that it applies to'),
  countedBy(FuelPrice, 'FuelPrice', 'that charge fuel on days on which it holds'),
  countedBy(FuelSurchargeSchedule, 'FuelSurchargeSchedule', OF_SCHEDULE),
  countedBy(FuelSurchargeSchedulePrice, 'FuelSurchargeSchedulePrice', OF_SCHEDULE),
  countedBy(AutoAddOnAssignment, 'AutoAddOnAssignment', 'of the work for which it is charged'),
];

const COUNTED = [Rate, SiteRateSchedule, FuelPrice, FuelSurchargeSchedule, FuelSurchargeSchedulePrice, AutoAddOnAssignment];

export const keptInvoicesExtensions = COUNTED.map((entity) =>
  extendEntity(entity as ClassType, { approvedInvoicesCount: { columns: ['id'] } }),
);
/** The invoices that a rate card prices are the affair of its company. */
export const keptInvoicesAccess = defineAccess(Rate, { partnerFields: { passed: [], kept: ['approvedInvoicesCount'] } });
