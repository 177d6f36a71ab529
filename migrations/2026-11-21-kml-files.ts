import { Migration } from '@mikro-orm/migrations';

/** KML files that sites were made of, kept as they came. */
export class KmlFiles extends Migration {
  override up(): void {
    this.addSql(`create table kml_file (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      name text,
      file_name text not null,
      content text not null,
      discarded_at timestamptz(6)
    )`);
    // Lists are pages of one company by creation.
    this.addSql('create index kml_file_page_idx on kml_file (company_id, created_at, id)');
  }
}
