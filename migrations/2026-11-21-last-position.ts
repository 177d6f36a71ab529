import { Migration } from '@mikro-orm/migrations';

/** Where people were last, beside when: a board of hundreds of drivers must not look through their ways. */
export class LastPosition extends Migration {
  override up(): void {
    this.addSql('alter table app_user add column last_lat numeric(15, 12), add column last_lon numeric(15, 12)');
    this.addSql(`update app_user u set last_lat = h.lat, last_lon = h.lon
      from (select distinct on (user_id) user_id, lat, lon from location_history order by user_id, occurred_at desc) h where h.user_id = u.id`);
  }
}
