import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { dayIn } from '../../dispatch/model/company-day.ts';
import { type Decimal, DecimalScalar } from '../../platform/decimal.ts';
import { Amount, AtMost, Length } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { connectionOf, PageArgs } from '../../platform/read/connection.ts';
import { defineFilters, defineSorts } from '../../platform/read/grammar.ts';
import { DateOrInstant, LocalDate } from '../../platform/scalars.ts';
import { InvoiceSide } from '../invoices/invoice-enums.ts';
import { LoadMatch } from './load-match.entity.ts';
import { LoadMatchResult, LoadVariance } from './match-enums.ts';
import { VendorBill } from './vendor-bill.entity.ts';

export const LoadMatchConnection = connectionOf('LoadMatch', () => LoadMatch);
export const VendorBillConnection = connectionOf('VendorBill', () => VendorBill);

/** Lines of a bill: some weeks of a large vendor. */
export const MOST_LINES = 1_000;
/** Characters of a number on a bill or a ticket. */
const NUMBER = 255;
const MOST = 10_000_000;
const optional = { nullable: true };

@InputType({ description: 'A line of a bill of a vendor.' })
@About('VendorBill')
export class VendorBillLineInput {
  @Field(() => String, { nullable: true, description: 'The number of the ticket that is billed.' }) @Length(1, NUMBER) ticketNumber?:
    | string
    | null;
  @Field(() => ID, { nullable: true, description: 'The load that is billed, if it is known.' }) loadId?: string | null;
  @Field(() => LocalDate, { nullable: true, description: 'The day of the work.' }) date?: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'The quantity that was delivered, in the unit of the rate.' })
  @Amount(0, MOST)
  quantity?: Decimal | null;
  @Field(() => DecimalScalar, optional) @Amount(-MOST, MOST) rate?: Decimal | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'By default, quantity times rate.' })
  @Amount(-MOST, MOST)
  amount?: Decimal | null;
}

@InputType()
@About('VendorBill')
export class CreateVendorBillInput {
  @Field(() => ID, { description: 'The vendor who bills.' }) vendorAccountId!: string;
  @Field(() => String, { description: 'The number of the bill at the vendor.' }) @Length(1, NUMBER) number!: string;
  @Field(() => LocalDate, optional) date?: string | null;
  @Field(() => [VendorBillLineInput], { nullable: true, description: 'Its lines; at most 1,000.' }) @AtMost(MOST_LINES) lines?:
    | VendorBillLineInput[]
    | null;
  @Field(() => String, {
    nullable: true,
    description:
      'The same as a sheet (CSV), instead of lines: with the columns `ticket_number`, `load_id`, `date`, `quantity`, `rate` and `amount`.',
  })
  @Length(1, 1_000_000)
  csv?: string | null;
}

@InputType()
@About('LoadMatch')
export class WaiveLoadMatchInput {
  @Field(() => String, { description: 'Why its differences are right.' }) @Length(1, 1_000) reason!: string;
}

@InputType()
export class LoadMatchFilter {
  @Field(() => [LoadMatchResult], optional) results?: LoadMatchResult[] | null;
  @Field(() => [LoadVariance], { nullable: true, description: 'Those with one of these differences.' }) variances?: LoadVariance[] | null;
  @Field(() => InvoiceSide, optional) side?: InvoiceSide | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
  @Field(() => ID, { nullable: true, description: 'Those of this bill.' }) vendorBillId?: string | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'Work of this day of the company, or later.' }) startDate?: string | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'Work of this day of the company, or earlier.' }) endDate?: string | null;
}

@ArgsType()
export class LoadMatchListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => LoadMatchFilter, optional) filter?: LoadMatchFilter | null;
}
@ArgsType()
export class VendorBillListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
}

export const matchLists = [
  defineFilters(LoadMatch, {
    results: { sql: (t, p) => `${t}.result = any(${p})`, cast: 'text[]' },
    variances: { sql: (t, p) => `${t}.variances && ${p}`, cast: 'text[]' },
    side: { sql: (t, p) => `${t}.side = ${p}`, cast: 'text' },
    vendorAccountIds: { sql: (t, p) => `${t}.vendor_account_id = any(${p})`, cast: 'uuid[]' },
    vendorBillId: { sql: (t, p) => `${t}.vendor_bill_id = ${p}`, cast: 'uuid' },
    startDate: { sql: (t, p) => `coalesce(${t}.service_date, ${t}.their_date) >= ${p}`, cast: 'date', value: dayIn },
    endDate: { sql: (t, p) => `coalesce(${t}.service_date, ${t}.their_date) <= ${p}`, cast: 'date', value: dayIn },
  }),
  defineSorts(LoadMatch, { amountAtStake: { sql: (t) => `${t}.amount_at_stake`, cast: 'numeric' } }),
];
