import { Field, Int, ObjectType } from 'type-graphql';
import { FuelDate } from '../../directory/companies/settings/fuel-date.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { AddOnRateType, PercentageBase, WaitUnit } from '../add-ons/add-on.entity.ts';
import { FuelSurchargeScheduleType } from '../fuel/fuel-surcharge-schedule.entity.ts';

@ObjectType({ simpleResolvers: true, description: 'What is charged for fuel from a price of it on, up to that of the next row.' })
export class QuotedFuelRow {
  @Field(() => DecimalScalar, { description: 'The price of fuel.' }) price!: string;
  @Field(() => DecimalScalar, {
    description: 'Per cent of the freight, or money for each unit, by the type of the surcharge; below 0 for a credit.',
  })
  billSurcharge!: string;
}

@ObjectType({ simpleResolvers: true, description: 'By which price of fuel how much is charged for it. Below the first row it is nothing.' })
export class QuotedFuel {
  @Field(() => String, { description: 'The name of the schedule.' }) name!: string;
  @Field(() => String, { description: 'The name of the prices of fuel that it follows.' }) indexName!: string;
  @Field(() => FuelSurchargeScheduleType, { description: 'Of what it is charged.' }) surchargeType!: FuelSurchargeScheduleType;
  @Field(() => FuelDate, { description: 'On which day the price counts.' }) date!: FuelDate;
  @Field(() => Int, { description: 'By how many weeks the price is older than that day.' }) lagWeeks!: number;
  @Field(() => [QuotedFuelRow], { description: 'By the price of fuel.' }) rows!: QuotedFuelRow[];
}

@ObjectType({ simpleResolvers: true, description: 'What is charged by itself in addition to the freight.' })
export class QuotedCharge {
  @Field(() => String, { description: 'What it is called on invoices.' }) name!: string;
  @Field(() => AddOnRateType, { description: 'How it is counted.' }) type!: AddOnRateType;
  @Field(() => DecimalScalar, { nullable: true, description: 'For each, or for each load; null of percentages and fuel.' }) rate?:
    | string
    | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'How many are charged for each job; null where the work decides it.' })
  quantity?: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Of a percentage: per cent of its base.' }) percentage?: string | null;
  @Field(() => PercentageBase, { nullable: true, description: 'Of what a percentage is taken.' }) percentageBase?: PercentageBase | null;
  @Field(() => Boolean, { description: 'Whether it is taxed where add-ons are.' }) taxable!: boolean;
  @Field(() => WaitUnit, { nullable: true, description: 'In what waiting at a site is counted; null of what is not for waiting.' })
  waitCountedIn?: WaitUnit | null;
  @Field(() => Int, { nullable: true, description: 'Minutes at each site that cost nothing.' }) waitFreeMinutes?: number | null;
  @Field(() => Int, { nullable: true, description: 'Minutes up to which waiting is rounded.' }) waitIncrementMinutes?: number | null;
  @Field(() => QuotedFuel, { nullable: true, description: 'Of a fuel surcharge: what it is charged by.' }) fuel?: QuotedFuel | null;
}
