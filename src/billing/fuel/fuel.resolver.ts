import { ref } from '@mikro-orm/core';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, type ClassType, Ctx, Field, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { foundByName, KEPT, masterMutations, masterQueries } from '../../directory/master-data/master-data.resolver.ts';
import { createBelow, discardMaster, type MasterRecord, updateMaster } from '../../directory/master-data/master-data.ts';
import { allow, findKept } from '../../platform/authz/authorization.ts';
import { Requires } from '../../platform/authz/field-permissions.ts';
import { dryRun } from '../../platform/commands/dry-run.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context } from '../../platform/context.ts';
import { companyArg } from '../../platform/graphql/record-mutations.ts';
import { type Connection, connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters, defineSorts } from '../../platform/read/grammar.ts';
import {
  CreateFuelPriceIndexInput,
  CreateFuelPriceInput,
  CreateFuelSurchargeScheduleInput,
  CreateFuelSurchargeSchedulePriceInput,
  GenerateFuelSurchargeRowsInput,
  UpdateFuelPriceIndexInput,
  UpdateFuelPriceInput,
  UpdateFuelSurchargeScheduleInput,
  UpdateFuelSurchargeSchedulePriceInput,
} from './fuel.inputs.ts';
import { FuelPrice, FuelPriceIndex } from './fuel-price-index.entity.ts';
import { SEES_FUEL } from './fuel-rate.ts';
import { FuelSurchargeSchedule, FuelSurchargeSchedulePrice } from './fuel-surcharge-schedule.entity.ts';
import { fuelPriceIndices, fuelPrices, fuelSurchargeSchedulePrices, fuelSurchargeSchedules } from './fuel-tables.ts';
import { FuelSurchargeRow, generateRows } from './generate-rows.ts';

export const fuelLists = [
  ...[FuelPriceIndex, FuelSurchargeSchedule].flatMap(foundByName),
  defineFilters(FuelPrice, { index: { sql: (t, p) => `${t}.fuel_price_index_id = ${p}`, cast: 'uuid' } }),
  defineSorts(FuelPrice, { date: { sql: (t) => `${t}.date`, cast: 'date' } }),
  defineFilters(FuelSurchargeSchedulePrice, { schedule: { sql: (t, p) => `${t}.fuel_surcharge_schedule_id = ${p}`, cast: 'uuid' } }),
  defineSorts(FuelSurchargeSchedulePrice, { price: { sql: (t) => `${t}.price`, cast: 'numeric' } }),
];

export const FuelPriceIndexQueries = masterQueries(FuelPriceIndex, {
  one: 'fuelPriceIndex',
  many: 'fuelPriceIndices',
  typeahead: 'fuelPriceIndexTypeahead',
  permission: SEES_FUEL,
});
export const FuelPriceIndexMutations = masterMutations(fuelPriceIndices, {
  create: { name: 'createFuelPriceIndex', input: CreateFuelPriceIndexInput },
  update: { name: 'updateFuelPriceIndex', input: UpdateFuelPriceIndexInput },
  discard: { name: 'deleteFuelPriceIndex' },
});
export const FuelSurchargeScheduleQueries = masterQueries(FuelSurchargeSchedule, {
  one: 'fuelSurchargeSchedule',
  many: 'fuelSurchargeSchedules',
  typeahead: 'fuelSurchargeScheduleTypeahead',
  permission: SEES_FUEL,
});
export const FuelSurchargeScheduleMutations = masterMutations(fuelSurchargeSchedules, {
  create: { name: 'createFuelSurchargeSchedule', input: CreateFuelSurchargeScheduleInput },
  update: { name: 'updateFuelSurchargeSchedule', input: UpdateFuelSurchargeScheduleInput },
  discard: { name: 'deleteFuelSurchargeSchedule' },
});

@ArgsType()
class BelowArgs extends PageArgs {
  @Field(() => ID, companyArg) companyId?: string | null;
}
const FuelPriceConnection = connectionOf('FuelPrice', () => FuelPrice);
const FuelSurchargeSchedulePriceConnection = connectionOf('FuelSurchargeSchedulePrice', () => FuelSurchargeSchedulePrice);

/** Returns the record above a list, for its company. @throws Denied, Missing also for a discarded one */
async function above<T extends MasterRecord>(ctx: Context, entity: ClassType<T>, id: string, companyId?: string | null): Promise<T> {
  const found = await findKept(ctx, entity, id, { companyId });
  allow(ctx, SEES_FUEL);
  return found;
}

@Resolver(() => FuelPrice)
export class FuelPriceResolver {
  @Query(() => FuelPriceConnection, { description: 'The prices of an index, the latest first.' })
  @Requires(SEES_FUEL)
  async fuelPrices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('fuelPriceIndexId', () => ID) indexId: string,
    @Args(() => BelowArgs) args: BelowArgs,
  ): Promise<Connection<FuelPrice>> {
    const index = await above(ctx, FuelPriceIndex, indexId, args.companyId);
    const filter = { index: index.id };
    return ctx.read.page(FuelPrice, info, { ...args, companyId: index.company.id, filter, sort: { date: 'desc' }, where: [KEPT] });
  }

  @Mutation(() => FuelPrice, { description: 'Notes what fuel costs from a day on.' })
  @Requires(fuelPrices.permissions.create)
  async createFuelPrice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('fuelPriceIndexId', () => ID) indexId: string,
    @Arg('input', () => CreateFuelPriceInput) input: CreateFuelPriceInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FuelPrice> {
    const index = { entity: FuelPriceIndex, path: { id: indexId, companyId } };
    const { id } = await createBelow(ctx, fuelPrices, index, input, ({ id }) => ({ fuelPriceIndex: ref(FuelPriceIndex, id) }));
    return ctx.read.one(FuelPrice, info, { id });
  }

  @Mutation(() => FuelPrice)
  @Requires(fuelPrices.permissions.edit)
  async updateFuelPrice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateFuelPriceInput) input: UpdateFuelPriceInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FuelPrice> {
    await updateMaster(ctx, fuelPrices, { id, companyId }, input);
    return ctx.read.one(FuelPrice, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Deletes a price; the one before it holds for its days.' })
  @Requires(fuelPrices.permissions.delete)
  async deleteFuelPrice(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await discardMaster(ctx, fuelPrices, { id, companyId });
    return true;
  }
}

@Resolver(() => FuelSurchargeSchedulePrice)
export class FuelSurchargeSchedulePriceResolver {
  @Query(() => FuelSurchargeSchedulePriceConnection, { description: 'The rows of a schedule, the cheapest fuel first.' })
  @Requires(SEES_FUEL)
  async fuelSurchargeSchedulePrices(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('fuelSurchargeScheduleId', () => ID) scheduleId: string,
    @Args(() => BelowArgs) args: BelowArgs,
  ): Promise<Connection<FuelSurchargeSchedulePrice>> {
    const schedule = await above(ctx, FuelSurchargeSchedule, scheduleId, args.companyId);
    const options = { ...args, companyId: schedule.company.id, filter: { schedule: schedule.id }, where: [KEPT] };
    return ctx.read.page(FuelSurchargeSchedulePrice, info, { ...options, sort: { price: 'asc' } });
  }

  @Mutation(() => FuelSurchargeSchedulePrice, { description: 'Adds a row to a schedule.' })
  @Requires(fuelSurchargeSchedulePrices.permissions.create)
  async createFuelSurchargeSchedulePrice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('fuelSurchargeScheduleId', () => ID) scheduleId: string,
    @Arg('input', () => CreateFuelSurchargeSchedulePriceInput) input: CreateFuelSurchargeSchedulePriceInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FuelSurchargeSchedulePrice> {
    const schedule = { entity: FuelSurchargeSchedule, path: { id: scheduleId, companyId } };
    const { id } = await createBelow(ctx, fuelSurchargeSchedulePrices, schedule, input, ({ id }) => ({
      fuelSurchargeSchedule: ref(FuelSurchargeSchedule, id),
    }));
    return ctx.read.one(FuelSurchargeSchedulePrice, info, { id });
  }

  @Mutation(() => [FuelSurchargeRow], {
    description: 'Makes the rows of a schedule by a formula, or says which there would be; answers them, the cheapest fuel first.',
  })
  @Requires(fuelSurchargeSchedulePrices.permissions.create)
  generateFuelSurchargeSchedulePrices(
    @Ctx() ctx: Context,
    @Arg('fuelSurchargeScheduleId', () => ID) id: string,
    @Arg('input', () => GenerateFuelSurchargeRowsInput) input: GenerateFuelSurchargeRowsInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FuelSurchargeRow[]> {
    const generate = (tx: TxContext) => generateRows(tx, { id, companyId }, input);
    return input.dryRun ? dryRun(ctx, generate, async (_tx, rows) => rows) : transact(ctx, generate);
  }

  @Mutation(() => FuelSurchargeSchedulePrice)
  @Requires(fuelSurchargeSchedulePrices.permissions.edit)
  async updateFuelSurchargeSchedulePrice(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UpdateFuelSurchargeSchedulePriceInput) input: UpdateFuelSurchargeSchedulePriceInput,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<FuelSurchargeSchedulePrice> {
    await updateMaster(ctx, fuelSurchargeSchedulePrices, { id, companyId }, input);
    return ctx.read.one(FuelSurchargeSchedulePrice, info, { id });
  }

  @Mutation(() => Boolean, { description: 'Deletes a row of a schedule; the one before it holds for its prices.' })
  @Requires(fuelSurchargeSchedulePrices.permissions.delete)
  async deleteFuelSurchargeSchedulePrice(
    @Ctx() ctx: Context,
    @Arg('id', () => ID) id: string,
    @Arg('companyId', () => ID, companyArg) companyId?: string,
  ): Promise<boolean> {
    await discardMaster(ctx, fuelSurchargeSchedulePrices, { id, companyId });
    return true;
  }
}
