import { Migration } from '@mikro-orm/migrations';

/** How many jobs a vendor has on a day is asked of every vendor while somebody types. */
export class VendorCapacity extends Migration {
  override up(): void {
    // The jobs of a vendor's account; also the foreign key's own.
    this.addSql('create index job_assignment_vendor_account_idx on job_assignment (vendor_account_id, job_id)');
  }
}
