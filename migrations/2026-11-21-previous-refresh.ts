import { Migration } from '@mikro-orm/migrations';

/** Which refresh token was the last one: only that may come twice by accident. */
export class PreviousRefresh extends Migration {
  override up(): void {
    this.addSql('alter table user_session add column previous_hash text');
  }
}
