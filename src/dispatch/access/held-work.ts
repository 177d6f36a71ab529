import type { Figures } from '../../platform/model/decorators.ts';
import { closedThroughSql } from './closed-books.ts';

// Bills of higher rooms hold the work of which they were priced (BILLING B5): their approval has to be taken back first.

/** SQL: an invoice is approved and counts. @param i its row */
const isApproved = (i: string): string => `${i}.billing_approved_at is not null and ${i}.state <> 'voided'`;

/** SQL: an approved invoice of the job rests on its approval and on those of its loads. @param companies condition of whose books it is in */
export const jobHeldSql = (jobId: string, companies: (column: string) => string): string =>
  `exists (select from invoice hi where hi.job_id = ${jobId} and ${companies('hi.company_id')} and ${isApproved('hi')})`;

/**
 * SQL: the approval of a load cannot be taken back, because of its job or of what was billed of it: by an invoice with a line of it, or one without lines of
 * loads.
 */
export const loadHeldSql = (l: string, companies: (column: string) => string): string =>
  `(exists (select from job hj where hj.id = ${l}.job_id and hj.state in ('signed_off', 'paid'))
    or exists (select from invoice hi where hi.job_id = ${l}.job_id and ${companies('hi.company_id')} and ${isApproved('hi')}
      and (exists (select from invoice_line_item hl where hl.invoice_id = hi.id and hl.load_id = ${l}.id)
        or not exists (select from invoice_line_item hl where hl.invoice_id = hi.id and hl.load_id is not null))))`;

/** SQL: an invoice is in a settlement that counts. @param i its row */
export const isSettledSql = (i: string): string => `exists (select from settlement_invoice sx where sx.invoice_id = ${i}.id and sx.live)`;

/** SQL: an invoice of the job, or of the day of its driver, is in a live settlement of its owner. */
export const jobSettledSql = (t: string): string =>
  `exists (select from invoice si where (si.job_id = ${t}.id or si.driver_day_id = ${t}.driver_day_id) and si.company_id = ${t}.company_id and ${isSettledSql('si')})`;

/**
 * The invoices of a job that its owner has approved, in one look. `held` says that there is one at all; `payable` that of what it owes for the work,
 * apart from material: for the job itself, or with the day of its driver; `settled` that one is in a live settlement.
 */
export const INVOICE_FIGURES: Figures = {
  name: 'invoices',
  sql: (t) => `select coalesce(bool_or(i.job_id = ${t}.id), false) as held,
    coalesce(bool_or(i.side = 'payable' and not i.of_material and (i.job_id = ${t}.id or not exists (
      select 1 from invoice o where o.job_id = ${t}.id and o.company_id = ${t}.company_id and o.side = 'payable' and not o.of_material and o.state <> 'voided'))), false) as payable,
    coalesce(bool_or(${isSettledSql('i')}), false) as settled
    from invoice i where (i.job_id = ${t}.id or i.driver_day_id = ${t}.driver_day_id) and i.company_id = ${t}.company_id and ${isApproved('i')}`,
};

/**
 * What invoices hold of a day. They hold nothing, its approval, or its times too: those if one of them pays by time, is in a live settlement or in a closed period.
 */
export const DAY_HOLDS = { none: 0, approval: 1, times: 2 } as const;

const HELD = (i: string): string =>
  `${i}.id, ${i}.company_id, ${i}.posting_date, (${i}.driver_day_id is not null or ${i}.time_terms is not null) as timed`;
/** SQL of how much approved invoices hold of a day, a number of `DAY_HOLDS`: its own, and those of its jobs. */
export const dayHoldSql = (d: string, companies: (column: string) => string): string => `coalesce((select max(case
    when h.timed or h.posting_date <= ${closedThroughSql('h.company_id')} or exists (select from settlement_invoice hx where hx.invoice_id = h.id and hx.live)
    then ${DAY_HOLDS.times} else ${DAY_HOLDS.approval} end)
  from (select ${HELD('hi')} from invoice hi where hi.driver_day_id = ${d}.id and ${companies('hi.company_id')} and ${isApproved('hi')}
    union all select ${HELD('hi')} from job hj join invoice hi on hi.job_id = hj.id where hj.driver_day_id = ${d}.id and ${companies('hi.company_id')} and ${isApproved('hi')}) h), ${DAY_HOLDS.none})`;

/** The condition of books of the company that a row belongs to. */
export const booksOfOwner =
  (t: string) =>
  (column: string): string =>
    `${column} = ${t}.company_id`;
