import { Migration } from '@mikro-orm/migrations';

/** What a ticket's approval replaced on its load, so that voiding the ticket gives it back. */
export class ReplacedQuantities extends Migration {
  override up(): void {
    this.addSql('alter table ticket add column replaced_quantity numeric(18, 4), add column replaced_unit_of_measure text');
  }
}
