import type { FilterSpec } from '../../platform/read/grammar.ts';

/** The filter of what counts in a period of the books. */
export const inPeriod = {
  billingPeriodId: {
    sql: (t: string, p: string) => `exists (select from billing_period ip where ip.id = ${p} and ip.company_id = ${t}.company_id
      and ${t}.posting_date between ip.starts_on and ip.ends_on)`,
    cast: 'uuid',
  },
} satisfies Record<string, FilterSpec>;
