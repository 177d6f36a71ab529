import { Migration } from '@mikro-orm/migrations';

/** Accounts that are companies here too: one per pair, and what inviting somebody leaves behind. */
export class AccountConnections extends Migration {
  override up(): void {
    this.addSql(`alter table account
      add column department_id uuid references department (id),
      add column label_ids uuid[] not null default '{}',
      add column managed boolean not null default false`);
    // Two accounts for one company would leave open which of them pays. A discarded one is taken up again, so it counts too.
    this.addSql(`create unique index account_connection_key on account (company_id, connected_company_id)
      where connected_company_id is not null`);
    // An invited company must not have the name of one that is here.
    this.addSql('create index company_name_idx on company (lower(btrim(legal_name))) where discarded_at is null');
    this.addSql(`create table invitation (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      user_id uuid not null references app_user (id),
      inviter_company_id uuid references company (id),
      channel text not null,
      sent_at timestamptz(6)
    )`);
    // Whoever delivers looks for what is not sent, oldest first.
    this.addSql('create index invitation_unsent_idx on invitation (created_at, id) where sent_at is null');
    // Whether a person was invited is asked with the person.
    this.addSql('create index invitation_user_idx on invitation (user_id)');
  }
}
