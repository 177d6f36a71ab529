import { Migration } from '@mikro-orm/migrations';

/** Who acts as somebody else may be a person or a machine client. */
export class AuditActorType extends Migration {
  override up(): void {
    this.addSql('alter table audit_entry add column real_actor_type text');
  }
}
