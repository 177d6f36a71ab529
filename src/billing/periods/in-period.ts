import type { FilterSpec } from '../../platform/read/grammar.ts';

/** The filter of what counts in a period of the books. */
export const inPeriod = {
  billingPeriodId: {
    sql: (t: string, p: string) => `exists (select from billing_period ip where ip.id = ${p} and ip.company_id = ${t}.company_id
      and ${t}.posting_date between ip.starts_on and ip.ends_on)`,
    cast: 'uuid',
  },
} satisfies Record<string, FilterSpec>;

/** The filter of what stayed out of a period when it was closed. */
export const leftOut = {
  /** Invoices that count later than their work because nobody had approved them when the period was closed; those that were made afterwards are not among them. */
  leftOutOfPeriodId: {
    sql: (
      t: string,
      p: string,
    ) => `exists (select from billing_period lp where lp.id = ${p} and lp.company_id = ${t}.company_id and lp.state = 'closed'
      and ${t}.service_date <= lp.ends_on and (${t}.posting_date is null or ${t}.posting_date > lp.ends_on)
      and ${t}.created_at <= lp.closed_at and ${t}.state <> 'voided')`,
    cast: 'uuid',
  },
} satisfies Record<string, FilterSpec>;
