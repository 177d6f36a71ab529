import { Migration } from '@mikro-orm/migrations';

/**
 * A link or code opens something only for whoever is still reached where it was sent: an invitation to a mistyped address is worth nothing
 * once the address was corrected.
 */
export class SecretsSentTo extends Migration {
  override up(): void {
    this.addSql('alter table one_time_secret add column sent_to text');
    this.addSql(`update one_time_secret s set sent_to = case when s.purpose = 'otp_sms' then u.phone else coalesce(u.email, u.phone) end
      from app_user u where u.id = s.user_id and s.used_at is null`);
  }
}
