import { Migration } from '@mikro-orm/migrations';

/** Both sides of a share are told what it was about, also when it has ended and the record itself is seen no more. */
export class ShareNames extends Migration {
  override up(): void {
    this.addSql(`create function shareable_name(type text, id uuid) returns text
      language sql stable security definer set search_path = public, pg_temp as $$
      select case type
        when 'User' then (select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = $2)
        when 'Equipment' then (select e.name from equipment e where e.id = $2)
        else (select s.name from site s where s.id = $2) end
      where exists (select 1 from company_share s, (select nullif(current_setting('app.company_ids', true), '')::uuid[] as ids) own
        where s.company_shareable_id = $2 and s.company_shareable_type = $1
          and (s.company_id = any(own.ids) or s.receiver_company_id = any(own.ids))) $$`);
  }
}
