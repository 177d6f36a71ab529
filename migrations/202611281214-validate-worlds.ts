import { Migration } from '@mikro-orm/migrations';

/** Reads accounts, shares and people while everybody goes on: no sandbox was there before the checks. */
export class ValidateWorlds extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table account validate constraint account_world_check');
    this.addSql('alter table company_share validate constraint company_share_world_check');
    this.addSql('alter table app_user validate constraint app_user_sandbox_email_check');
    this.addSql('alter table app_user validate constraint app_user_sandbox_phone_check');
  }
}
