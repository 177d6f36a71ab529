import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Currency } from '../../directory/companies/company-enums.ts';
import { MinimumPer, RateTier, TierMode, TimeBasis } from '../../directory/master-data/rate.entity.ts';
import { RateType, UnitOfMeasure } from '../../directory/master-data/units.ts';
import { DecimalScalar } from '../../platform/decimal.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { QuotedCharge } from './quoted-charge.ts';

@ObjectType({ simpleResolvers: true, description: 'A company as it is written on a quote.' })
export class QuoteParty {
  @Field(() => String, { description: 'As it does business, or its legal name.' }) name!: string;
  @Field(() => [String], { description: 'The lines of its address.' }) address!: string[];
  @Field(() => [String], { description: 'Name, telephone and e-mail address of its contact, as far as they are known.' })
  contact!: string[];
}

@ObjectType({ simpleResolvers: true, description: 'What a customer pays for hauling, and for which work.' })
export class QuotedRate {
  @Field(() => RateType, { description: 'How it is counted.' }) rateType!: RateType;
  @Field(() => DecimalScalar, { description: 'For each unit, in the currency of the quote; per cent of a commission.' }) value!: string;
  @Field(() => DecimalScalar, { nullable: true, description: 'The units of a load that are paid at least.' }) minimumQuantity?:
    | string
    | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The units up to a multiple of which a load is rounded.' }) incrementQuantity?:
    | string
    | null;
  @Field(() => Int, { nullable: true, description: 'By the hour: the minutes that are paid at least.' }) minimumMinutes?: number | null;
  @Field(() => Int, { nullable: true, description: 'By the hour: the minutes up to a multiple of which time is rounded.' })
  incrementMinutes?: number | null;
  @Field(() => MinimumPer, { nullable: true, description: 'By the hour: what minimum and increment are for.' })
  minimumPer?: MinimumPer | null;
  @Field(() => TimeBasis, { nullable: true, description: 'By the hour: which time is paid.' }) timeBasis?: TimeBasis | null;
  @Field(() => Int, { nullable: true, description: 'By the day: the minutes of a full one; what is less is paid in proportion.' })
  fullDayMinutes?: number | null;
  @Field(() => Boolean, { nullable: true, description: 'By the hour or the day: whether breaks are paid.' }) breaksPaid?: boolean | null;
  @Field(() => [RateTier], { description: 'The rates that hold instead from a quantity on.' }) tiers!: RateTier[];
  @Field(() => TierMode, { nullable: true, description: 'Whether the rate of a tier is paid for what is above it, or for everything.' })
  tierMode?: TierMode | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Per cent of the freight that are charged for fuel without a schedule.' })
  fuelPercentage?: string | null;
  @Field(() => [QuotedCharge], { description: 'What is charged by itself in addition to it.' }) charges!: QuotedCharge[];
  @Field(() => String, { nullable: true, description: 'Where it is loaded; null for any place.' }) pickupSiteName?: string | null;
  @Field(() => String, { nullable: true, description: 'Where it is unloaded; null for any place.' }) dropoffSiteName?: string | null;
  @Field(() => String, { nullable: true, description: 'By which kind of truck; null for any.' }) equipmentTypeName?: string | null;
  @Field(() => String, { nullable: true, description: 'Of which material; null for any.' }) materialName?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A material of a project, and what the customer pays for it.' })
export class QuotedMaterial {
  @Field(() => String, { description: 'What it is called.' }) name!: string;
  @Field(() => DecimalScalar, { nullable: true, description: 'How much of it the project is about.' }) quantity?: string | null;
  @Field(() => UnitOfMeasure, { nullable: true, description: 'The unit of the quantity.' }) unitOfMeasure?: UnitOfMeasure | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'For each unit of the price; null if there is none.' }) price?: string | null;
  @Field(() => UnitOfMeasure, { nullable: true, description: 'The unit of the price.' }) priceUnitOfMeasure?: UnitOfMeasure | null;
  @Field(() => String, { nullable: true, description: 'Where it is loaded at that price; null for any place.' }) siteName?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A project's rates and materials as its customer gets them." })
export class ProjectQuote {
  @Field(() => ID, { description: 'The project.' }) projectId!: string;
  @Field(() => String, { description: 'The number of the project.' }) number!: string;
  @Field(() => String, { description: 'The name of the project.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'The number by which the customer knows it.' }) poJobNumber?: string | null;
  @Field(() => LocalDate, { description: 'The day of the company on which it was made.' }) date!: string;
  @Field(() => LocalDate, { nullable: true, description: 'The first day of the work.' }) startsOn?: string | null;
  @Field(() => LocalDate, { nullable: true, description: 'The last day on which it is valid: that of the project.' }) validUntil?:
    | string
    | null;
  @Field(() => Currency, { description: 'The currency of rates and prices.' }) currency!: Currency;
  @Field(() => DecimalScalar, { nullable: true, description: 'Per cent of tax; null if none is charged.' }) taxRate?: string | null;
  @Field(() => Boolean, { description: 'Whether the customer pays no tax.' }) taxExempt!: boolean;
  @Field(() => Boolean, { description: 'Whether freight and fuel are taxed.' }) taxFreight!: boolean;
  @Field(() => Boolean, { description: 'Whether material is taxed.' }) taxMaterial!: boolean;
  @Field(() => Boolean, { description: 'Whether taxable charges are taxed.' }) taxAddOns!: boolean;
  @Field(() => QuoteParty, { description: 'Which makes it.' }) company!: QuoteParty;
  @Field(() => QuoteParty, { description: 'For whom it is.' }) customer!: QuoteParty;
  @Field(() => [String], { description: 'The sites of the project and of its route.' }) sites!: string[];
  @Field(() => [QuotedRate], { description: 'The rate of the project first, then those for some of its work.' }) rates!: QuotedRate[];
  @Field(() => [QuotedMaterial], { description: 'The materials of the project.' }) materials!: QuotedMaterial[];
}
