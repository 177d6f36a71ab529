import { Migration } from '@mikro-orm/migrations';

/** Pictures of tickets that were sent to us (src/proof/ticket-image.ts); `image_url` may also lead elsewhere. */
export class TicketImages extends Migration {
  override up(): void {
    this.addSql('alter table ticket add column image_id uuid');
    this.addSql('alter table ticket add column image_name text');
    this.addSql('alter table ticket add column image_size integer');
    // The sweeper of files asks whose bytes these are.
    this.addSql('create unique index ticket_image_key on ticket (image_id) where image_id is not null');
  }
}
