import { Migration } from '@mikro-orm/migrations';

/**
 * `image_url` keeps addresses elsewhere only: that of a picture sent to us is told by `image_id` when it is read, so that it follows the
 * server to another host name.
 */
export class TicketImageUrls extends Migration {
  override up(): void {
    this.addSql(`update ticket set image_url = null where image_id is not null and image_url like '%/v1/tickets/' || id || '/image/file'`);
  }
}
