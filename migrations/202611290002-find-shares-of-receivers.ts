import { Migration } from '@mikro-orm/migrations';

export class FindSharesOfReceivers extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // One that a failed run has left is not valid.
    this.addSql('drop index concurrently if exists company_share_received_idx');
    this.addSql(`
      -- What is shared with a company, record by record, for the snapshot of its feed.
      create index concurrently company_share_received_idx on company_share (receiver_company_id, company_shareable_type, company_shareable_id)`);
    this.addSql('drop index concurrently if exists company_share_expired_idx');
    this.addSql(`
      -- Shares that have expired, which the feeds do not say yet.
      create index concurrently company_share_expired_idx on company_share (valid_until) where end_noted_at is null`);
  }
}
