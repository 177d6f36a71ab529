import { Migration } from '@mikro-orm/migrations';

/** Companies say which ways of signing in they allow; rows from before that was asked allow what was possible then. */
export class PasswordAllowed extends Migration {
  override up(): void {
    this.addSql(`update company set auth_methods = '{password}' where auth_methods = '{}'`);
    this.addSql(`alter table company alter column auth_methods set default '{password}'`);
  }
}
