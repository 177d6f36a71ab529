import { Migration } from '@mikro-orm/migrations';

/** A job that is deleted takes its drafts of invoices with it; the product refuses to delete one whose invoice was approved. */
export class DeleteDraftsWithTheirJobs extends Migration {
  override up(): void {
    this.addSql(`
      alter table invoice drop constraint invoice_job_id_fkey,
        add constraint invoice_job_id_fkey foreign key (job_id) references job (id) on delete cascade;
      alter table invoice_line_item drop constraint invoice_line_item_load_id_fkey,
        add constraint invoice_line_item_load_id_fkey foreign key (load_id) references load (id) on delete cascade;
      -- Whether a job has invoices, voided ones too, after each change of its work; and what is deleted with it.
      create index invoice_job_idx on invoice (job_id)`);
  }
}
