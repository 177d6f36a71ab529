import { Migration } from '@mikro-orm/migrations';

/** What a geocoding provider said of an address; a null place means that it knows none. */
export class GeocodedAddresses extends Migration {
  override up(): void {
    this.addSql(`create table geocoded_address (
      address text primary key,
      lat numeric(15,12),
      lon numeric(15,12),
      asked_at timestamptz(6) not null
    )`);
  }
}
