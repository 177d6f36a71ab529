import { Migration } from '@mikro-orm/migrations';

/** What history a standby follows: one that follows a server which was promoted elsewhere has places of the log, and not what is in them. */
export class TellHistoryOfStandby extends Migration {
  override up(): void {
    // Whoever is not the owner sees of the view only that something is received. Null if nothing is, or the owner may not see it either.
    this.addSql(`
      create function wal_followed() returns integer language sql stable security definer set search_path = pg_catalog, pg_temp as $$
        select received_tli from pg_stat_wal_receiver $$`);
  }
}
