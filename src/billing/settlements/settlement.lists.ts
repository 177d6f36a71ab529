import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { RateType } from '../../directory/master-data/units.ts';
import { SearchInput } from '../../dispatch/fields/search.inputs.ts';
import { settlementNumberSql } from '../../dispatch/fields/settlement-number.ts';
import { dayIn } from '../../dispatch/model/company-day.ts';
import { connectionOf, PageArgs, SortDirection } from '../../platform/read/connection.ts';
import { byChange, defineFilters, defineSearch, defineSorts } from '../../platform/read/grammar.ts';
import type { Where } from '../../platform/read/run.ts';
import { AsOf, GraphqlOnly, UpdatedSince } from '../../platform/read/time-range.ts';
import { DateOrInstant } from '../../platform/scalars.ts';
import { atRates } from '../invoices/invoice.lists.ts';
import { InvoiceSide } from '../invoices/invoice-enums.ts';
import { isPaidWithDaySql } from '../invoices/invoiced-work.ts';
import { ofBooks } from '../invoices/sending/sent-records.ts';
import { inPeriod } from '../periods/in-period.ts';
import { Settlement } from './settlement.entity.ts';
import { SettlementState } from './settlement.machine.ts';

const optional = { nullable: true };
export const SettlementConnection = connectionOf('Settlement', () => Settlement);

@InputType()
export class SettlementFilter {
  @Field(() => [SettlementState], optional) states?: SettlementState[] | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'With work of this day of the company, or later.' }) startDate?: string | null;
  @Field(() => DateOrInstant, { nullable: true, description: 'With work of this day of the company, or earlier.' }) endDate?: string | null;
  @Field(() => [RateType], { nullable: true, description: 'With an invoice at a rate of one of these types.' }) rateTypes?:
    | RateType[]
    | null;
  @Field(() => [ID], { nullable: true, description: 'With work for one of these projects.' }) projectIds?: string[] | null;
  @Field(() => [ID], optional) customerAccountIds?: string[] | null;
  @Field(() => [ID], optional) vendorAccountIds?: string[] | null;
  @Field(() => [ID], optional) driverIds?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'With work that begins at one of these sites.' }) pickupSiteIds?: string[] | null;
  @Field(() => [ID], { nullable: true, description: 'With work that ends at one of these sites.' }) dropoffSiteIds?: string[] | null;
  @Field(() => ID, { nullable: true, description: 'Those that count in this period of the books.' }) billingPeriodId?: string | null;
  @Field(() => ID, { nullable: true, description: 'In the books of this company: one of yours, or one that sent you its settlements.' })
  companyId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Those that other companies sent to you, which you owe, instead of your own.' })
  received?: boolean | null;
  @UpdatedSince() updatedSince?: Date | null;
}

@InputType()
export class SettlementSort {
  @Field(() => SortDirection, optional) createdAt?: SortDirection | null;
  @Field(() => SortDirection, { nullable: true, description: 'By the last change.' }) @GraphqlOnly() updatedAt?: SortDirection | null;
}

@ArgsType()
export class SettlementListArgs extends PageArgs {
  @Field(() => ID, optional) companyId?: string | null;
  @Field(() => InvoiceSide, { nullable: true, description: 'Only what customers owe, or only what vendors and drivers are paid.' })
  side?: InvoiceSide | null;
  @Field(() => SettlementFilter, optional) filter?: SettlementFilter | null;
  @Field(() => SettlementSort, optional) sort?: SettlementSort | null;
  @Field(() => SearchInput, optional) search?: SearchInput | null;
  @AsOf() asOf?: Date | null;
}

const among = (column: string, cast = 'uuid[]') => ({ sql: (t: string, p: string) => `${t}.${column} = any(${p})`, cast });
const withInvoice = (column: string) => ({
  sql: (t: string, p: string) => `exists (select 1 from settlement_invoice fx join invoice fi on fi.id = fx.invoice_id
    where fx.settlement_id = ${t}.id and fi.${column} = any(${p}))`,
  cast: 'uuid[]',
});

export const settlementFilters = defineFilters(Settlement, {
  states: among('state', 'text[]'),
  startDate: { sql: (t, p) => `${t}.ends_on >= ${p}`, cast: 'date', value: dayIn },
  endDate: { sql: (t, p) => `${t}.starts_on <= ${p}`, cast: 'date', value: dayIn },
  rateTypes: atRates(
    () => 'fi',
    (t, condition) =>
      `exists (select 1 from settlement_invoice fx join invoice fi on fi.id = fx.invoice_id where fx.settlement_id = ${t}.id and ${condition})`,
  ),
  projectIds: withInvoice('project_id'),
  customerAccountIds: among('customer_account_id'),
  vendorAccountIds: among('vendor_account_id'),
  driverIds: among('driver_id'),
  pickupSiteIds: withInvoice('pickup_site_id'),
  dropoffSiteIds: withInvoice('dropoff_site_id'),
  ...ofBooks,
  ...inPeriod,
});
export const settlementSorts = defineSorts(Settlement, byChange);
export const settlementSearch = defineSearch(
  Settlement,
  (t, p) => `${settlementNumberSql(t)} ilike ${p}
    or exists (select 1 from account sa where sa.id in (${t}.customer_account_id, ${t}.vendor_account_id) and sa.name ilike ${p})
    or exists (select 1 from app_user su where su.id = ${t}.driver_id and su.first_name || ' ' || su.last_name ilike ${p})`,
);

export const ofSide = (side: InvoiceSide): Where => ({ key: 'side', sql: (t, p) => `${t}.side = ${p}`, cast: 'text', value: side });

/** The invoices of a settlement. */
export const invoicesIn = (id: string): Where => ({
  key: 'in settlement',
  sql: (t, p) => `${t}.id in (select x.invoice_id from settlement_invoice x where x.settlement_id = ${p})`,
  cast: 'uuid',
  value: id,
});

/** SQL of the supplements to the invoices of a settlement: also those that correct a line of one part of the work, and are named after another one. */
const supplementsOf = (p: string): string => `select s.id from settlement_invoice x join invoice s on s.parent_invoice_id = x.invoice_id
    where x.settlement_id = ${p} and s.reason in ('late_ticket', 'correction')
  union select s.id from settlement_invoice x join invoice i on i.id = x.invoice_id and i.reason in ('regular', 'partial')
    join invoice s on s.job_id = i.job_id and s.company_id = i.company_id and s.reason in ('late_ticket', 'correction')
    where x.settlement_id = ${p} and exists (select from invoice_line_item li join invoice_line_item c on c.id = li.corrects_id
      where li.invoice_id = s.id and c.invoice_id = i.id)`;

/** The supplements to the invoices of a settlement. */
export const supplementsTo = (id: string): Where => ({
  key: 'supplements',
  sql: (t, p) => `${t}.state <> 'voided' and ${t}.id in (${supplementsOf(p)})`,
  cast: 'uuid',
  value: id,
});

/**
 * Returns SQL of the ids of the loads that invoices bill (BILLING B9): of work by the load those of its lines, of work by the hour or at a flat rate all of the
 * job, and of a day all of its jobs that have no payable of their own. So a load whose line was taken off is none of them, and neither is one for which a commission found nothing at the
 * customer's invoice. What corrects an invoice is for no load anew.
 * @param invoices a relation with the columns of `invoice`
 */
export const billedLoadsSql = (
  invoices: string,
): string => `select li.load_id from ${invoices} i join invoice_line_item li on li.invoice_id = i.id
    where li.load_id is not null and li.corrects_id is null
  union select wl.id from ${invoices} i join invoice_line_item li on li.invoice_id = i.id join load wl on wl.job_id = i.job_id
    where li.load_id is null and li.corrects_id is null and i.reason = 'regular'
  union select dl.id from ${invoices} i join invoice_line_item li on li.invoice_id = i.id
    join job dj on i.job_id is null and dj.driver_day_id = i.driver_day_id join load dl on dl.job_id = dj.id
    where li.load_id is null and li.corrects_id is null and i.reason = 'regular' and ${isPaidWithDaySql('dj', 'i')}`;

/** SQL of the loads that a settlement is for. */
const loadsOf = (p: string): string =>
  billedLoadsSql(`(select i.* from settlement_invoice x join invoice i on i.id = x.invoice_id where x.settlement_id = ${p})`);

export const loadsIn = (id: string): Where => ({
  key: 'loads in settlement',
  sql: (t, p) => `${t}.id in (${loadsOf(p)})`,
  cast: 'uuid',
  value: id,
});
export const ticketsIn = (id: string): Where => ({
  key: 'tickets in settlement',
  sql: (t, p) => `${t}.voided_at is null and ${t}.load_id in (${loadsOf(p)})`,
  cast: 'uuid',
  value: id,
});
