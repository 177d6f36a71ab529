import type { Context } from '../../platform/context.ts';
import { queryOf } from '../../platform/database/sql.ts';
import { Decimal } from '../../platform/decimal.ts';
import type { BillingPeriod } from './billing-period.entity.ts';

/** The numbers of records of some days that are not as they should be when the days are closed. */
export interface Unfinished {
  /** Invoices that nobody has approved. */
  unapprovedInvoices: number;
  /** Those of them that earlier periods left out. */
  leftOverInvoices: number;
  /** Settlements that nobody has approved. */
  unapprovedSettlements: number;
  /** Approved invoices that are in no settlement. They count, and can be settled later. */
  unsettledInvoices: number;
}

const UNFINISHED = `select
    (select count(*)::int from invoice i where i.company_id = $1 and i.state in ('created', 'in_progress', 'pending') and i.service_date <= $2)
      as "unapprovedInvoices",
    (select count(*)::int from invoice i where i.company_id = $1 and i.state in ('created', 'in_progress', 'pending') and i.service_date <= $3::date)
      as "leftOverInvoices",
    (select count(*)::int from settlement s where s.company_id = $1 and s.state = 'pending' and s.ends_on <= $2) as "unapprovedSettlements",
    (select count(*)::int from invoice i where i.company_id = $1 and i.state in ('approved', 'customer_pending', 'customer_approved')
      and i.posting_date <= $2 and ($3::date is null or i.posting_date > $3)
      and not exists (select from settlement_invoice x where x.invoice_id = i.id and x.live)) as "unsettledInvoices"`;

/** Counts what of some days is not finished; what was left over of earlier ones is among it. @param after the last day that is closed already */
export async function unfinishedOf(
  ctx: Context,
  companyId: string,
  { through, after }: { through: string; after: string | null },
): Promise<Unfinished> {
  const [found] = await queryOf<Unfinished>(ctx, UNFINISHED, [companyId, through, after]);
  return found!;
}

// An invoice that was voided after its period was closed stays in that, and is taken back in a later one; so is one that accounting has got.
const TOTALS = `with i as (select side, payee_driver_id is not null as pays, total_amount as amount, true as made from invoice
      where company_id = $1 and posting_date between $2 and $3 and (state <> 'voided' or reversal_date is not null)
    union all select side, payee_driver_id is not null, -total_amount, false from invoice where company_id = $1 and reversal_date between $2 and $3),
  s as (select s.side, s.driver_id is not null as pays, coalesce(s.rebill_total_amount, s.total_amount) as amount, true as made from settlement s
      where s.company_id = $1 and s.posting_date between $2 and $3 and (s.state <> 'voided' or s.reversal_date is not null)
    union all select s.side, s.driver_id is not null, -coalesce(s.rebill_total_amount, s.total_amount), false from settlement s
      where s.company_id = $1 and s.reversal_date between $2 and $3)
  select (select count(*)::int from i where made) as invoices, (select count(*)::int from s where made) as settlements,
    ${['i', 's']
      .map(
        (t) => `(select json_build_object('receivables', coalesce(sum(amount) filter (where side = 'receivable'), 0)::text,
      'vendors', coalesce(sum(amount) filter (where side = 'payable' and not pays), 0)::text,
      'drivers', coalesce(sum(amount) filter (where side = 'payable' and pays), 0)::text) from ${t}) as ${t}`,
      )
      .join(',\n    ')}`;

interface Sums {
  receivables: string;
  vendors: string;
  drivers: string;
}

export type Totals = Pick<
  BillingPeriod,
  | 'invoicesCount'
  | 'settlementsCount'
  | 'receivablesTotalAmount'
  | 'vendorPayablesTotalAmount'
  | 'driverPayablesTotalAmount'
  | 'settledReceivablesTotalAmount'
  | 'settledVendorPayablesTotalAmount'
  | 'settledDriverPayablesTotalAmount'
>;

/** Returns what counts in some days, and what it comes to. */
export async function totalsOf(
  ctx: Context,
  companyId: string,
  { startsOn, endsOn }: { startsOn: string; endsOn: string },
): Promise<Totals> {
  const [found] = await queryOf<{ invoices: number; settlements: number; i: Sums; s: Sums }>(ctx, TOTALS, [companyId, startsOn, endsOn]);
  const { invoices, settlements, i, s } = found!;
  return {
    ...{ invoicesCount: invoices, settlementsCount: settlements },
    receivablesTotalAmount: new Decimal(i.receivables),
    vendorPayablesTotalAmount: new Decimal(i.vendors),
    driverPayablesTotalAmount: new Decimal(i.drivers),
    settledReceivablesTotalAmount: new Decimal(s.receivables),
    settledVendorPayablesTotalAmount: new Decimal(s.vendors),
    settledDriverPayablesTotalAmount: new Decimal(s.drivers),
  };
}

/** The totals of a period that is open. */
export const NO_TOTALS: Totals = {
  ...{ invoicesCount: null, settlementsCount: null, receivablesTotalAmount: null, vendorPayablesTotalAmount: null },
  ...{ driverPayablesTotalAmount: null, settledReceivablesTotalAmount: null, settledVendorPayablesTotalAmount: null },
  settledDriverPayablesTotalAmount: null,
};

const FIRST_DAY = 'select least(min(posting_date), $2::date)::text as day from invoice where company_id = $1';

/** The first day on which anything counts, of a company that has closed nothing yet. */
export async function firstDayOf(ctx: Context, companyId: string, endsOn: string): Promise<string> {
  const [found] = await queryOf<{ day: string }>(ctx, FIRST_DAY, [companyId, endsOn]);
  return found!.day;
}

const EXPORTED = `select exists (select from settlement s where s.company_id = $1 and (s.posting_date between $2 and $3 or s.reversal_date between $2 and $3)
      and (s.exported_at is not null or s.export_state in ('pending', 'uncertain')))
    or exists (select from invoice i where i.company_id = $1 and (i.posting_date between $2 and $3 or i.reversal_date between $2 and $3)
      and (i.exported_at is not null or i.export_state in ('pending', 'uncertain')))
    or exists (select from invoice i join settlement_invoice x on x.invoice_id = i.id and x.live join settlement s on s.id = x.settlement_id
      where i.company_id = $1 and i.posting_date between $2 and $3 and (s.exported_at is not null or s.export_state in ('pending', 'uncertain'))) as exported`;

/** Whether anything that counts in some days was handed to accounting, or is on its way there. */
export async function isExported(
  ctx: Context,
  companyId: string,
  { startsOn, endsOn }: { startsOn: string; endsOn: string },
): Promise<boolean> {
  const [found] = await queryOf<{ exported: boolean }>(ctx, EXPORTED, [companyId, startsOn, endsOn]);
  return found!.exported;
}
