import { Migration } from '@mikro-orm/migrations';

/**
 * An e-mail address or telephone that another company entered for somebody does not vouch for them until it is proven: whoever invited a
 * company could enter one of their own, and sign in by it later.
 */
export class ProveAddresses extends Migration {
  override up(): void {
    this.addSql(`
      alter table app_user add column email_proven boolean not null default true, add column phone_proven boolean not null default true;

      -- Where nobody has signed in yet, whoever invited or manages the company entered all of them. Who entered the others is not known.
      update app_user u set email_proven = u.email is null, phone_proven = u.phone is null from company c
      where c.id = u.company_id and c.first_sign_in_at is null and u.last_login_at is null
        and exists (select from account a where a.connected_company_id = c.id and (a.invited or a.managed));`);
  }
}
