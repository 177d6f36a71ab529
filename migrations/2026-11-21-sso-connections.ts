import { Migration } from '@mikro-orm/migrations';

/** Identity providers of companies, the e-mail domains that lead to them, and the keys their secrets are sealed with. */
export class SsoConnections extends Migration {
  override up(): void {
    this.addSql(`create table sealing_key (
      id uuid primary key,
      secret text not null,
      created_at timestamptz(6) not null default now()
    )`);
    this.addSql(`create table sso_connection (
      id uuid primary key,
      created_at timestamptz(6) not null default now(),
      updated_at timestamptz(6) not null default now(),
      company_id uuid not null references company (id),
      kind text not null,
      display_name text not null,
      identity_provider text not null default 'generic',
      domains text[] not null default '{}',
      issuer text,
      client_id text,
      sealed_client_secret text,
      client_secret_changed_at timestamptz(6),
      saml_entry_point text,
      saml_entity_id text,
      saml_certificates text[] not null default '{}'
    )`);
    // Lists of a company, newest first.
    this.addSql('create index sso_connection_company_idx on sso_connection (company_id, created_at, id)');
    this.addSql(`create table sso_domain (
      domain text constraint sso_domain_pkey primary key,
      connection_id uuid not null references sso_connection (id) on delete cascade
    )`);
    // Domains go with their connection.
    this.addSql('create index sso_domain_connection_idx on sso_domain (connection_id)');
    // An element of an array cannot be unique; the rows of a table can, also between two transactions.
    this.addSql(`create function sso_domains_follow() returns trigger language plpgsql as $$
      begin
        delete from sso_domain where connection_id = new.id and domain <> all (new.domains);
        insert into sso_domain (domain, connection_id)
          select distinct d, new.id from unnest(new.domains) d
          where not exists (select 1 from sso_domain s where s.domain = d and s.connection_id = new.id);
        return null;
      end $$`);
    this.addSql(`create trigger sso_domains_follow after insert or update of domains on sso_connection
      for each row execute function sso_domains_follow()`);
  }
}
