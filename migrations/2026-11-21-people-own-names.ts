import { Migration } from '@mikro-orm/migrations';

/**
 * An e-mail address or telephone number belongs to one active person of the whole installation, because people sign in by them.
 * People whom the importer took from somebody's payload are no proof of that: they are unclaimed until somebody edits or invites them.
 */
export class PeopleOwnNames extends Migration {
  override up(): void {
    this.addSql(`alter table app_user
      add column unclaimed boolean not null default false,
      add column default_additional_equipment_ids uuid[] not null default '{}'`);
    // Of people who share one so far, the one who signs in with it keeps it, else the oldest.
    for (const name of ['lower(email)', 'phone'])
      this.addSql(`update app_user set unclaimed = true from (
          select u.id, row_number() over (partition by ${name}
            order by exists (select 1 from credential c where c.user_id = u.id) desc, u.last_login_at is not null desc, u.created_at, u.id) as place
          from app_user u where u.discarded_at is null and ${name} is not null) as holder
        where holder.id = app_user.id and holder.place > 1`);
    // Two active people with one address could not be told apart when they sign in.
    this.addSql(`create unique index app_user_email_key on app_user (lower(email)) where discarded_at is null and not unclaimed`);
    this.addSql(`create unique index app_user_phone_key on app_user (phone) where discarded_at is null and not unclaimed`);
  }
}
