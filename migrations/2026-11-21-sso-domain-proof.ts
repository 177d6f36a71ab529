import { Migration } from '@mikro-orm/migrations';

/**
 * A domain leads to a connection once its company has proven that the domain is theirs; until then any number of connections may name it.
 * Rows of `sso_domain` are from now on the proven ones. Domains that were named before stay proven: taking them away would lock companies
 * out. Whoever proves one of them takes it over.
 */
export class SsoDomainProof extends Migration {
  override up(): void {
    this.addSql(`alter table sso_connection add column proven_domains text[] not null default '{}', add column verification text`);
    this.addSql('update sso_connection set proven_domains = domains');
    // One text for all connections of a company, so that a second provider needs no second record.
    this.addSql(`update sso_connection s set verification = c.token from (
      select company_id, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as token
      from (select distinct company_id from sso_connection) companies) c where c.company_id = s.company_id`);
    this.addSql('alter table sso_connection alter column verification set not null');
    this.addSql(`create or replace function sso_domains_follow() returns trigger language plpgsql as $$
      begin
        delete from sso_domain where connection_id = new.id and domain <> all (new.proven_domains);
        insert into sso_domain (domain, connection_id)
          select distinct d, new.id from unnest(new.proven_domains) d
          where not exists (select 1 from sso_domain s where s.domain = d and s.connection_id = new.id);
        return null;
      end $$`);
    this.addSql('drop trigger sso_domains_follow on sso_connection');
    this.addSql(`create trigger sso_domains_follow after insert or update of proven_domains on sso_connection
      for each row execute function sso_domains_follow()`);
  }
}
