import { Migration } from '@mikro-orm/migrations';

/** How people and programs prove who they are, what limits them, and who acts as whom (src/identity). */
export class CreateIdentity extends Migration {
  override up(): void {
    this.addSql(`
      create table credential (
        id uuid primary key,
        user_id uuid not null unique references app_user (id),
        password_hash text not null,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now()
      );`);

    this.addSql(`
      create table machine_client (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        name text not null,
        client_id text not null unique,
        external_client_id text,
        permissions text[] not null default '{}',
        audiences text[] not null default '{}',
        token_seconds integer check (token_seconds > 0),
        last_used_at timestamptz(6),
        discarded_at timestamptz(6),

        -- Two secrets while one is rotated.
        secret_hash text not null,
        secret_made_at timestamptz(6) not null default now(),
        previous_secret_hash text,
        previous_secret_expires_at timestamptz(6),

        constraint machine_client_previous_secret_check check ((previous_secret_hash is null) = (previous_secret_expires_at is null))
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index machine_client_company_idx on machine_client (company_id, created_at, id);
      -- One client answers to a name: a token must not mean two. Also finds the client of each token.
      create unique index machine_client_external_key on machine_client (external_client_id) where external_client_id is not null and discarded_at is null;`);

    this.addSql(`
      create table signing_key (
        id uuid primary key,
        kid text not null unique,
        algorithm text not null,
        public_jwk jsonb not null,
        private_jwk jsonb not null,
        created_at timestamptz(6) not null default now(),
        -- It is published before it signs.
        signs_from timestamptz(6) not null default now()
      );`);

    // The keys that secrets are sealed with.
    this.addSql(`
      create table sealing_key (
        id uuid primary key,
        secret text not null,
        created_at timestamptz(6) not null default now()
      );`);

    this.addSql(`
      create table user_session (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        user_id uuid not null references app_user (id),
        method text not null check (method in ('password', 'magic_link', 'otp_sms', 'sso', 'reset_password', 'signup')),
        address text,
        user_agent text,
        expires_at timestamptz(6) not null,
        ends_at timestamptz(6) not null,
        revoked_at timestamptz(6),
        revoked_for text,

        family_hash text not null constraint user_session_family_key unique,
        refresh_hash text not null,
        -- Of the refresh token before: only that one may come twice by accident.
        previous_hash text,
        refreshed_at timestamptz(6) not null default now()
      );
      -- The list of a person's sessions, newest first, and the revocation of all of them.
      create index user_session_user_idx on user_session (company_id, user_id, created_at, id);
      -- The sweeper looks for what has ended.
      create index user_session_ends_idx on user_session (ends_at);`);

    // Where push messages go (src/identity/sessions/device-token.entity.ts).
    this.addSql(`
      create table device_token (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        token text not null,
        token_hash text not null constraint device_token_key unique,
        session_id uuid references user_session (id) on delete cascade
      );
      -- The devices of somebody who is sent something, or who is deactivated.
      create index device_token_user_idx on device_token (user_id);
      -- The end of a session takes its device along.
      create index device_token_session_idx on device_token (session_id) where session_id is not null;`);

    // Secrets that people get by e-mail or text (src/identity/sign-in/one-time-secrets.ts).
    this.addSql(`
      create table one_time_secret (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        user_id uuid references app_user (id),
        purpose text not null check (purpose in ('magic_link', 'reset_password', 'signup', 'otp_sms')),
        secret_hash text,
        -- A link or code opens something only for whoever is still reached where it was sent.
        sent_to text,
        attempts_left integer not null default 5,
        expires_at timestamptz(6) not null,
        used_at timestamptz(6)
      );
      -- Links are looked up by the hash of their token; codes by their id, because people may draw the same one.
      create unique index one_time_secret_hash_key on one_time_secret (secret_hash) where purpose <> 'otp_sms';
      -- Whoever uses one spends the others of that purpose.
      create index one_time_secret_user_idx on one_time_secret (user_id, purpose) where used_at is null;
      -- The sweeper looks for what has expired.
      create index one_time_secret_expires_idx on one_time_secret (expires_at);`);

    this.addSql(`
      create table invitation (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        inviter_company_id uuid references company (id),
        channel text not null,
        sent_at timestamptz(6)
      );
      -- Whoever delivers looks for what is not sent, oldest first.
      create index invitation_unsent_idx on invitation (created_at, id) where sent_at is null;
      -- Whether a person was invited is asked with the person.
      create index invitation_user_idx on invitation (user_id);`);

    // The sites that people are limited to.
    this.addSql(`
      create table resource_scope (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        resource_type text not null check (resource_type = 'Site'),
        site_id uuid not null references site (id)
      );
      -- A site limits a person once; also answers at every sign-in whether and where somebody is limited.
      create unique index resource_scope_user_site_key on resource_scope (user_id, site_id);
      -- A person's limits are a page of their company's.
      create index resource_scope_page_idx on resource_scope (company_id, created_at, id);`);

    // Who acts as whom, for an hour; the audit log names both.
    this.addSql(`
      create table impersonation (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),
        user_id uuid not null references app_user (id),
        actor_type text not null check (actor_type in ('User', 'M2MClient')),
        actor_id uuid not null,
        actor_name text not null,
        expires_at timestamptz(6) not null,
        ended_at timestamptz(6)
      );
      -- Who acted as a company's people, and when: a page of the company, newest first.
      create index impersonation_page_idx on impersonation (company_id, created_at, id);`);

    // Identity providers of companies, and the e-mail domains that lead to them.
    this.addSql(`
      create table sso_connection (
        id uuid primary key,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        company_id uuid not null references company (id),

        kind text not null,
        display_name text not null,
        identity_provider text not null default 'generic',
        -- A connection can be begun before its provider knows of it: providers want our addresses first, and then give theirs.
        ready boolean not null default false,
        domains text[] not null default '{}',
        -- A domain leads here once its company has proven that it is theirs; until then any number of connections may name it.
        proven_domains text[] not null default '{}',
        -- One text for all connections of a company, so that a second provider needs no second record.
        verification text not null,

        -- OpenID Connect; the secret is in sso_secret.
        issuer text,
        client_id text,
        client_secret_changed_at timestamptz(6),

        -- SAML.
        saml_entry_point text,
        saml_entity_id text,
        saml_certificates text[] not null default '{}'
      );
      -- Lists are pages of one company in the order of creation; the tenant condition asks the same index.
      create index sso_connection_company_idx on sso_connection (company_id, created_at, id);`);

    // In a table of a purpose, because everybody who manages connections reads those. Checked when a transaction ends, because a new connection is
    // written after its secret.
    this.addSql(`
      create table sso_secret (
        connection_id uuid primary key references sso_connection (id) on delete cascade deferrable initially deferred,
        sealed text not null
      );`);

    // The proven domains: an element of an array cannot be unique, the rows of a table can, also between two transactions.
    this.addSql(`
      create table sso_domain (
        domain text primary key,
        connection_id uuid not null references sso_connection (id) on delete cascade,
        -- When the record of the proof was last seen. Null for domains that were taken without a proof: there is no record to look for.
        checked_at timestamptz(6),
        missing_since timestamptz(6)
      );
      -- For the foreign key: domains end with their connection.
      create index sso_domain_connection_idx on sso_domain (connection_id);
      -- Which proven domains are due to be asked for their record again, longest ago first.
      create index sso_domain_checked_idx on sso_domain (checked_at) where checked_at is not null;`);

    // As the owner, because requests have no rights to domains.
    this.addSql(`create function sso_domains_follow() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        delete from sso_domain where connection_id = new.id and domain <> all (new.proven_domains);
        insert into sso_domain (domain, connection_id)
          select distinct d, new.id from unnest(new.proven_domains) d
          where not exists (select 1 from sso_domain s where s.domain = d and s.connection_id = new.id);
        return null;
      end $$`);
    this.addSql(`create trigger sso_domains_follow after insert or update of proven_domains on sso_connection
      for each row execute function sso_domains_follow()`);

    // Sign-ins on their way through an identity provider, and the tickets that end them.
    this.addSql(`
      create table sso_attempt (
        state_hash text primary key,
        connection_id uuid not null references sso_connection (id) on delete cascade,
        browser_hash text not null,
        nonce text not null,
        code_verifier text not null,
        return_url text not null,
        expires_at timestamptz(6) not null
      );
      -- What has expired is removed by the next one who starts.
      create index sso_attempt_expires_idx on sso_attempt (expires_at);
      -- For the foreign key: attempts end with their connection.
      create index sso_attempt_connection_idx on sso_attempt (connection_id);`);

    this.addSql(`
      create table sso_ticket (
        token_hash text primary key,
        connection_id uuid not null references sso_connection (id) on delete cascade,
        user_id uuid not null references app_user (id),
        expires_at timestamptz(6) not null
      );
      -- What has expired is removed by the next one who starts.
      create index sso_ticket_expires_idx on sso_ticket (expires_at);
      -- For the foreign key: tickets end with their connection.
      create index sso_ticket_connection_idx on sso_ticket (connection_id);`);
  }
}
