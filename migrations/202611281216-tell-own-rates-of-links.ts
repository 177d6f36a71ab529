import { Migration } from '@mikro-orm/migrations';

/** A rate that was agreed on for a link counts before what its job says of vendors. Links that were made before follow their jobs, as they did. */
export class TellOwnRatesOfLinks extends Migration {
  override up(): void {
    this.addSql('alter table job_assignment add column own_rate boolean not null default false');
  }
}
