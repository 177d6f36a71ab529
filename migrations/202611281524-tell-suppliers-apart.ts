import { Migration } from '@mikro-orm/migrations';

export class TellSuppliersApart extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists invoice_books_key');
    this.addSql(`
      -- One live invoice for each side, link and part of a job, and the one that a job's route answers. For material, one for each supplier.
      create unique index concurrently invoice_books_key on invoice (job_id, company_id, side, coalesce(job_assignment_id, '00000000-0000-0000-0000-000000000000'::uuid),
          part, coalesce(case when of_material then vendor_account_id end, '00000000-0000-0000-0000-000000000000'::uuid))
        where state <> 'voided'`);
    this.addSql('drop index concurrently if exists invoice_job_key');
  }
}
