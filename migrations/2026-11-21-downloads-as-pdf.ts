import { Migration } from '@mikro-orm/migrations';

/** Bulk downloads also as one PDF, whose last page speaks the asker's language. */
export class DownloadsAsPdf extends Migration {
  override up(): void {
    this.addSql('alter table bulk_download drop constraint bulk_download_type_check');
    this.addSql(`alter table bulk_download add constraint bulk_download_type_check check (type in ('zip', 'pdf'))`);
    this.addSql(`alter table bulk_download add column language text not null default 'en'`);
  }
}
