import { Migration } from '@mikro-orm/migrations';

/** Whoever sees an approval of another company learns who gave it, also when they see no people of that company. */
export class NameApprovers extends Migration {
  override up(): void {
    this.addSql('alter table approval_assignment add column approver_name text');
    this.addSql(`
      update approval_assignment a set approver_name = btrim(u.first_name || ' ' || u.last_name)
      from app_user u where u.id = a.approver_id and a.approver_type in ('User', 'Impersonation')`);
  }
}
