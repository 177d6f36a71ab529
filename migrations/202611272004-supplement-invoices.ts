import { Migration } from '@mikro-orm/migrations';

/** Work may be invoiced in parts: by its loads, and by what differs from what was billed. */
export class SupplementInvoices extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoice add column part integer not null default 1,
        add column reason text not null default 'regular',
        add column parent_invoice_id uuid references invoice (id) on delete set null,
        -- Of a part that was split off: the loads that it is for.
        add column load_ids uuid[] not null default '{}';
      drop index invoice_job_key;
      -- One live invoice for each side, link and part of a job, and the one that a job's route answers.
      create unique index invoice_job_key on invoice (job_id, company_id, side, coalesce(job_assignment_id, '00000000-0000-0000-0000-000000000000'::uuid), part)
        where state <> 'voided';
      -- The parts of an invoice, before it is taken back.
      create index invoice_parent_idx on invoice (parent_invoice_id) where parent_invoice_id is not null;

      -- Of a difference: the line that was billed. That line may be gone once both are taken back.
      alter table invoice_line_item add column corrects_id uuid`);
  }
}
