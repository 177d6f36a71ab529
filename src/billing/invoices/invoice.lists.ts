import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { RateType } from '../../directory/master-data/units.ts';
import { InvoiceableType, InvoiceCategoryFilter, InvoiceState } from '../../dispatch/fields/invoice-enums.ts';
import { SearchInput } from '../../dispatch/fields/search.inputs.ts';
import { dayIn } from '../../dispatch/model/company-day.ts';
import { viewerOf } from '../../platform/authz/authorization.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { byChange, defineFilters, defineSearch, defineSorts, type FilterSpec } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/run.ts';
import { AsOf, GraphqlOnly, UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { inPeriod, leftOut } from '../periods/in-period.ts';
import { Invoice, InvoiceLineItem } from './invoice.entity.ts';
import { InvoiceBlocker } from './invoice-enums.ts';
import { ofBooks } from './sending/sent-records.ts';

const optional = { nullable: true };
export const InvoiceConnection = connectionOf('Invoice', () => Invoice);
export const InvoiceLineItemConnection = connectionOf('InvoiceLineItem', () => InvoiceLineItem);

@InputType()
export class InvoiceFilter {
  @Field(() => DateOrInstant, { nullable: true, description: 'Work of this day of the company, or later.' }) startDate?: string | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'Work of this day of the company, or earlier.' }) endDate?: string | null;
  @Field(() => [InvoiceState], optional) states?: InvoiceState[] | null;
  @Field(() => InvoiceCategoryFilter, optional) invoiceCategory?: InvoiceCategoryFilter | null;
  @Field(() => [ID], optional) customerAccountIds?: string[] | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
  @Field(() => [ID], optional) pickupSiteIds?: string[] | null;
  @Field(() => [ID], optional) dropoffSiteIds?: string[] | null;
  @Field(() => [ID], optional) projectIds?: string[] | null;
  @Field(() => [RateType], optional) rateTypes?: RateType[] | null;
  @Field(() => InvoiceableType, optional) invoiceableType?: InvoiceableType | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => [InvoiceBlocker], { nullable: true, description: 'Those that one of these keeps from being approved.' })
  @GraphqlOnly()
  blockers?: InvoiceBlocker[] | null;
  @Field(() => Boolean, { nullable: true, description: 'True for what suppliers get for material, false for everything but that.' })
  @GraphqlOnly()
  ofMaterial?: boolean | null;
  @Field(() => ID, { nullable: true, description: 'Those that count in this period of the books.' }) billingPeriodId?: string | null;
  @Field(() => ID, {
    nullable: true,
    description: 'Those that stayed out of this period because nobody had approved them when it was closed.',
  })
  leftOutOfPeriodId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Those that a live settlement has, or else those that none has.' })
  grouped?: boolean | null;
  @Field(() => ID, { nullable: true, description: 'In the books of this company: one of yours, or one that sent you its invoices.' })
  companyId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Those that other companies sent to you, instead of your own.' })
  received?: boolean | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@InputType()
export class InvoiceSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the last change.' }) @GraphqlOnly() updatedAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the day of the work.' }) @GraphqlOnly() serviceDate?: SortDirection | null;
}

@ArgsType()
export class InvoiceListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => ID, { nullable: true, description: 'Only the invoices of this order.' }) orderId?: string | null;
  @Field(() => InvoiceFilter, optional) filter?: InvoiceFilter | null;
  @Field(() => InvoiceSort, optional) sort?: InvoiceSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
  @AsOf() asOf?: Date | null;
}

const among = (column: string, cast = 'uuid[]') => ({ sql: (t: string, p: string) => `${t}.${column} = any(${p})`, cast });
const companyOf = (account: string, condition: string) =>
  `exists (select 1 from account ca where ca.id = ${account} and ca.connected_company_id is not null and ${condition})`;
const isOwnerOperator = `exists (select 1 from company cc where cc.id = ca.connected_company_id and cc.company_type = 'owner_operator')`;

/** SQL of the company above all of a company, as far as the reader sees. */
const topOf = (id: string): string => `(with recursive up as (select fc.id, fc.parent_company_id from company fc where fc.id = ${id}
    union select fp.id, fp.parent_company_id from company fp join up on fp.id = up.parent_company_id)
  select up.id from up where not exists (select from company fa where fa.id = up.parent_company_id) limit 1)`;
const isOfFamily = (t: string): string => `${topOf('ca.connected_company_id')} = ${topOf(`${t}.company_id`)}`;

/** DOMAIN 3.1 "Categories". What companies of a family owe each other is internal, as what they owe their own drivers is (BILLING B8). */
const categories = (t: string): Record<InvoiceCategoryFilter, string> => ({
  payables: `${t}.side = 'payable'`,
  receivables: `${t}.side = 'receivable'`,
  vendor_payables: `${t}.side = 'payable' and ${t}.vendor_account_id is not null`,
  owner_operator_payables: `${t}.side = 'payable' and ${companyOf(`${t}.vendor_account_id`, isOwnerOperator)}`,
  internal_payables: `${t}.side = 'payable' and (${t}.payee_driver_id is not null or ${companyOf(`${t}.vendor_account_id`, isOfFamily(t))})`,
  connection_receivables: `${t}.side = 'receivable' and ${companyOf(`${t}.customer_account_id`, 'true')}`,
  account_receivables: `${t}.side = 'receivable' and not ${companyOf(`${t}.customer_account_id`, 'true')}`,
});

/** SQL of whose rates an invoice is priced by. */
const sideSql = (t: string): string =>
  `case when ${t}.side = 'receivable' then 'customer' when ${t}.payee_driver_id is not null then 'driver' else 'vendor' end`;

/**
 * By the type of the rate, of invoices whose rates the reader sees: otherwise the filter would reveal what is masked (B-I11).
 * @param around wraps the condition on an invoice
 */
export function atRates(
  invoice: (t: string) => string,
  around: (t: string, condition: string) => string = (_t, condition) => condition,
): FilterSpec {
  return {
    sql(t, p) {
      const i = invoice(t);
      return around(t, `(${sideSql(i)} || ' ' || ${i}.rate_type = any(${p}) or ${i}.payee_driver_id || ' ' || ${i}.rate_type = any(${p}))`);
    },
    cast: 'text[]',
    value(given, ctx) {
      const viewer = viewerOf(ctx);
      const seen = (['customer', 'vendor', 'driver'] as const).filter((side) => viewer.can(`view_${side}_rates`));
      const own = viewer.can('view_driver_rates:own') ? [viewer.id] : [];
      return [...seen, ...own].flatMap((side) => (given as RateType[]).map((type) => `${side} ${type}`));
    },
  };
}

/** The filters of invoices, also of work by its invoices. */
export const INVOICE_FILTERS = {
  startDate: { sql: (t, p) => `${t}.service_date >= ${p}`, cast: 'date', value: dayIn },
  endDate: { sql: (t, p) => `${t}.service_date <= ${p}`, cast: 'date', value: dayIn },
  states: among('state', 'text[]'),
  invoiceCategory: {
    sql: (t, p) =>
      `case ${p} ${Object.entries(categories(t))
        .map(([name, condition]) => `when '${name}' then ${condition}`)
        .join(' ')} end`,
    cast: 'text',
  },
  customerAccountIds: among('customer_account_id'),
  vendorAccountIds: among('vendor_account_id'),
  pickupSiteIds: among('pickup_site_id'),
  dropoffSiteIds: among('dropoff_site_id'),
  projectIds: among('project_id'),
  rateTypes: atRates((t) => t),
  invoiceableType: { sql: (t, p) => `(${t}.driver_day_id is null) = (${p} = 'Job')`, cast: 'text' },
  driverIds: among('driver_id'),
  ofMaterial: { sql: (t, p) => `${t}.of_material = ${p}`, cast: 'boolean' },
  ...ofBooks,
  ...inPeriod,
  ...leftOut,
  blockers: { sql: (t, p) => `${t}.blockers && ${p}`, cast: 'text[]' },
  grouped: {
    sql: (t, p) => `exists (select from settlement_invoice gx where gx.invoice_id = ${t}.id and gx.live) = ${p}`,
    cast: 'boolean',
  },
} satisfies Record<string, FilterSpec>;
export const invoiceFilters = defineFilters(Invoice, INVOICE_FILTERS);
/** The invoices that a biller can approve: few of many, which the index of invoices that follow their work has. */
export const APPROVABLE: Where = {
  key: 'approvable',
  sql: (t, p) => `${t}.state = 'pending' and ${t}.blockers = '{}' and ${p}`,
  cast: 'boolean',
  value: true,
};
export const invoiceSorts = defineSorts(Invoice, { ...byChange, serviceDate: { sql: (t) => `${t}.service_date`, cast: 'date' } });
export const invoiceSearch = defineSearch(
  Invoice,
  (t, p) => `${t}.invoice_id ilike ${p} or exists (select 1 from job sj where sj.id = ${t}.job_id and sj.job_id ilike ${p})
    or exists (select 1 from driver_day sd where sd.id = ${t}.driver_day_id and sd.driver_day_id ilike ${p})`,
);
export const invoiceLineItemSorts = defineSorts(InvoiceLineItem, { ordinality: { sql: (t) => `${t}.ordinality`, cast: 'integer' } });
