import { Migration } from '@mikro-orm/migrations';

/** What a company lets its roles do beyond the matrix. */
export class PermissionToggles extends Migration {
  override up(): void {
    this.addSql(`alter table company add permission_toggles text[] not null default '{}'`);
    // Follows from the company's toggle now.
    this.addSql('alter table job drop column times_editable');
  }
}
