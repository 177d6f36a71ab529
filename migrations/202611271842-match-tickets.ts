import { Migration } from '@mikro-orm/migrations';

/** Tickets that were linked to a load whose truck was at the pickup: what that shows is noted by a worker. */
export class MatchTickets extends Migration {
  override up(): void {
    this.addSql(`
      create table ticket_match_task (
        -- Of the ticket.
        id uuid primary key references ticket (id) on delete cascade,
        company_id uuid not null references company (id),
        due_at timestamptz(6) not null,
        attempts integer not null default 0,
        asked integer not null default 1
      );
      -- What the worker looks for: a handful of rows.
      create index ticket_match_task_due_idx on ticket_match_task (due_at)`);
  }
}
