import { Migration } from '@mikro-orm/migrations';

/** What a review found nothing in is approved only when what it judges by is known: the next arrival, and the positions of the load. */
export class HoldApprovalsOfReviews extends Migration {
  override up(): void {
    this.addSql('alter table ai_review add column approval_pending boolean not null default false');
  }
}
