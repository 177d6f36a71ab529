import { Migration } from '@mikro-orm/migrations';

/** What a person has to decide is listed by indexes that contain nothing else. */
export class ListWhatNeedsAPerson extends Migration {
  override up(): void {
    this.addSql(`
      alter table load add column review_flagged boolean not null default false;
      update load set review_flagged = true from ai_review r where r.load_id = load.id and r.status <> 'approved';
      -- Pages of loads with \`needsReview\`, and the tickets of these loads: few of all loads, and gone from here once approved.
      create index load_to_review_idx on load (company_id, created_at, id) where (needs_review or review_flagged) and billing_approved_at is null;
      -- Tickets that a person flagged, for lists with \`needsReview\`.
      create index ticket_flagged_idx on ticket (company_id) where flagged;
      -- Pages of days with \`needsReview\`, by their date.
      create index driver_day_to_review_idx on driver_day (company_id, driver_day_date, id)
        where ended_shift_at is not null and (billing_approved_at is null or worked_after_approval);`);
    this.addSql('alter table ticket_chase add column asked_at timestamptz(6)');
  }
}
