import { ref } from '@mikro-orm/core';
import type { GraphQLResolveInfo } from 'graphql';
import { Args, ArgsType, Ctx, Field, ID, Info, InputType, Int, Query, Resolver } from 'type-graphql';
import {
  KEPT,
  listMaster,
  MasterListAsOfArgs,
  masterMutations,
  offerMaster,
  TypeaheadListArgs,
} from '../../directory/master-data/master-data.resolver.ts';
import type { MasterKind } from '../../directory/master-data/master-data.ts';
import { nameOf } from '../../directory/master-data/named-kinds.ts';
import { withoutUnseen } from '../../identity/access/money.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { TxContext } from '../../platform/commands/transact.ts';
import { defineUnique } from '../../platform/commands/unique.ts';
import type { Context } from '../../platform/context.ts';
import { Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { type ErrorItem, Invalid } from '../../platform/errors.ts';
import { one, queriesOf } from '../../platform/graphql/record-queries.ts';
import { Amount, Length, Range } from '../../platform/graphql/rules.ts';
import { type Connection, connectionOf } from '../../platform/read/connection.ts';
import { defineFilters, defineSearch, defineSorts } from '../../platform/read/grammar.ts';
import { GraphqlOnly } from '../../platform/read/time-range.ts';
import { FuelSurchargeSchedule } from '../fuel/fuel-surcharge-schedule.entity.ts';
import { heldReference } from '../fuel/fuel-tables.ts';
import { AddOn, AddOnRateType, AddOnType, PercentageBase, WaitUnit } from './add-on.entity.ts';
import { EXTERNAL_ID, MOST_MONEY, MOST_QUANTITY, NAME, older } from './terms.ts';

const optional = { nullable: true };
const model = 'AddOn';
/** The most minutes that a truck waits for nothing. */
const DAY = 1_440;

@InputType()
export class UpdateAddOnInput {
  @Field(() => String, optional) @Length(1, NAME) name?: string | null;
  @Field(() => [AddOnType], { nullable: true, description: 'Where the add-on may be used; at least one place.' }) addOnTypes?:
    | AddOnType[]
    | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'By default, 1.' }) @Amount(0, MOST_QUANTITY) quantity?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'By default, 0.' })
  @Amount(-MOST_MONEY, MOST_MONEY)
  revenueRateValue?: Decimal | null;
  @Field(() => AddOnRateType, { nullable: true, description: 'By default, `RateForEach`.' }) revenueCostRateType?: AddOnRateType | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Null means the same as the revenue rate.' })
  @Amount(-MOST_MONEY, MOST_MONEY)
  costRateValue?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Percent, for `RatePercentOfTotal`.' })
  @Amount(-100, 100)
  percentage?: Decimal | null;
  @Field(() => PercentageBase, { nullable: true, description: 'Of what the percentage is taken on an invoice; by default, of the lines.' })
  @GraphqlOnly()
  percentageBase?: PercentageBase | null;
  @Field(() => Boolean, optional) taxable?: boolean | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) externalId?: string | null;
  @Field(() => String, optional) @Length(0, EXTERNAL_ID) accountingId?: string | null;
  @Field(() => DecimalScalar, older('revenue_rate_value')) @Amount(-MOST_MONEY, MOST_MONEY) rate?: Decimal | null;
  @Field(() => AddOnRateType, older('revenue_cost_rate_type')) addOnRateType?: AddOnRateType | null;
  @Field(() => WaitUnit, { nullable: true, description: 'In what waiting is counted if it is charged by itself, of `RateForEach`.' })
  @GraphqlOnly()
  waitCountedIn?: WaitUnit | null;
  @Field(() => Int, { nullable: true, description: 'Minutes at a site that cost nothing; by default, 0.' })
  @GraphqlOnly()
  @Range(0, DAY)
  waitFreeMinutes?: number | null;
  @Field(() => Int, { nullable: true, description: 'Minutes up to which waiting is rounded; by default, it is not.' })
  @GraphqlOnly()
  @Range(0, DAY)
  waitIncrementMinutes?: number | null;
  @Field(() => ID, { nullable: true, description: 'The schedule of a `FuelSurcharge`; no other add-on has one.' })
  fuelSurchargeScheduleId?: string | null;
}
@InputType()
export class CreateAddOnInput extends UpdateAddOnInput {
  @Field(() => String) @Length(1, NAME) declare name: string;
  @Field(() => [AddOnType]) declare addOnTypes: AddOnType[];
}

@InputType()
export class AddOnFilter {
  @Field(() => [AddOnType], { nullable: true, description: 'Add-ons that may be used in any of these places.' }) addOnTypes?:
    | AddOnType[]
    | null;
  @Field(() => [AddOnRateType], optional) addOnRateTypes?: AddOnRateType[] | null;
}
@ArgsType()
class AddOnTypeaheadArgs extends TypeaheadListArgs {
  @Field(() => AddOnFilter, optional) filter?: AddOnFilter | null;
}

/** The rules of add-ons. */
export const addOns: MasterKind<AddOn, CreateAddOnInput, UpdateAddOnInput> & { entity: typeof AddOn } = {
  entity: AddOn,
  event: 'add_on',
  // DOMAIN names no permission for add-ons; they are part of pricing.
  permissions: { create: 'create_rate', edit: 'edit_rate', delete: 'delete_rate' },
  async fill(tx, addOn, sent) {
    const input = withoutUnseen(viewerOf(tx), sent, model);
    const items: ErrorItem[] = [];
    const revenueRateValue = input.revenueRateValue ?? input.rate;
    const revenueCostRateType = input.revenueCostRateType ?? input.addOnRateType;
    if (input.name !== undefined) addOn.name = nameOf(input.name, model, items);
    if (input.addOnTypes) addOn.addOnTypes = [...new Set(input.addOnTypes)];
    if (addOn.addOnTypes.length === 0) items.push({ model, field: 'addOnTypes', key: 'required' });
    addOn.quantity = input.quantity ?? addOn.quantity ?? new Decimal(1);
    addOn.revenueRateValue = revenueRateValue ?? addOn.revenueRateValue ?? new Decimal(0);
    addOn.percentage = input.percentage ?? addOn.percentage ?? new Decimal(0);
    if (revenueCostRateType) addOn.revenueCostRateType = revenueCostRateType;
    if (input.costRateValue !== undefined) addOn.costRateValue = input.costRateValue;
    fillBase(addOn, input, items);
    addOn.taxable = input.taxable ?? addOn.taxable;
    if (input.externalId !== undefined) addOn.externalId = input.externalId?.trim() || null;
    if (input.accountingId !== undefined) addOn.accountingId = input.accountingId?.trim() || null;
    fillWaiting(addOn, input, items);
    await fillSchedule(tx, addOn, input, items);
    if (items.length > 0) throw new Invalid(items);
  },
};

/** Only a percentage is taken of something; an add-on that becomes something else does not say of what any more. */
function fillBase(addOn: AddOn, { percentageBase }: UpdateAddOnInput, items: ErrorItem[]): void {
  const isShare = addOn.revenueCostRateType === 'RatePercentOfTotal';
  if (percentageBase === 'lines_and_fuel' && !isShare) items.push({ model, field: 'percentageBase', key: 'base_of_percentage' });
  if (percentageBase !== undefined || !isShare) addOn.percentageBase = (isShare && percentageBase) || 'lines';
}

/** Only what is counted one by one counts waiting; an add-on that becomes something else does not any more. */
function fillWaiting(addOn: AddOn, { waitCountedIn, waitFreeMinutes, waitIncrementMinutes }: UpdateAddOnInput, items: ErrorItem[]): void {
  const isCounted = addOn.revenueCostRateType === 'RateForEach';
  if (waitCountedIn && !isCounted) items.push({ model, field: 'waitCountedIn', key: 'waiting_of_each' });
  if (waitCountedIn !== undefined || !isCounted) addOn.waitCountedIn = (isCounted && waitCountedIn) || null;
  for (const [field, minutes] of Object.entries({ waitFreeMinutes, waitIncrementMinutes })) {
    if (minutes && !addOn.waitCountedIn) items.push({ model, field, key: 'without_waiting' });
    if (minutes !== undefined || !addOn.waitCountedIn) Object.assign(addOn, { [field]: addOn.waitCountedIn ? (minutes ?? null) : null });
  }
}

/** Only what is charged for fuel follows a schedule; an add-on that becomes something else loses it. */
async function fillSchedule(tx: TxContext, addOn: AddOn, input: UpdateAddOnInput, items: ErrorItem[]): Promise<void> {
  const { fuelSurchargeScheduleId: id } = input;
  const schedule = id && (await heldReference(tx, FuelSurchargeSchedule, id, addOn.company.id));
  if (id && !schedule) items.push({ model, field: 'fuelSurchargeScheduleId', key: 'must_exist' });
  const isFuel = addOn.revenueCostRateType === 'FuelSurcharge';
  if (schedule && !isFuel) items.push({ model, field: 'fuelSurchargeScheduleId', key: 'only_of_fuel_surcharge' });
  if (id === null || !isFuel) addOn.fuelSurchargeSchedule = null;
  else if (schedule) addOn.fuelSurchargeSchedule = ref(schedule);
}

export const addOnNameKey = defineUnique('add_on_name_key', { model, field: 'name' });
export const addOnSearch = defineSearch(AddOn, (t, p) => `fold(${t}.name) like fold(${p}) or fold(${t}.external_id) like fold(${p})`);
export const addOnSorts = defineSorts(AddOn, { name: { sql: (t) => `lower(${t}.name)`, cast: 'text' } });
export const addOnFilters = defineFilters(AddOn, {
  addOnTypes: { sql: (t, p) => `${t}.add_on_types && ${p}`, cast: 'text[]' },
  addOnRateTypes: { sql: (t, p) => `${t}.revenue_cost_rate_type = any(${p})`, cast: 'text[]' },
});

export const AddOnMutations = masterMutations(addOns, {
  create: { name: 'createAddOn', input: CreateAddOnInput },
  update: { name: 'updateAddOn', input: UpdateAddOnInput },
  discard: { name: 'deleteAddOn' },
});
export const AddOnConnection = connectionOf('AddOn', () => AddOn);

/** The add-ons that may be charged or paid in addition to freight. */
@Resolver(() => AddOn)
export class AddOnResolver {
  @Query(() => AddOnConnection)
  @AnySignedIn()
  addOns(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => MasterListAsOfArgs) args: MasterListAsOfArgs,
  ): Promise<Connection<AddOn>> {
    return listMaster(ctx, AddOn, info, args);
  }

  @Query(() => AddOnConnection, { description: 'Suggestions for a form while somebody types, by name.' })
  @AnySignedIn()
  addOnTypeahead(
    @Ctx() ctx: Context,
    @Info() info: GraphQLResolveInfo,
    @Args(() => AddOnTypeaheadArgs) { filter, ...args }: AddOnTypeaheadArgs,
  ): Promise<Connection<AddOn>> {
    return offerMaster(ctx, AddOn, info, args, filter ?? undefined);
  }
}

export const AddOnQueries = queriesOf(AddOn, {
  addOn: one(AnySignedIn(), () => ({ where: [KEPT] }), { company: { nullable: true } }),
});
