import { Migration } from '@mikro-orm/migrations';

/** A login opens in two steps: while sessions of the old password are being ended, they may still set another one. */
export class LoginsOpenedInTwoSteps extends Migration {
  override up(): void {
    this.addSql(`
      alter table reporting_login_verifier
        -- Since when no session of the old password is left, so that the role has the new one for good.
        add column alone_since timestamptz`);
  }
}
